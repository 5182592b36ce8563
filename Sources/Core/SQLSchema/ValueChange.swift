/// A change of a value. NULL stays NULL.
package indirect enum ValueChange: Hashable, Sendable {
    /// A scalar value changes to another scalar type.
    case scalar(ScalarType, ScalarType)
    /// A case of an enum becomes a string with its stored value.
    case caseToString
    /// The stored values of cases change. The dictionary contains the new values, by old value. All other values stay
    /// the same. If `merged` is true, two different values may become the same.
    case cases([String: String], merged: Bool)
    /// The bits of options are cleared.
    case options(cleared: Int)
    /// The members of a struct change, in its JSON.
    case members([Member])
    /// Every element of a list changes. `isJSON` is true if the elements are objects or arrays.
    case elements(ValueChange, isJSON: Bool)
    /// Every value of a dictionary changes. `isJSON` is true if the values are objects or arrays.
    case values(ValueChange, isJSON: Bool)

    /// The change of a member of a struct. `isJSON` is true if the value of the member is an object or an array.
    package indirect enum Member: Hashable, Sendable {
        /// The member is new. `value` is its default value as JSON.
        case added(String, value: String)
        /// The member is removed.
        case removed(String)
        /// The member has another name. Its value may change too.
        case renamed(String, to: String, ValueChange?, isJSON: Bool)
        /// The value of the member changes.
        case changed(String, ValueChange, isJSON: Bool)
    }

    /// Whether all values are stored unchanged.
    package var isIdentity: Bool {
        switch self {
        case .scalar(let from, let to): from.storage == to.storage
        case .caseToString: true
        case .cases(let values, _): values.isEmpty
        case .options(let cleared): cleared == 0
        case .members(let changes): changes.isEmpty
        case .elements(let change, _), .values(let change, _): change.isIdentity
        }
    }

    /// Whether two different values may become the same value.
    package var isMerging: Bool {
        switch self {
        case .scalar(let from, let to): from == .int && to == .double
        case .caseToString: false
        case .cases(_, let isMerged): isMerged
        case .options(let cleared): cleared != 0
        case .elements(let change, _), .values(let change, _): change.isMerging
        case .members(let changes):
            changes.contains { change in
                switch change {
                case .added: false
                case .removed: true
                case .renamed(_, _, let inner, _): inner?.isMerging ?? false
                case .changed(_, let inner, _): inner.isMerging
                }
            }
        }
    }
}
