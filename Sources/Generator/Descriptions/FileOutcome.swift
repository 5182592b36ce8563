/// The outcome of editing a file of a model.
package enum FileOutcome: Hashable, Sendable {
    /// The file does not change.
    case kept
    /// The file has these new bytes. It may be a new file.
    case rewritten([UInt8])
    /// The file is not needed any more.
    case removed
}

extension [SourceFile] {
    /// Returns the files after editing.
    ///
    /// - Parameter outcomes: The outcomes, by the paths of the files. A path that no file has is that of a new file.
    package func applying(_ outcomes: [String: FileOutcome]) -> [SourceFile] {
        let paths = Set(map(\.path))
        let changed = compactMap { file -> SourceFile? in
            switch outcomes[file.path] {
            case .removed: nil
            case .rewritten(let bytes): SourceFile(path: file.path, bytes: bytes)
            case .kept, nil: file
            }
        }
        let new = outcomes.sorted { $0.key < $1.key }.compactMap { path, outcome -> SourceFile? in
            guard !paths.contains(path), case .rewritten(let bytes) = outcome else { return nil }
            return SourceFile(path: path, bytes: bytes)
        }
        return changed + new
    }
}
