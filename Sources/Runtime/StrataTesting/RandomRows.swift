import Foundation
import Strata

/// A source of random rows. The same seed gives the same rows on every machine.
struct RandomRows: RandomNumberGenerator {
    let seed: UInt64
    /// The greatest number of rows in a table.
    let count: Int
    /// The tables that have as many rows as possible, with all sample values in random combinations; nil if the rows of
    /// all tables are random.
    let completed: Set<String>?
    private var state: UInt64

    init(seed: UInt64, count: Int, completing completed: Set<String>? = nil) {
        self.seed = seed
        self.count = count
        self.completed = completed
        state = seed
    }

    /// Returns rows for a database with all sample values in some tables, and few rows in the others.
    ///
    /// - Parameters:
    ///   - tables: The tables with all sample values.
    ///   - count: The number of their rows. A fault may affect only rows after the hundredth, or every fiftieth.
    func completing(_ tables: Set<String>, count: Int = 320) -> RandomRows {
        RandomRows(seed: seed, count: count, completing: tables)
    }

    /// Creates the source of random rows that the environment describes.
    ///
    /// `STRATA_SEED` is the seed. Without it, the seed is random. `STRATA_ROWS` is the greatest number of rows in a
    /// table.
    ///
    /// - Parameter count: The greatest number of rows in a table if `STRATA_ROWS` is not set.
    static func fromEnvironment(count: Int) -> RandomRows {
        let environment = ProcessInfo.processInfo.environment
        return RandomRows(
            seed: environment["STRATA_SEED"].flatMap { UInt64($0) } ?? UInt64.random(in: 0...UInt64(UInt32.max)),
            count: environment["STRATA_ROWS"].flatMap { Int($0) } ?? count)
    }

    /// Returns the next number of SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators",
    /// 2014).
    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var value = state
        value = (value ^ (value >> 30)) &* 0xbf58_476d_1ce4_e5b9
        value = (value ^ (value >> 27)) &* 0x94d0_49bb_1331_11eb
        return value ^ (value >> 31)
    }

    /// Returns true with the given probability.
    mutating func holds(_ probability: Double) -> Bool { Double.random(in: 0..<1, using: &self) < probability }

    /// Puts elements into random order.
    mutating func shuffle<Element>(_ elements: inout [Element]) { elements.shuffle(using: &self) }

    /// Returns up to five of the elements in random order, and none of them twice.
    mutating func some<Element>(of elements: [Element]) -> [Element] {
        let count = elements.isEmpty || holds(0.3) ? 0 : Int.random(in: 0...min(5, elements.count), using: &self)
        var indexes: Set<Int> = []
        var some: [Element] = []
        while some.count < count {
            let index = Int.random(in: elements.indices, using: &self)
            if indexes.insert(index).inserted { some.append(elements[index]) }
        }
        return some
    }

    /// Returns the number of rows of a table: none, one, few or `count`.
    mutating func size(of table: String) -> Int {
        if let completed { return completed.contains(table) ? count : 4 }
        return switch Int.random(in: 0..<10, using: &self) {
        case 0: 0
        case 1: 1
        case 2...4: Int.random(in: 2...max(2, count / 4), using: &self)
        default: count
        }
    }

    /// Returns the probability that a foreign key dangles.
    ///
    /// It is 0 in most databases, because most apps let SQLite enforce foreign keys.
    mutating func danglingRate() -> Double {
        completed != nil || holds(0.75) ? 0 : [0.1, 0.5].randomElement(using: &self) ?? 0
    }

    /// Returns a random value of `type`, often one of `edges`.
    private mutating func value(of type: ColumnType, _ edges: [SQLiteValue]) -> SQLiteValue {
        if holds(0.5), let edge = edges.randomElement(using: &self) { return edge }
        switch type {
        case .int, .milliseconds: return .integer(Int64(bitPattern: next()))
        case .double, .seconds, .date: return .real(Double.random(in: -1e9...1e9, using: &self))
        case .float: return .real(Double(Float.random(in: -1e9...1e9, using: &self)))
        case .string:
            let characters = Array("aB 0%_'\"\\\u{0}\ne\u{301}é語🧺")
            return .text(
                String(
                    (0..<Int.random(in: 0...20, using: &self)).map { _ in characters.randomElement(using: &self) ?? "a"
                    }))
        case .data:
            return .blob(
                Data((0..<Int.random(in: 0...40, using: &self)).map { _ in UInt8(truncatingIfNeeded: next()) }))
        case .uuid: return .blob(Data((0..<16).map { _ in UInt8(truncatingIfNeeded: next()) }))
        case .url, .color, .decimal:
            return SampleValues.distinct(type, Int.random(in: 0..<10_000, using: &self)) ?? .null
        case .limited(let type, let limits):
            let number = Int.random(in: 0..<10_000, using: &self)
            return LimitedValues(type, limits).made(number) ?? edges.randomElement(using: &self) ?? .null
        case .bool, .texts, .integers: return edges.randomElement(using: &self) ?? .null
        }
    }

    /// Returns the probability of a rare or frequent event: never, seldom, often or always.
    private mutating func rate() -> Double {
        completed != nil ? 0.1 : [0, 0.1, 0.5, 1].randomElement(using: &self) ?? 0
    }

    /// Returns the values of a column that is not unique, one for each row.
    ///
    /// Some columns have only two different values. A nullable column has no NULLs, some NULLs or only NULLs. If the table
    /// has all sample values, they come first.
    mutating func values(of type: ColumnType, count: Int, nullable isNullable: Bool) -> [SQLiteValue] {
        let nulls = isNullable ? rate() : 0
        let edges = SampleValues.values(of: type)
        if completed != nil {
            var values = (SampleValues.long(of: type) + edges + (isNullable ? [.null] : [])).prefix(count)
            while values.count < count { values.append(holds(nulls) ? .null : value(of: type, edges)) }
            return values.shuffled(using: &self)
        }
        let pool = holds(0.3) ? (0..<2).map { _ in value(of: type, edges) } : []
        return (0..<count).map { _ in
            if holds(nulls) { return .null }
            return pool.randomElement(using: &self) ?? value(of: type, edges)
        }
    }

    /// Returns the targets of a foreign key that is not unique, one for each row.
    ///
    /// In some columns all targets are the same. A nullable column has no NULLs, some NULLs or only NULLs.
    ///
    /// - Parameters:
    ///   - pool: The primary keys of the target rows.
    ///   - count: The number of rows.
    ///   - none: The NULLs of a row without a target; nil if each row needs a target.
    mutating func targets(_ pool: [[SQLiteValue]], count: Int, none: [SQLiteValue]?) -> [[SQLiteValue]] {
        let nulls = none == nil ? 0 : rate()
        let pool = completed == nil && holds(0.2) ? Array(pool.prefix(1)) : pool
        return (0..<count).map { _ in
            if let none, holds(nulls) { return none }
            return pool.randomElement(using: &self) ?? none ?? []
        }
    }
}
