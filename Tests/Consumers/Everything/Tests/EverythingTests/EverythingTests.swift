import Everything
import Foundation
import Strata
import Testing

@Suite struct EverythingTests {
    @Test func `the side without the table changes nobody's order`() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let store = try Store(at: folder.appendingPathComponent("a.sqlite"), schema: EverythingSchema.self)
        let hubs = (1...3).map { Hub(id: .init(rawValue: $0)) }
        let labels = (1...3).map { Label(id: .init(rawValue: $0)) }
        try store.write { transaction in
            for hub in hubs { try transaction.insert(hub) }
            for label in labels { try transaction.insert(label) }
            try transaction.setRelated(hubs[0], \.labels, to: [3, 1, 2])
            try transaction.setRelated(hubs[1], \.labels, to: [2])
            try transaction.setRelated(labels[1], \.hubs, to: [3, 1])
        }
        let labelsOf = try store.read { transaction in
            try hubs.map { try transaction.related($0, \.labels).map(\.id) }
        }
        #expect(labelsOf == [[3, 1, 2], [], [2]])
        let hubsOf = try store.read { Set(try $0.related(labels[1], \.hubs).map(\.id)) }
        #expect(hubsOf == [1, 3])
    }
}
