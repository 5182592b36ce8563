import Foundation
import Podcasts
import Strata
import Testing

/// Parts of dates in time zones, compared with Foundation's calendar.
@Suite struct DateTests {
    private let library: Library

    init() throws {
        library = try Library()
        // Hours around a change to daylight saving time, ends of years, and dates of other centuries.
        let start = Date(timeIntervalSince1970: 1_743_290_000)
        try library.store.write { (transaction: WriteTransaction) throws in
            for (number, episode) in library.episodes.enumerated() {
                var episode = episode
                episode.date =
                    switch number % 3 {
                    case 0: start.addingTimeInterval(Double(number) * 997)
                    case 1: Date(timeIntervalSince1970: 1_735_603_200 + Double(number) * 3_600)
                    default: Date(timeIntervalSinceReferenceDate: Double(number - 45) * 91_234_567.25)
                    }
                try transaction.update(episode)
            }
        }
    }

    private var episodes: [Episode] { get throws { try library.store.read { try $0.fetch(Episode.self) } } }

    private func calendar(_ zone: TimeZone) -> Calendar {
        var calendar = Calendar(identifier: .iso8601)
        calendar.timeZone = zone
        return calendar
    }

    @Test(arguments: ["UTC", "Europe/Berlin", "America/New_York", "Asia/Kathmandu", "Pacific/Apia", "GMT+05:30"])
    func `parts of dates are those of the calendar`(name: String) throws {
        let zone = try #require(TimeZone(identifier: name))
        let calendar = calendar(zone)
        let rows = try library.store.read {
            try $0.fetch(
                Episode.all.orderBy { $0.id }.select {
                    (
                        $0.date.year(in: zone), $0.date.month(in: zone), $0.date.day(in: zone),
                        $0.date.weekday(in: zone), $0.date.hour(in: zone)
                    )
                })
        }
        for (episode, row) in zip(try episodes, rows) {
            let parts = calendar.dateComponents([.year, .month, .day, .weekday, .hour], from: episode.date)
            #expect(row == (parts.year ?? 0, parts.month ?? 0, parts.day ?? 0, parts.weekday ?? 0, parts.hour ?? 0))
        }
        let units: [(DateUnit, Calendar.Component)] = [
            (.year, .year), (.month, .month), (.week, .weekOfYear), (.day, .day), (.hour, .hour),
        ]
        for (unit, component) in units {
            let starts = try library.store.read {
                try $0.fetch(Episode.all.orderBy { $0.id }.select { $0.date.start(of: unit, in: zone) })
            }
            let expected = try episodes.map { calendar.dateInterval(of: component, for: $0.date)?.start }
            #expect(starts == expected)
        }
    }

    @Test func `a time zone may have an offset with seconds`() throws {
        let zone = try #require(TimeZone(secondsFromGMT: -12_345))
        let calendar = calendar(zone)
        let starts = try library.store.read {
            try $0.fetch(Episode.all.orderBy { $0.id }.select { $0.date.start(of: .day, in: zone) })
        }
        #expect(starts == (try episodes.map { calendar.startOfDay(for: $0.date) }))
    }

    @Test func `rows are grouped by parts of dates`() throws {
        let zone = try #require(TimeZone(identifier: "Europe/Berlin"))
        let calendar = calendar(zone)
        let groups = try library.store.read {
            try $0.fetch(
                Episode.all.grouped { ($0.date.year(in: zone), $0.date.month(in: zone)) }
                    .having { $0.count > 1 }.orderBy { [$0.key.0.ascending, $0.key.1.ascending] }
                    .select { ($0.key.0, $0.key.1, $0.count, $0.max { $0.seconds }) })
        }
        let expected = Dictionary(grouping: try episodes) {
            calendar.component(.year, from: $0.date) * 12 + calendar.component(.month, from: $0.date) - 1
        }.filter { $0.value.count > 1 }.sorted { $0.key < $1.key }
        #expect(groups.map { $0.0 * 12 + $0.1 - 1 } == expected.map(\.key))
        #expect(groups.map(\.2) == expected.map(\.value.count))
        #expect(groups.map(\.3) == expected.map { $0.value.map(\.seconds).max() })
        let hours = try library.store.read {
            try $0.fetch(Episode.all.grouped { $0.date.start(of: .hour, in: zone) }.select { ($0.key, $0.count) })
        }
        let byHour = Dictionary(grouping: try episodes) { calendar.dateInterval(of: .hour, for: $0.date)?.start }
        #expect(hours.count == byHour.count && hours.allSatisfy { byHour[$0.0]?.count == $0.1 })
    }

    @Test func `a date that may be nil has parts that may be nil, and no calendar counts all dates`() throws {
        let zone = try #require(TimeZone(identifier: "UTC"))
        let since = try library.store.read {
            try $0.fetch(Podcast.all.orderBy { $0.id }.select { $0.trailer.date.year(in: zone) })
        }
        let dates = try library.podcasts.map { podcast in try episodes.first { $0.id == podcast.trailerID }?.date }
        #expect(since == dates.map { $0.map { calendar(zone).component(.year, from: $0) } })
        for seconds in [Double.infinity, -1e15] {
            try library.store.write {
                try $0.update(Episode.all) { [$0.date.set(to: Date(timeIntervalSinceReferenceDate: seconds))] }
            }
            let error = #expect(throws: SQLiteError.self) {
                try library.store.read { try $0.fetch(Episode.all.select { $0.date.month(in: zone) }) }
            }
            #expect(error?.message == "the date has no parts: it is too far away, or the time zone is unknown")
        }
    }
}
