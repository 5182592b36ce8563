import Foundation
import Testing

@testable import Strata

@Suite struct EqualityTests {
    enum Mood: String { case calm, glad }

    struct Values {
        var count = 1
        var optionalCount: Int? = 1
        var price = 1.5
        var optionalPrice: Double? = 1.5
        var date = Date(timeIntervalSinceReferenceDate: 1)
        var optionalDate: Date? = Date(timeIntervalSinceReferenceDate: 1)
        var isDone = true
        var name = "caf\u{e9}"
        var optionalName: String? = "caf\u{e9}"
        var names = ["caf\u{e9}"]
        var optionalNames: [String]? = ["caf\u{e9}"]
        var mood = Mood.calm
        var optionalMood: Mood? = .calm
        var bytes = Data([1])
        var local = 1

        static var stored: [PartialKeyPath<Values>] {
            [
                \.count, \.optionalCount, \.price, \.optionalPrice, \.date, \.optionalDate, \.isDone, \.name,
                \.optionalName, \.names,
                \.optionalNames, \.mood, \.optionalMood, \.bytes,
            ]
        }
    }

    /// One change of each stored property, and of its being nil.
    static let changes: [@Sendable (inout Values) -> Void] = [
        { $0.count = 2 }, { $0.optionalCount = 2 }, { $0.optionalCount = nil }, { $0.price = 2 },
        { $0.optionalPrice = 2 },
        { $0.optionalPrice = nil }, { $0.date += 1 }, { $0.optionalDate? += 1 }, { $0.optionalDate = nil },
        { $0.isDone = false },
        { $0.name = "cafe\u{301}" }, { $0.optionalName = "cafe\u{301}" }, { $0.optionalName = nil },
        { $0.names = ["cafe\u{301}"] },
        { $0.names = [] }, { $0.optionalNames = ["cafe\u{301}"] }, { $0.optionalNames = nil },
        { $0.optionalNames = [] },
        { $0.mood = .glad }, { $0.optionalMood = .glad }, { $0.optionalMood = nil }, { $0.bytes = Data() },
    ]

    @Test(arguments: changes.indices) func `a change of a stored property is a difference`(_ index: Int) throws {
        let comparison = try #require(EntityComparison(Values.stored))
        var changed = Values()
        Self.changes[index](&changed)
        #expect(comparison.areEqual(changed, changed))
        #expect(!comparison.areEqual(Values(), changed))
        #expect(!comparison.areEqual(changed, Values()))
    }

    @Test func `equal values in other memory are equal, and a property that is not stored is not compared`() throws {
        let comparison = try #require(EntityComparison(Values.stored))
        var other = Values()
        other.names = [["caf"].joined() + "\u{e9}"]
        other.bytes = Data([UInt8](repeating: 1, count: 1))
        other.local = 2
        #expect(comparison.areEqual(Values(), other))
    }
}
