import Foundation
import Strata

/// What rows are drawn from: the same seed draws the same rows on every machine.
struct RandomRows: RandomNumberGenerator {
    /// The seed.
    let seed: UInt64
    /// The number of rows that a table has at most.
    let count: Int
    private var state: UInt64

    init(seed: UInt64, count: Int) {
        self.seed = seed
        self.count = count
        state = seed
    }

    /// The rows that the environment asks for: `STRATA_SEED` says from which seed, `STRATA_ROWS` how many.
    ///
    /// - Parameter count: The greatest number of rows of a table where nothing is said.
    static func fromEnvironment(count: Int) -> RandomRows {
        let environment = ProcessInfo.processInfo.environment
        return RandomRows(
            seed: environment["STRATA_SEED"].flatMap { UInt64($0) } ?? UInt64.random(in: 0...UInt64(UInt32.max)),
            count: environment["STRATA_ROWS"].flatMap { Int($0) } ?? count)
    }

    /// SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014).
    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var value = state
        value = (value ^ (value >> 30)) &* 0xbf58_476d_1ce4_e5b9
        value = (value ^ (value >> 27)) &* 0x94d0_49bb_1331_11eb
        return value ^ (value >> 31)
    }

    /// Whether something of that probability is so.
    mutating func holds(_ probability: Double) -> Bool { Double.random(in: 0..<1, using: &self) < probability }

    /// Puts elements into any order.
    mutating func shuffle<Element>(_ elements: inout [Element]) { elements.shuffle(using: &self) }

    /// None or a few of the elements, in any order.
    mutating func some<Element>(of elements: [Element]) -> [Element] {
        let count = elements.isEmpty || holds(0.3) ? 0 : Int.random(in: 0...min(5, elements.count), using: &self)
        var places: Set<Int> = []
        var some: [Element] = []
        while some.count < count {
            let place = Int.random(in: elements.indices, using: &self)
            if places.insert(place).inserted { some.append(elements[place]) }
        }
        return some
    }

    /// The number of rows of a table: none, one, few or all.
    mutating func size() -> Int {
        switch Int.random(in: 0..<10, using: &self) {
        case 0: 0
        case 1: 1
        case 2...4: Int.random(in: 2...max(2, count / 4), using: &self)
        default: count
        }
    }

    /// How often a foreign key leads nowhere: in most databases never, as SQLite sees to it while it is asked to.
    mutating func danglingRate() -> Double { holds(0.75) ? 0 : [0.1, 0.5].randomElement(using: &self) ?? 0 }

    /// A value of `type`: one of `edges`, or any.
    private mutating func value(of type: ColumnType, _ edges: [SQLiteValue]) -> SQLiteValue {
        if holds(0.5), let edge = edges.randomElement(using: &self) { return edge }
        switch type {
        case .int, .milliseconds: return .integer(Int64(bitPattern: next()))
        case .double, .seconds, .date: return .real(Double.random(in: -1e9...1e9, using: &self))
        case .float: return .real(Double(Float.random(in: -1e9...1e9, using: &self)))
        case .string:
            let characters = Array("aB 0%_'\"\\\u{0}\n\u{301}é語🧺")
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
        case .bool, .texts, .integers: return edges.randomElement(using: &self) ?? .null
        }
    }

    /// How often something is so: never, seldom, often, always.
    private mutating func rate() -> Double { [0, 0.1, 0.5, 1].randomElement(using: &self) ?? 0 }

    /// The values of a column that is not unique, one for each row: of few or many, with none, some or only NULLs.
    mutating func values(of type: ColumnType, count: Int, nullable isNullable: Bool) -> [SQLiteValue] {
        let nulls = isNullable ? rate() : 0
        let edges = SampleValues.values(of: type)
        let pool = holds(0.3) ? (0..<2).map { _ in value(of: type, edges) } : []
        return (0..<count).map { _ in
            if holds(nulls) { return .null }
            return pool.randomElement(using: &self) ?? value(of: type, edges)
        }
    }

    /// The targets of a column that is not unique, one for each row: all the same, or any, with none, some or only NULLs.
    mutating func targets(_ pool: [[SQLiteValue]], count: Int, none: [SQLiteValue]?) -> [[SQLiteValue]] {
        let nulls = none == nil ? 0 : rate()
        let pool = holds(0.2) ? Array(pool.prefix(1)) : pool
        return (0..<count).map { _ in
            if let none, holds(nulls) { return none }
            return pool.randomElement(using: &self) ?? none ?? []
        }
    }
}
