/// A change of a value. NULL stays NULL.
package indirect enum ValueChange: Hashable, Sendable {
    /// A single value becomes one of another type.
    case scalar(ScalarType, ScalarType)
    /// A case becomes its value.
    case caseToString
    /// The values of cases become others, by old value. Any other value stays. If `merged`, two may become the same.
    case cases([String: String], merged: Bool)
    /// The bits of options are cleared.
    case options(cleared: Int)
    /// The members of a struct change, in its JSON.
    case members([Member])
    /// Every element of a list changes. `isJSON` says that an element is JSON itself.
    case elements(ValueChange, isJSON: Bool)

    /// The change of a member of a struct. `isJSON` says that its value is JSON itself.
    package indirect enum Member: Hashable, Sendable {
        /// It is new and has a default value, in JSON.
        case added(String, value: String)
        /// It is removed.
        case removed(String)
        /// It has another name, and its value may change too.
        case renamed(String, to: String, ValueChange?, isJSON: Bool)
        /// Its value changes.
        case changed(String, ValueChange, isJSON: Bool)
    }

    /// Whether every value is stored as it was.
    package var isIdentity: Bool {
        switch self {
        case .scalar(let from, let to): from.storage == to.storage
        case .caseToString: true
        case .cases(let values, _): values.isEmpty
        case .options(let cleared): cleared == 0
        case .members(let changes): changes.isEmpty
        case .elements(let change, _): change.isIdentity
        }
    }

    /// Whether two different values may become the same.
    package var isMerging: Bool {
        switch self {
        case .scalar, .caseToString: false
        case .cases(_, let isMerged): isMerged
        case .options(let cleared): cleared != 0
        case .elements(let change, _): change.isMerging
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
