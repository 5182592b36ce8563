import SQLSchema
import Strata

/// The column types that Core Data declares.
enum DeclaredType: Hashable {
    case integer, float, timestamp, text, decimal, blob

    /// Creates the type that the declaration of a column contains; nil if Core Data does not write such a type.
    init?(_ declaration: String) {
        let declaration = declaration.uppercased()
        let words: [(String, DeclaredType)] = [
            ("INT", .integer), ("FLOAT", .float), ("DOUBLE", .float), ("REAL", .float), ("TIMESTAMP", .timestamp),
            ("DECIMAL", .decimal), ("CHAR", .text), ("TEXT", .text), ("BLOB", .blob),
        ]
        guard let type = words.first(where: { declaration.contains($0.0) })?.1 else { return nil }
        self = type
    }

    /// Returns the types that Core Data may declare for the column of a value.
    ///
    /// - Parameters:
    ///   - form: The form of the value in the other database; nil if it is copied unchanged.
    ///   - storage: How a Strata store stores the value.
    static func types(of form: ImportedForm?, storage: StorageType?) -> Set<DeclaredType> {
        switch form {
        case nil, .plain: types(ofStorage: storage)
        case .bool: [.integer]
        case .referenceSeconds: [.timestamp]
        case .unixSeconds, .unixMilliseconds, .unixMicroseconds: [.integer, .float, .timestamp]
        case .julianDay: [.float]
        case .dateText, .url, .color, .choice: [.text]
        case .uuid, .archive, .archiveOfBools, .archiveOfDecimals, .externalData, .castToData: [.blob]
        case .decimal: [.decimal]
        case .json, .members, .list, .values: [.text, .blob]
        case .seconds: [.float]
        case .castToInt, .integer: [.integer]
        case .castToDouble, .real: [.float]
        case .string: [.text]
        case .entity, .ownerKeys: []
        }
    }

    private static func types(ofStorage storage: StorageType?) -> Set<DeclaredType> {
        switch storage {
        case .integer: [.integer]
        case .real: [.float]
        case .text: [.text]
        case .blob: [.blob]
        case .any, nil: []
        }
    }
}
