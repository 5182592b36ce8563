import SchemaModel
import SQLSchema

extension Validator {
    /// Checks that the values of the computed properties of an entity fit their types.
    mutating func checkComputed(
        _ entity: Entity, _ columns: [StoredColumn], _ version: SchemaVersion, _ index: VersionIndex
    ) {
        for property in entity.computed {
            let sources = self.sources
            func place(_ problem: Problem) -> Diagnostic {
                sources.diagnostic(
                    problem, entity: entity.lineage, property: property.lineage, key: "computed", at: index)
            }
            check(property.value, key: "computed", entity, columns, version, place)
            let results = property.value.results { lineage in
                let column = columns.first { $0.property == lineage && $0.role != .position }
                return column.map { version.result(of: $0.type) } ?? .any
            }
            let wrong = results.filter { !$0.fits(property.type) }.map(\.text).sortedByBytes()
            if results.isEmpty {
                diagnostics.append(place(.malformedExpression(key: "computed", "its value is always null")))
            } else if let kind = wrong.first {
                let (type, number) = (property.type.rawValue, version.version.text)
                diagnostics.append(place(.computedOfOtherType(found: kind, type: type, version: number)))
            }
        }
    }

    /// Checks the indexes over computed properties of an entity.
    mutating func checkComputedIndex(_ index: EntityIndex, _ entity: Entity) {
        guard index.isUnique else { return }
        for property in index.properties.compactMap(entity.computedProperty) {
            let reason = "`\(property.name)` is computed, and a computed property cannot be unique"
            diagnostics.append(
                sources.diagnostic(
                    .keyDoesNotApply("unique", because: reason), entity: entity.lineage, index: index.lineage))
        }
    }
}

/// A kind of value that an expression may have.
private enum ExpressionResult: Hashable {
    case number
    /// 0 or 1.
    case truth
    case text
    case bytes
    /// The value of a property.
    case value(ScalarType)
    /// The value of a list or a struct, as JSON.
    case json
    /// A value of which nothing is known, because the expression has another problem.
    case any

    /// Whether the value, converted to the storage of a type, is a value of the type.
    func fits(_ type: ScalarType) -> Bool {
        switch (type, self) {
        case (_, .any), (_, .value(type)): true
        case (.int, .number), (.int, .truth), (.double, .number), (.double, .truth), (.float, .number),
            (.float, .truth):
            true
        case (.int, .value(let other)), (.double, .value(let other)), (.float, .value(let other)):
            other.storage == .integer || other.storage == .real
        case (.date, .number), (.seconds, .number), (.milliseconds, .number): true
        case (.bool, .truth): true
        case (.string, .text), (.string, .json): true
        case (.string, .value(let other)): other.storage == .text
        case (.data, .bytes): true
        default: false
        }
    }

    /// The kind in words.
    var text: String {
        switch self {
        case .number: "a number"
        case .truth: "true or false"
        case .text: "text"
        case .bytes: "bytes"
        case .value(let type): "a value of type \(type.rawValue)"
        case .json: "JSON"
        case .any: "any value"
        }
    }
}

extension SchemaVersion {
    /// Returns the kind of the values that a column of a type has.
    fileprivate func result(of type: ValueType) -> ExpressionResult {
        switch type {
        case .scalar(let scalar): return .value(scalar)
        case .array: return .json
        case .subtype(let lineage):
            switch subtype(lineage)?.kind {
            case .cases: return .text
            case .options: return .number
            case .members: return .json
            case nil: return .any
            }
        }
    }
}

extension RowExpression {
    /// Returns the kinds of the values that the expression may have, without NULL.
    ///
    /// - Parameter result: Returns the kind of a column's values.
    fileprivate func results(_ result: (Column) -> ExpressionResult) -> Set<ExpressionResult> {
        func any(_ values: [RowExpression]) -> Set<ExpressionResult> {
            values.reduce(into: []) { $0.formUnion($1.results(result)) }
        }
        switch self {
        case .column(let column): return [result(column)]
        case .literal(.integer(0)), .literal(.integer(1)): return [.truth]
        case .literal(.integer), .literal(.real), .negative: return [.number]
        case .literal(.text): return [.text]
        case .literal(.blob): return [.bytes]
        case .null: return []
        case .not, .isNull, .isIn: return [.truth]
        case .binary(_, let symbol, _):
            switch symbol {
            case .joined: return [.text]
            case .plus, .minus, .times, .divided, .remainder: return [.number]
            case .or, .and, .equal, .different, .like, .glob, .less, .lessOrEqual, .greater, .greaterOrEqual:
                return [.truth]
            }
        case .call(let function, let arguments):
            switch function {
            case .instr, .length, .round: return [.number]
            case .jsonValid: return [.truth]
            case .hex, .lower, .ltrim, .replace, .rtrim, .trim, .typeof, .upper: return [.text]
            case .coalesce, .ifnull, .max, .min: return any(arguments)
            case .nullif: return any([arguments[0]])
            case .substr:
                let isBytes = any([arguments[0]]).contains { $0 == .any || $0.fits(.data) || $0 == .value(.uuid) }
                return isBytes ? [.bytes] : [.text]
            }
        case .cases(let branches, let otherwise): return any(branches.map(\.value) + (otherwise.map { [$0] } ?? []))
        }
    }
}
