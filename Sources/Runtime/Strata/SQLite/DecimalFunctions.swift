import CSQLite
import Foundation

/// The collation and the functions that treat the text of a decimal number as a number. Queries use them, and tables and
/// indexes never do: another tool could not read such a database.
enum DecimalFunctions {
    /// Orders decimal numbers by value: `ORDER BY price COLLATE strata_decimal`.
    static let collation = "strata_decimal"
    /// An aggregate function that adds decimal numbers.
    static let sum = "strata_decimal_sum"
    /// A function that adds two decimal numbers.
    static let add = "strata_decimal_add"
    /// The functions in place of operators.
    static let functions = ["+": add, "-": "strata_decimal_subtract", "*": "strata_decimal_multiply"]

    /// Adds the collation and the functions to a connection.
    static func add(to database: OpaquePointer) throws {
        // SQLITE_DIRECTONLY: a schema that was tampered with cannot call the functions.
        let flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY
        func define(
            _ operation: String,
            _ function: @convention(c) (OpaquePointer?, Int32, UnsafeMutablePointer<OpaquePointer?>?) -> Void
        ) -> Int32 {
            sqlite3_create_function_v2(database, functions[operation], 2, flags, nil, function, nil, nil, nil)
        }
        let codes = [
            sqlite3_create_collation_v2(
                database, collation, SQLITE_UTF8, nil,
                { _, leftCount, left, rightCount, right in
                    let left = UnsafeRawBufferPointer(start: left, count: Int(leftCount))
                    return DecimalFunctions.compare(left, UnsafeRawBufferPointer(start: right, count: Int(rightCount)))
                }, nil),
            sqlite3_create_function_v2(
                database, sum, 1, flags, nil, nil,
                { context, _, arguments in DecimalFunctions.step(context, arguments?[0]) },
                { context in DecimalFunctions.finish(context) }, nil),
            define("+", { context, _, arguments in DecimalFunctions.compute(context, arguments, +) }),
            define("-", { context, _, arguments in DecimalFunctions.compute(context, arguments, -) }),
            define(
                "*",
                { context, _, arguments in
                    DecimalFunctions.compute(context, arguments) { DecimalFunctions.product($0, $1) }
                }),
        ]
        guard codes.allSatisfy({ $0 == SQLITE_OK }) else { throw SQLiteError(of: database) }
    }

    // MARK: Order

    /// Compares two decimal numbers as SQLite stores them. Other texts come first, ordered by their bytes.
    ///
    /// - Returns: A negative number if `left` is less, a positive number if it is greater, and 0 if both are equal.
    static func compare(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Int32 {
        switch (Digits(left), Digits(right)) {
        case (let left?, let right?):
            if left.isNegative != right.isNegative { return left.isNegative ? -1 : 1 }
            let order = left.compareMagnitude(to: right)
            return left.isNegative ? -order : order
        case (nil, _?): return -1
        case (_?, nil): return 1
        case (nil, nil): return left.elementsEqual(right) ? 0 : left.lexicographicallyPrecedes(right) ? -1 : 1
        }
    }

    /// The parts of a decimal number: its sign, and its digits without zeros at either end.
    private struct Digits {
        var isNegative = false
        /// The digits before the point.
        var whole: Slice<UnsafeRawBufferPointer>
        /// The digits after the point.
        var fraction: Slice<UnsafeRawBufferPointer>

        /// Finds the parts of `text`; nil if it is not a decimal number.
        init?(_ text: UnsafeRawBufferPointer) {
            var rest = text[...]
            if rest.first == 0x2d {
                isNegative = true
                rest = rest.dropFirst()
            }
            let point = rest.firstIndex(of: 0x2e)
            whole = rest[..<(point ?? rest.endIndex)]
            fraction = rest[(point.map { $0 + 1 } ?? rest.endIndex)...]
            let isDigit = { (byte: UInt8) in (0x30...0x39).contains(byte) }
            guard !whole.isEmpty, point == nil || !fraction.isEmpty, whole.allSatisfy(isDigit),
                fraction.allSatisfy(isDigit)
            else { return nil }
            whole = whole.drop { $0 == 0x30 }
            while fraction.last == 0x30 { fraction = fraction.dropLast() }
            if whole.isEmpty && fraction.isEmpty { isNegative = false }
        }

        func compareMagnitude(to other: Digits) -> Int32 {
            if whole.count != other.whole.count { return whole.count < other.whole.count ? -1 : 1 }
            for (left, right) in [(whole, other.whole), (fraction, other.fraction)]
            where !left.elementsEqual(right) {
                return left.lexicographicallyPrecedes(right) ? -1 : 1
            }
            return 0
        }
    }

    /// The error for a result that is too great, or too near to zero.
    static let outOfRange = "a decimal number is out of range"

    // MARK: Sums

    /// The sum of the rows so far. SQLite provides the memory, filled with zeros, and never deinitializes it.
    private struct Sum {
        var value: Decimal
        var hasValue: Bool
    }

    private static func step(_ context: OpaquePointer?, _ argument: OpaquePointer?) {
        guard sqlite3_value_type(argument) != SQLITE_NULL, let number = decimal(argument, context) else { return }
        guard let memory = sqlite3_aggregate_context(context, Int32(MemoryLayout<Sum>.size)) else {
            return sqlite3_result_error_nomem(context)
        }
        let sum = memory.bindMemory(to: Sum.self, capacity: 1)
        sum.pointee = Sum(value: sum.pointee.hasValue ? sum.pointee.value + number : number, hasValue: true)
    }

    private static func finish(_ context: OpaquePointer?) {
        let memory = sqlite3_aggregate_context(context, 0)
        guard let sum = memory?.bindMemory(to: Sum.self, capacity: 1).pointee, sum.hasValue else {
            return sqlite3_result_null(context)
        }
        give(sum.value, to: context)
    }

    /// Gives the result of `operation` on two numbers; NULL if one of them is NULL.
    private static func compute(
        _ context: OpaquePointer?, _ arguments: UnsafeMutablePointer<OpaquePointer?>?,
        _ operation: (Decimal, Decimal) -> Decimal
    ) {
        guard sqlite3_value_type(arguments?[0]) != SQLITE_NULL, sqlite3_value_type(arguments?[1]) != SQLITE_NULL else {
            return sqlite3_result_null(context)
        }
        guard let left = decimal(arguments?[0], context), let right = decimal(arguments?[1], context) else { return }
        give(operation(left, right), to: context)
    }

    /// Returns the product of two numbers; NaN if it is out of range. Foundation traps if the exponent is too small.
    private static func product(_ left: Decimal, _ right: Decimal) -> Decimal {
        let exponent = left.exponent + right.exponent
        if exponent >= leastExponent || left.isZero || right.isZero { return left * right }
        let digits = left.significand * right.significand
        if exponent + digits.exponent < leastExponent { return .nan }
        return Decimal(
            sign: left.sign == right.sign ? .plus : .minus, exponent: exponent + digits.exponent,
            significand: digits.significand.magnitude)
    }

    /// The least exponent of a decimal number.
    private static let leastExponent = -128

    private static func decimal(_ argument: OpaquePointer?, _ context: OpaquePointer?) -> Decimal? {
        guard let text = sqlite3_value_text(argument), let value = Decimal(stored: String(cString: text)) else {
            sqlite3_result_error(context, "a value is not a decimal number", -1)
            return nil
        }
        return value
    }

    private static func give(_ value: Decimal, to context: OpaquePointer?) {
        if value.isNaN { return sqlite3_result_error(context, outOfRange, -1) }
        SQLiteValue(value).give(to: context)
    }
}
