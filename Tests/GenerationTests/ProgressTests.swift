import Commands
import Foundation
import ModelCommands
import Strata
import Testing

/// The line that shows the progress of a command on a terminal.
@Suite struct ProgressTests {
    /// A terminal with a clock that a test sets.
    private struct Terminal {
        let drawn = Locked([String]())
        let time = Locked(0.0)

        var console: Console {
            Console(
                say: { _ in }, complain: { _ in }, draw: { [drawn] text in drawn.withLock { $0.append(text) } },
                now: { [time] in time.withLock { $0 } })
        }
        var lines: [String] { drawn.withLock { $0 } }
        func wait(_ seconds: Double) { time.withLock { $0 += seconds } }
    }

    private static let clear = "\r\u{1b}[K"

    @Test func `a line appears after a second and shows a bar, the rate and the time left`() {
        let terminal = Terminal()
        let line = terminal.console.progress("converting", unit: "rows")
        terminal.wait(0.9)
        line.update(100_000, of: 1_000_000)
        #expect(terminal.lines == [])
        terminal.wait(1.1)
        line.update(400_000, of: 1_000_000)
        #expect(
            terminal.lines == [
                Self.clear + "converting  [████████░░░░░░░░░░░░]  40 %  400,000 of 1,000,000 rows  200,000/s  3 s left"
            ])
        // More than ten lines a second cannot be read.
        terminal.wait(0.05)
        line.update(500_000, of: 1_000_000)
        #expect(terminal.lines.count == 1)
        terminal.wait(97.95)
        line.update(500_000, of: 1_000_000)
        #expect(terminal.lines.last?.hasSuffix("50 %  500,000 of 1,000,000 rows  5,000/s  1 min 40 s left") == true)
        line.end()
        line.end()
        #expect(terminal.lines.count == 3 && terminal.lines.last == Self.clear)
    }

    @Test func `a short command and a command off a terminal draw nothing`() {
        let terminal = Terminal()
        let line = terminal.console.progress("checking", unit: "tables")
        line.update(1, of: 2)
        line.end()
        #expect(terminal.lines == [])
        let other = Console(say: { _ in }, complain: { _ in }, now: { terminal.time.withLock { $0 } })
            .progress("checking", unit: "tables")
        terminal.wait(10)
        other.update(1, of: 2)
        other.end()
        #expect(terminal.lines == [])
    }

    @Test func `document shows its progress unless it is to be quiet`() throws {
        let model = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("Entities/Movies").path
        let page = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString + ".html")
        defer { try? FileManager.default.removeItem(at: page) }
        for quiet in [[], ["--quiet"]] {
            let terminal = Terminal()
            // Each look at the clock takes two seconds.
            let console = Console(
                say: { _ in }, complain: { _ in },
                draw: { text in terminal.drawn.withLock { $0.append(text) } },
                now: {
                    terminal.wait(2)
                    return terminal.time.withLock { $0 }
                })
            #expect(
                Command.run(["document", model, "--to", page.path] + quiet, console: console, others: ModelCommand.all)
                    == .success)
            #expect(
                terminal.lines.contains { $0.contains("documenting  [") && $0.contains(" of 2 steps") } == quiet.isEmpty
            )
            #expect(quiet.isEmpty || terminal.lines == [])
        }
    }
}
