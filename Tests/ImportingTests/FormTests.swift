import Foundation
import SQLSchema
import StoreConversion
import Strata
import Testing

/// Reads values of other libraries' databases.
@Suite struct FormTests {
    @Test(arguments: [
        (ImportedForm.bool, SQLiteValue.integer(1), SQLiteValue.integer(1)), (.bool, .integer(0), .integer(0)),
        (.bool, .text("True"), .integer(1)), (.bool, .text("0"), .integer(0)),
        (.unixSeconds, .integer(978_307_201), .real(1)), (.unixSeconds, .real(978_307_200.5), .real(0.5)),
        (.unixMilliseconds, .integer(978_307_200_250), .real(0.25)),
        (.unixMicroseconds, .integer(978_307_200_000_000), .real(0)),
        (.referenceSeconds, .integer(-7), .real(-7)), (.julianDay, .real(2_451_911), .real(43_200)),
        (.dateText, .text("2001-01-01"), .real(0)), (.dateText, .text("2001-01-01 00:00:01.5"), .real(1.5)),
        (.dateText, .text("2001-01-01T01:00:00Z"), .real(3_600)),
        (.dateText, .text("2001-01-01T01:00+01:00"), .real(0)),
        (.dateText, .text("2000-12-31 23:00:00 -0100"), .real(0)),
        (.uuid, .text("00000000-0000-0000-0000-0000000000ff"), .blob(Data(repeating: 0, count: 15) + [255])),
        (.url, .text("https://a.b/c"), .text("https://a.b/c")), (.color, .text("#00FF00"), .text("#00FF00")),
        (.decimal, .integer(12), .text("12")), (.decimal, .real(0.1), .text("0.1")),
        (.decimal, .text("1.50"), .text("1.5")),
        (.choice(["a"]), .text("a"), .text("a")), (.json, .text("[1, {\"a\": null}]"), .text("[1, {\"a\": null}]")),
        (.entity(["Book"]), .text("Book"), .text("Book")), (.externalData, .blob(Data([1, 2])), .blob(Data([2]))),
        (.unixSeconds, .null, .null), (.choice([]), .null, .null),
    ])
    func `a value of the form is converted`(form: ImportedForm, value: SQLiteValue, result: SQLiteValue) {
        #expect(form.value(value, files: nil) == result)
    }

    @Test(arguments: [
        (ImportedForm.bool, SQLiteValue.integer(2)), (.bool, .real(1)), (.bool, .text("yes")),
        (.unixSeconds, .text("0")), (.unixSeconds, .real(.infinity)), (.julianDay, .blob(Data())),
        (.dateText, .text("2001-02-30")), (.dateText, .text("2001-01-01 24:00")), (.dateText, .text("today")),
        (.dateText, .integer(0)), (.dateText, .text("2001-01-01 00:00:61")), (.uuid, .blob(Data([1]))),
        (.uuid, .text("x")),
        // Foundation would change the characters of the URL, and SQLite would round the number.
        (.url, .text("https://a.b/ü")), (.referenceSeconds, .integer(9_007_199_254_740_993)),
        (.url, .text("")), (.color, .text("red")), (.decimal, .text("1,5")), (.decimal, .text("one")),
        (.decimal, .real(.infinity)), (.choice(["a"]), .text("b")), (.choice(["1"]), .integer(1)),
        (.json, .text("[1,")),
        (.archive, .blob(Data([1, 2, 3]))), (.archive, .text("[]")), (.externalData, .blob(Data([3]))),
        (.externalData, .blob(Data([2] + "../secret".utf8))), (.externalData, .blob(Data())),
        (.entity(["A"]), .integer(1)), (.entity(["A"]), .text("B")),
    ])
    func `a value that is not of the form is refused`(form: ImportedForm, value: SQLiteValue) {
        #expect(form.value(value, files: URL(fileURLWithPath: "/")) == nil)
    }

    @Test func `archived lists of every type are read`() throws {
        let lists: [(NSArray, String)] = [
            (["a", "b\"c"], #"["a","b\"c"]"#), ([1, 2.5], "[1,2.5]"), ([], "[]"),
            ([NSURL(fileURLWithPath: "/a/c")], #"["file:///a/c"]"#),
        ]
        for (list, json) in lists {
            let data = try NSKeyedArchiver.archivedData(withRootObject: list, requiringSecureCoding: true)
            #expect(ImportedForm.archive.value(.blob(data), files: nil) == .text(json))
        }
        let truths = try NSKeyedArchiver.archivedData(
            withRootObject: [true, false] as NSArray, requiringSecureCoding: true)
        #expect(ImportedForm.archiveOfBools.value(.blob(truths), files: nil) == .text("[true,false]"))
        let numbers = try NSKeyedArchiver.archivedData(
            withRootObject: [1, 2.5] as NSArray, requiringSecureCoding: true)
        #expect(ImportedForm.archiveOfBools.value(.blob(numbers), files: nil) == nil)
        #expect(ImportedForm.archiveOfDecimals.value(.blob(numbers), files: nil) == .text(#"["1","2.5"]"#))
        let other = try NSKeyedArchiver.archivedData(withRootObject: "text" as NSString, requiringSecureCoding: true)
        #expect(ImportedForm.archive.value(.blob(other), files: nil) == nil)
    }
}
