import DescriptionEditing

extension DescriptionEditor.Refusal {
    /// The message of the error.
    var text: String {
        switch self {
        case .unknown(let name, let nearest):
            "error: the newest version has no \(name)" + (nearest.map { "; did you mean \($0)?" } ?? "")
        case .exists(let name): "error: the newest version already has \(name); choose another name"
        case .nothingToDiscard(let name):
            "error: only entities, properties and options have data; remove \(name) without --discard, and write \"replaced_by\" beside a removed case"
        case .removed(let name):
            "error: \(name) is removed in the draft; to undo this, delete its \"removed_at_version\", and its \"discard\" if it has one"
        case .noProperties(let name):
            "error: \(name) is an enum or an option set, which has no properties; add the element by hand"
        case .inverseExists(let name):
            "error: \(name) exists already; write \"inverse\" in both descriptions by hand"
        case .nothingToFill(let name):
            "error: \(name) is new with its entity, so no row needs a value; leave out --fill"
        }
    }
}
