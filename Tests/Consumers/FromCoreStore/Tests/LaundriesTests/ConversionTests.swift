import Foundation
import Laundries
import StoreConversion
import Strata
import Testing

/// A store that an app with CoreStore wrote, converted and migrated.
@Suite struct ConversionTests {
    /// A store of the first version, in the layout of Core Data.
    private let old = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("CoreStore/V1.sqlite")

    @Test func `the store of an app with CoreStore becomes one of the newest version, with every row`() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let box = Box()
        var conversion = ConversionOptions()
        conversion.report = { box.report = $0 }
        let store = try Store(
            converting: old, at: folder.appendingPathComponent("Laundries.sqlite"), schema: LaundriesSchema.self,
            conversion: conversion)
        let report = box.report
        #expect(report?.version == "1.0" && report?.invalidRowCount == 0)
        try store.read { (t: ReadTransaction) throws in
            let data = try t.fetch(LaundryData.self)
            #expect(data == [LaundryData(id: 1, code: 200, dataID: 1)])
            #expect(try t.fetch(LaundryDetail.self) == [LaundryDetail(id: 1)])
            #expect(try t.fetch(LaundryFailure.self).isEmpty)
            let expected = (0..<10).map { i in
                Laundry(
                    rowID: .init(rawValue: i + 1), id: 3456, name: "dubai mall \(7 * i)", photo: "laundry\(1 + i % 2)",
                    favorite: i % 3 == 0, masterID: 1, masterPosition: i)
            }
            #expect(try t.fetch(Laundry.self) == expected)
            for laundry in expected {
                let items = try t.related(laundry, \.items)
                #expect(
                    items
                        == (0..<6).map { j in
                            LaundryItem(
                                id: .init(rawValue: (laundry.rowID.rawValue - 1) * 6 + j + 1), name: "laundryItem\(j)",
                                price: Double(j) * 2, masterID: laundry.rowID, masterPosition: j)
                        })
            }
        }
    }
}

/// Holds the report, which the conversion gives to a function.
private final class Box: @unchecked Sendable {
    var report: ConversionReport?
}
