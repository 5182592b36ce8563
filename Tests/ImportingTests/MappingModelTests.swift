import Foundation
import SchemaModel
import Testing

/// Imports Core Data models with mapping models.
@Suite struct MappingModelTests {
    /// The archived expression `$source.mail`, and an archived constant.
    private static let key =
        "YnBsaXN0MDDUAQIDBAUGNzpZJGFyY2hpdmVyWCRvYmplY3RzVCR0b3BYJHZlcnNpb25fEA9OU0tleWVkQXJjaGl2ZXKsBwgTFBka"
        + "HyQlLTA0VSRudWxs1QkKCwwNDg8QERJWJGNsYXNzW05TQXJndW1lbnRzXxAQTlNFeHByZXNzaW9uVHlwZVlOU09wZXJhbmReTlNT"
        + "ZWxlY3Rvck5hbWWACIAFEAOAA4ACXxAQdmFsdWVGb3JLZXlQYXRoOtMJCxUWFxhaTlNWYXJpYWJsZYAJEAKABFZzb3VyY2XSCRsc"
        + "HVpOUy5vYmplY3RzgAqhHoAG0wkLICEiI1lOU0tleVBhdGiACxAKgAdUbWFpbNImJygpWCRjbGFzc2VzWiRjbGFzc25hbWWkKSor"
        + "LF8QE05TS2V5UGF0aEV4cHJlc3Npb25fEBROU0Z1bmN0aW9uRXhwcmVzc2lvblxOU0V4cHJlc3Npb25YTlNPYmplY3TSJicuL6Mv"
        + "KyxfEBROU1ZhcmlhYmxlRXhwcmVzc2lvbtImJzEyozIzLF5OU011dGFibGVBcnJheVdOU0FycmF50iYnNTajNissXxAcTlNLZXlQ"
        + "YXRoU3BlY2lmaWVyRXhwcmVzc2lvbtE4OVRyb290gAESAAGGoAAIABEAGwAkACkAMgBEAFEAVwBiAGkAdQCIAJIAoQCjAKUApwCp"
        + "AKsAvgDFANAA0gDUANYA3QDiAO0A7wDxAPMA+gEEAQYBCAEKAQ8BFAEdASgBLQFDAVoBZwFwAXUBeQGQAZUBmQGoAbABtQG5AdgB"
        + "2wHgAeIAAAAAAAACAQAAAAAAAAA7AAAAAAAAAAAAAAAAAAAB5w=="
    private static let constant =
        "YnBsaXN0MDDUAQIDBAUGFxpZJGFyY2hpdmVyWCRvYmplY3RzVCR0b3BYJHZlcnNpb25fEA9OU0tleWVkQXJjaGl2ZXKkBwgPEFUk"
        + "bnVsbNMJCgsMDQ5WJGNsYXNzXxAPTlNDb25zdGFudFZhbHVlXxAQTlNFeHByZXNzaW9uVHlwZYADgAIQAFd1bmtub3du0hESExRY"
        + "JGNsYXNzZXNaJGNsYXNzbmFtZaMUFRZfEBlOU0NvbnN0YW50VmFsdWVFeHByZXNzaW9uXE5TRXhwcmVzc2lvblhOU09iamVjdNEY"
        + "GVRyb290gAESAAGGoAgRGyQpMkRJT1Zdb4KEhoiQlZ6prcnW3+Ln6QAAAAAAAAEBAAAAAAAAABsAAAAAAAAAAAAAAAAAAADu"

    private static let first = """
        <entity name="User"><attribute name="mail" attributeType="String" optional="YES"/>
        <attribute name="age" attributeType="Integer 16" optional="YES"/></entity>
        <entity name="Log"><attribute name="line" attributeType="String" optional="YES"/></entity>
        """
    private static let second = """
        <entity name="Account"><attribute name="email" attributeType="String" optional="YES"/>
        <attribute name="age" attributeType="Integer 16" optional="YES"/>
        <attribute name="origin" attributeType="String" optional="YES"/></entity>
        <entity name="Log"><attribute name="line" attributeType="String" optional="YES"/></entity>
        """

