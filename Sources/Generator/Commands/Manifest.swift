import Foundation

/// A Package.swift as text. Its targets are found by their usual form, because only SwiftPM can evaluate it.
package struct Manifest {
    let file: URL
    package let text: String

    /// Reads the manifest of the package in a folder; nil if there is none.
    package init?(of package: URL) {
        file = package.appendingPathComponent("Package.swift")
        guard let text = try? String(contentsOf: file, encoding: .utf8) else { return nil }
        self.text = text
    }

    /// The calls that declare targets, by name. The name of a target is also that of a dependency, in a shorter call.
    private var declarations: [String: Substring] {
        let calls = text.matches(of: /\.(?:executableTarget|target|testTarget)\(\s*name:\s*"([^"]*)"/).map { start in
            var depth = 0
            let end = text[start.range.lowerBound...].firstIndex { character in
                depth += character == "(" ? 1 : character == ")" ? -1 : 0
                return depth == 0 && character == ")"
            }
            return (String(start.1), text[start.range.lowerBound..<(end ?? text.endIndex)])
        }
        return Dictionary(calls) { $0.count < $1.count ? $1 : $0 }
    }

    /// The names of the targets, without tests.
    package var targets: [String] { declarations.filter { !$0.value.hasPrefix(".testTarget") }.keys.sorted() }

    /// Returns whether there is a test target with a name.
    package func hasTests(_ name: String) -> Bool { declaration(of: name)?.hasPrefix(".testTarget") == true }

    /// Returns the folder of a target; nil if it is the usual one.
    package func path(of target: String) -> String? {
        declaration(of: target)?.firstMatch(of: /\bpath:\s*"([^"]*)"/).map { String($0.1) }
    }

    /// Returns the call that declares a target; nil if there is none.
    func declaration(of target: String) -> Substring? { declarations[target] }

    /// Whether code names a constant, which may hold anything. Every other word is a label, a member after a dot, or text in quotes.
    static func namesConstant(_ code: Substring) -> Bool {
        code.replacing(/"[^"]*"/, with: "\"\"").matches(of: /(\.?)\b([A-Za-z_]\w*)\s*(:?)/)
            .contains { $0.1.isEmpty && $0.3.isEmpty }
    }
}
