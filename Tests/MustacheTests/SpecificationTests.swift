import Foundation
import Mustache
import Testing

/// The core modules of the Mustache specification, if a folder beside the project contains them.
@Suite struct SpecificationTests {
    static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("shared/corpus/mustache")
    static let isPresent = FileManager.default.fileExists(atPath: folder.path)

    @Test(
        .enabled(if: isPresent),
        arguments: ["comments", "delimiters", "interpolation", "inverted", "partials", "sections"])
    func `every case of a specification module passes`(module: String) throws {
        let data = try Data(contentsOf: Self.folder.appendingPathComponent(module + ".json"))
        let file = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        let cases = try #require(file["tests"] as? [[String: Any]])
        #expect(cases.count > 5)
        for test in cases {
            let name = test["name"] as? String ?? ""
            var templates = test["partials"] as? [String: String] ?? [:]
            templates["main template"] = test["template"] as? String
            let renderer = Renderer(templates, escaping: .html, missingNames: .empty)
            let text = try renderer.render("main template", Self.value(test["data"] ?? NSNull()))
            #expect(text == test["expected"] as? String, "\(module): \(name)")
        }
    }

    private static func value(_ json: Any) -> Value {
        switch json {
        case let text as String: .text(text)
        case let list as [Any]: .list(list.map(value))
        case let object as [String: Any]: .object(object.mapValues(value))
        case let number as NSNumber:
            String(cString: number.objCType) == "c" ? .flag(number.boolValue) : .text("\(number)")
        default: .null
        }
    }
}
