import Foundation

/// The progress of a command that takes longer than a second, as one line on a terminal:
///
///     converting  [████████░░░░░░░░░░░░]  40 %  400,000 of 1,000,000 rows  200,000/s  3 s left
///
/// Several threads can update it.
package final class ProgressLine: Sendable {
    private let title: String
    private let unit: String
    /// Writes the line without a line break; nil off a terminal.
    private let draw: (@Sendable (String) -> Void)?
    private let now: @Sendable () -> TimeInterval
    private let start: TimeInterval
    private let lock = NSLock()
    /// The time of the last line; nil before the first one. Guarded by the lock.
    nonisolated(unsafe) private var drawn: TimeInterval?
    /// The number of units that `advance` has counted. Guarded by the lock.
    nonisolated(unsafe) private var count = 0

    /// The line appears after this time, in seconds.
    private static let delay = 1.0
    /// The least time between two lines, in seconds.
    private static let interval = 0.1
    private static let width = 20

    init(
        _ title: String, unit: String, draw: (@Sendable (String) -> Void)?,
        now: @escaping @Sendable () -> TimeInterval
    ) {
        self.title = title
        self.unit = unit
        self.draw = draw
        self.now = now
        start = now()
    }

    /// Shows that `completed` of `total` units are done.
    package func update(_ completed: Int, of total: Int) {
        guard let draw else { return }
        lock.withLock {
            let time = now()
            let isFirst = drawn == nil && time - start >= Self.delay
            guard isFirst || drawn.map({ time - $0 >= Self.interval }) == true else { return }
            drawn = time
            draw("\r\u{1b}[K" + text(completed, of: max(total, completed), after: time - start))
        }
    }

    /// Counts a unit of `total`.
    package func advance(of total: Int) {
        let count = lock.withLock {
            self.count += 1
            return self.count
        }
        update(count, of: total)
    }

    /// Removes the line.
    package func end() {
        lock.withLock {
            if drawn != nil { draw?("\r\u{1b}[K") }
            drawn = nil
        }
    }

    private func text(_ completed: Int, of total: Int, after seconds: TimeInterval) -> String {
        let part = total == 0 ? 1 : Double(completed) / Double(total)
        let filled = Int(part * Double(Self.width))
        let bar = String(repeating: "█", count: filled) + String(repeating: "░", count: Self.width - filled)
        let rate = Double(completed) / seconds
        var text = "\(title)  [\(bar)]  \(Int(part * 100)) %"
        text += "  \(Self.grouped(completed)) of \(Self.grouped(total)) \(unit)"
        if rate >= 1 { text += "  \(Self.grouped(Int(rate)))/s" }
        if rate > 0 { text += "  \(Self.duration(Double(total - completed) / rate)) left" }
        return text
    }

    /// Returns a number with a comma between thousands.
    private static func grouped(_ number: Int) -> String {
        var text = ""
        for (index, digit) in String(number).reversed().enumerated() {
            if index > 0, index.isMultiple(of: 3) { text.append(",") }
            text.append(digit)
        }
        return String(text.reversed())
    }

    private static func duration(_ seconds: TimeInterval) -> String {
        let seconds = Int(seconds.rounded(.up))
        return seconds < 60 ? "\(seconds) s" : "\(seconds / 60) min \(seconds % 60) s"
    }
}