    private static func mapping(from source: String, to destination: String) -> String {
        """
        <?xml version="1.0" standalone="yes"?>
        <!DOCTYPE database SYSTEM "file:///System/Library/DTDs/CoreData.dtd">
        <database>
            <databaseInfo><version>134481920</version></databaseInfo>
            <object type="XDDEVATTRIBUTEMAPPING" id="z1">
                <attribute name="name" type="string">email</attribute>
                <attribute name="valueexpressiondata" type="binary">\(key)</attribute>
            </object>
            <object type="XDDEVATTRIBUTEMAPPING" id="z2">
                <attribute name="name" type="string">age</attribute>
                <attribute name="autogenerateexpression" type="bool">1</attribute>
            </object>
            <object type="XDDEVATTRIBUTEMAPPING" id="z3">
                <attribute name="name" type="string">origin</attribute>
                <attribute name="valueexpressiondata" type="binary">\(constant)</attribute>
            </object>
            <object type="XDDEVENTITYMAPPING" id="z4">
                <attribute name="sourcename" type="string">User</attribute>
                <attribute name="destinationname" type="string">Account</attribute>
                <attribute name="migrationpolicyclassname" type="string">UserToAccountPolicy</attribute>
                <attribute name="mappingtypename" type="string">Undefined</attribute>
                <relationship name="attributemappings" type="0/0" destination="XDDEVATTRIBUTEMAPPING" idrefs="z1 z2 z3"></relationship>
            </object>
            <object type="XDDEVMAPPINGMODEL" id="z5">
                <attribute name="sourcemodelpath" type="string">App/M.xcdatamodeld/\(source).xcdatamodel</attribute>
                <attribute name="destinationmodelpath" type="string">App/M.xcdatamodeld/\(destination).xcdatamodel</attribute>
            </object>
        </database>
        """
    }

    private func imported(_ arguments: [String] = [], _ change: (Workspace) throws -> Void) throws -> (
        Workspace, (code: Int32, complaints: [String])
    ) {
        let workspace = try Workspace()
        try workspace.writeCoreData("M", [Self.first, Self.second])
        try workspace.write(Self.mapping(from: "M", to: "M 2"), to: "maps/M1toM2.xcmappingmodel/xcmapping.xml")
        try change(workspace)
        let result = workspace.run(
            all: [
                "import", "core-data", workspace.path("M.xcdatamodeld"), "--into", workspace.path("out"),
                "--mapping-models", workspace.path("maps"),
            ] + arguments)
        return (workspace, (result.code.rawValue, result.complaints))
    }

    @Test func `renames are taken, and policy classes and computed values are named`() throws {
        let (workspace, result) = try imported { _ in }
        #expect(result.code == 0, "\(result.complaints)")
        #expect(
            try workspace.lines("out", "2.0") == [
                "Account | key id: int | age: int? | email: string? | origin: string?",
                "Log | key id: int | line: string?",
            ])
        let text = try workspace.text("out/Account.json")
        #expect(text.contains("\"previous_name\": \"User\"") && text.contains("\"previous_name\": \"mail\""))
        #expect(
            try workspace.history("out").steps[0].customReasons == ["`Account` asks for a custom migration"])
        let report = try workspace.text("out/IMPORT.md")
        #expect(report.contains("| 2.0 | Account | UserToAccountPolicy migrates it, in M1toM2.xcmappingmodel |"))
        #expect(report.contains("| 2.0 | Account.origin | M1toM2.xcmappingmodel computes its values |"))
    }

    @Test func `an answer of yours has precedence`() throws {
        let (workspace, result) = try imported(["--renames", "RENAMES"]) { _ in }
        #expect(result.code == 1 && result.complaints[0].contains("it cannot be read"))
        try workspace.write("{ \"M 2\": { \"User\": null } }", to: "answers.json")
        let second = workspace.run(
            "import", "core-data", workspace.path("M.xcdatamodeld"), "--into", workspace.path("other"),
            "--mapping-models",
            workspace.path("maps"), "--renames", workspace.path("answers.json"))
        #expect(second.code == .success, "\(second.complaints)")
        #expect(try !workspace.text("other/Account.json").contains("previous_name"))
    }

    @Test func `a mapping model of other versions is reported, and a damaged one is refused`() throws {
        let (workspace, result) = try imported { workspace in
            try workspace.write(
                Self.mapping(from: "M 2", to: "M 9"), to: "maps/More/M2toM9.xcmappingmodel/xcmapping.xml")
        }
        #expect(result.code == 0, "\(result.complaints)")
        #expect(
            try workspace.text("out/IMPORT.md").contains(
                "| 2.0 | the model | M2toM9.xcmappingmodel leads from M 2 to M 9, which do not follow each other here |"
            ))
        for (text, message) in [
            ("", "it is not the XML of a mapping model"), ("<database><object", "it is not the XML of a mapping model"),
            ("<database></database>", "it is not the XML of a mapping model"),
            ("<database><object type=\"X\" id=\"1\"/></database>", "it does not name the two versions"),
            ("<!DOCTYPE d [<!ENTITY a \"b\">]><database>&a;</database>", "it is not a mapping model in UTF-8"),
        ] {
            let (_, result) = try imported { try $0.write(text, to: "maps/Bad.xcmappingmodel/xcmapping.xml") }
            #expect(result.code == 1 && result.complaints[0].contains(message), "\(text): \(result.complaints)")
        }
    }
}
