import Foundation
import SchemaModel
import SQLSchema

extension CoreDataModel.Attribute {
    /// The type of the values in Strata; nil if Strata does not have the type.
    var valueType: ValueType? {
        switch type {
        case "Integer 16", "Integer 32", "Integer 64": .scalar(.int)
        case "Boolean": .scalar(.bool)
        case "Double": .scalar(.double)
        case "Float": .scalar(.float)
        case "Decimal": .scalar(.decimal)
        case "String": .scalar(.string)
        case "Date": .scalar(.date)
        case "Binary": .scalar(.data)
        case "UUID": .scalar(.uuid)
        case "URI": .scalar(.url)
        case "Transformable": elementType.map { .array(.scalar($0)) } ?? .scalar(.data)
        default: nil
        }
    }

    /// The type of the elements, if the class is an array: `[String]`, `Array<Int>`, `NSArray<NSString *>`.
    private var elementType: ScalarType? {
        guard let className, let match = className.firstMatch(of: /^(?:\[|(?:Swift\.)?Array<|NSArray<)\s*([A-Za-z.]+)/)
        else { return nil }
        return switch match.1.split(separator: ".").last {
        case "String", "NSString": .string
        case "Int", "Int16", "Int32", "Int64": .int
        case "Double", "CGFloat": .double
        case "Float": .float
        case "Bool": .bool
        case "Date", "NSDate": .date
        case "URL", "NSURL": .url
        case "UUID", "NSUUID": .uuid
        case "Data", "NSData": .data
        case "Decimal", "NSDecimalNumber": .decimal
        default: nil
        }
    }

    /// The default value as written in the file; nil if there is none.
    var writtenDefault: String? { defaultValue ?? defaultInterval }

    /// The default value, as Core Data reads it for the type; nil if there is none, or if the type does not have the
    /// value.
    var literal: Literal? {
        guard let text = writtenDefault else { return nil }
        switch valueType?.scalar {
        case .int:
            return Literal(text, type: .int) ?? Self.number(text).flatMap { Int64(exactly: $0) }.map(Literal.integer)
        case .bool: return Self.number(text).map { .integer($0 == 0 ? 0 : 1) }
        case .double: return Self.number(text).map(Literal.real)
        case .date: return Literal(defaultInterval ?? text, type: .seconds)
        case .float, .decimal, .string, .url, .uuid: return valueType?.scalar.flatMap { Literal(text, type: $0) }
        default: return nil
        }
    }

    /// Returns the value of a number, or of a word that Xcode writes for a Boolean, such as `YES`. The type of the
    /// attribute does not matter.
    private static func number(_ text: String) -> Double? {
        switch text.uppercased() {
        case "YES", "TRUE": 1
        case "NO", "FALSE": 0
        default: Double(text).flatMap { $0.isFinite ? $0 : nil }
        }
    }
}
