import JSONText
import SchemaModel
import SQLSchema

extension ElementDecoder {
    /// Decodes the limits on the values of a property.
    mutating func limits(of property: Property, _ fields: Fields) -> [ValueLimit] {
        var limits: [ValueLimit] = []
        for kind in ValueLimit.Kind.allCases {
            guard let field = fields.field(kind.rawValue) else { continue }
            guard let type = property.type?.scalar, kind.types.contains(type) else {
                let named = property.type == nil ? "it is a relationship" : "its values are not \(kind.subject)"
                var reason = named
                if property.type == .scalar(.decimal), kind == .minimum || kind == .maximum {
                    reason = "decimals are stored as text; write a check, such as \"price NOT LIKE '-%'\""
                }
                if case .subtype(let subtype)? = property.type, kind == .oneOf {
                    let name = sources.name(of: subtype, at: field.moment)
                    reason =
                        sources[subtype].description.kind == .cases
                        ? "the cases of `\(name)` are the only values; remove a case, or move it to \"unused_cases\""
                        : "a value of `\(name)` has several parts; write a check of the entity"
                }
                if let former = fields.field("property_type")?.moment, former < field.moment {
                    let version = sources.versions[former].text
                    reason = "in version \(version) \(named); add \"\(kind.rawValue)\": null to \"previous\""
                }
                reader.report(.keyDoesNotApply(kind.rawValue, because: reason), fields.file, field.json.offset)
                continue
            }
            if let limit = limit(kind, field.json, type, fields.file) { limits.append(limit) }
        }
        for (index, limit) in limits.enumerated().dropFirst() where limits[index - 1].excludes(limit) {
            reader.report(
                .emptyRange(limits[index - 1].kind.rawValue, limit.kind.rawValue), fields.file,
                fields[limit.kind.rawValue]?.json.offset ?? fields.offset)
        }
        checkTogether(limits, fields)
        return limits
    }

    /// Reports values of `one_of` and patterns that the other limits do not allow.
    private mutating func checkTogether(_ limits: [ValueLimit], _ fields: Fields) {
        for limit in limits {
            for other in limits where other != limit {
                let wrong: String?
                switch (limit, other) {
                case (.oneOf(let values), _): wrong = values.first { !other.allows($0) }?.text
                case (.pattern(let pattern), .minLength), (.pattern(let pattern), .maxLength):
                    let isPossible = GlobPattern(pattern)?.lengths.contains { other.allows(length: $0) } ?? true
                    wrong = isPossible ? nil : quoted(pattern)
                default: wrong = nil
                }
                guard let wrong else { continue }
                let problem = Problem.valueOutsideLimit(
                    key: limit.kind.rawValue, value: wrong, limit: other.description)
                reader.report(problem, fields.file, fields[limit.kind.rawValue]?.json.offset ?? fields.offset)
            }
        }
    }

    /// SQLite's parser, and ours, limit the size of an expression.
    private static let mostValues = 200

    private mutating func limit(
        _ kind: ValueLimit.Kind, _ json: JSON, _ type: ScalarType, _ file: SourceFile
    ) -> ValueLimit? {
        switch kind {
        case .minimum: return reader.literal(json, key: kind.rawValue, type: type, file).map(ValueLimit.minimum)
        case .maximum: return reader.literal(json, key: kind.rawValue, type: type, file).map(ValueLimit.maximum)
        case .minLength: return length(json, kind, file).map(ValueLimit.minLength)
        case .maxLength: return length(json, kind, file).map(ValueLimit.maxLength)
        case .pattern:
            guard let pattern = reader.string(json, key: kind.rawValue, file) else { return nil }
            let problem: String? =
                if GlobPattern(pattern) == nil {
                    "a `[` is not closed; write `[[]` for the character"
                } else if pattern.utf8.count > SQLiteLimits.pattern {
                    "it has more than \(SQLiteLimits.pattern) bytes, the most that SQLite compares"
                } else {
                    nil
                }
            if let problem {
                reader.report(.malformedExpression(key: kind.rawValue, problem), file, json.offset)
            }
            return .pattern(pattern)
        case .oneOf:
            guard let values = reader.array(json, key: kind.rawValue, expected: "an array of values", file) else {
                return nil
            }
            let literals = values.compactMap { reader.literal($0, key: kind.rawValue, type: type, file) }
            if values.isEmpty || values.count > Self.mostValues {
                let problem = values.isEmpty ? "it has no value" : "it has more than \(Self.mostValues) values"
                reader.report(.malformedExpression(key: kind.rawValue, problem), file, json.offset)
            }
            return literals.count == values.count ? .oneOf(literals) : nil
        }
    }

    private mutating func length(_ json: JSON, _ kind: ValueLimit.Kind, _ file: SourceFile) -> Int? {
        if case .integer(let length) = reader.literal(json, key: kind.rawValue, type: .int, file) {
            // SQLite allows no longer values (https://sqlite.org/limits.html#max_length).
            let most: Int64 = kind == .minLength ? 1_000_000 : 1_000_000_000
            if (0...most).contains(length) { return Int(length) }
            reader.report(
                .malformedExpression(key: kind.rawValue, "the length is not from 0 to \(most)"), file, json.offset)
        }
        return nil
    }
}

extension ValueLimit.Kind {
    /// The types whose values can have the limit.
    fileprivate var types: Set<ScalarType> {
        switch self {
        case .minimum, .maximum: [.int, .double, .float, .date, .seconds, .milliseconds]
        case .minLength, .maxLength: [.string, .url, .data]
        case .pattern: [.string, .url]
        case .oneOf: Set(ScalarType.allCases)
        }
    }

    /// The kind of these values, for messages.
    fileprivate var subject: String {
        switch self {
        case .minimum, .maximum: "numbers or dates"
        case .minLength, .maxLength: "text or data"
        case .pattern: "text"
        case .oneOf: "single values"
        }
    }
}

extension ValueLimit {
    /// Returns whether no value satisfies both this limit and the one of the next kind.
    fileprivate func excludes(_ other: ValueLimit) -> Bool {
        switch (self, other) {
        case (.minimum, .maximum(let greatest)): !allows(greatest)
        case (.minLength(let least), .maxLength(let greatest)): least > greatest
        default: false
        }
    }
}
