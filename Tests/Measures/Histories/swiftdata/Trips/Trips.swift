import Foundation
import SwiftData

enum TripsSchemaV1: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] { [Trip.self, Stop.self] }

    @Model final class Trip {
        @Attribute(.unique) var id: UUID
        var name: String
        var start: Date
        @Relationship(deleteRule: .cascade, inverse: \Stop.trip) var stops: [Stop] = []

        init(name: String, start: Date) {
            id = UUID()
            self.name = name
            self.start = start
        }
    }

    @Model final class Stop {
        var place: String
        var nights: Int = 1
        var trip: Trip?

        init(place: String) { self.place = place }
    }
}

enum TripsSchemaV2: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static var models: [any PersistentModel.Type] { [Trip.self, Stop.self, Photo.self] }

    @Model final class Trip {
        @Attribute(.unique) var id: UUID
        @Attribute(originalName: "name") var title: String
        var start: Date
        var kind: Kind?
        @Relationship(deleteRule: .cascade, inverse: \Stop.trip) var stops: [Stop] = []

        enum Kind: String, Codable { case work, holiday }
        init(title: String, start: Date) {
            id = UUID()
            self.title = title
            self.start = start
        }
    }

    @Model final class Stop {
        #Index<Stop>([\.place])
        var place: String
        var nights: Int = 1
        var trip: Trip?
        var photos: [Photo]?

        init(place: String) { self.place = place }
    }

    @Model final class Photo {
        @Attribute(.externalStorage) var data: Data
        var caption = ""
        var stop: Stop?

        init(data: Data) { self.data = data }
    }
}

enum TripsSchemaV3: VersionedSchema {
    static let versionIdentifier = Schema.Version(3, 0, 0)
    static var models: [any PersistentModel.Type] { [Trip.self, Stop.self, Photo.self] }

    @Model final class Trip {
        @Attribute(.unique) var id: UUID
        var title: String
        var start: Date
        var kind: Kind?
        @Relationship(deleteRule: .cascade, inverse: \Stop.trip) var stops: [Stop] = []

        enum Kind: String, Codable { case work, holiday }
        init(title: String, start: Date) {
            id = UUID()
            self.title = title
            self.start = start
        }
    }

    @Model final class Stop {
        #Index<Stop>([\.place], [\.point.latitude, \.point.longitude])
        var place: String
        var nights: Int = 1
        var point = Point()
        var address: Address?
        var trip: Trip?
        var photos: [Photo]?

        init(place: String) { self.place = place }
    }

    @Model final class Photo {
        @Attribute(.externalStorage) var data: Data
        var caption = ""
        var stop: Stop?

        init(data: Data) { self.data = data }
    }

    struct Point: Codable {
        var latitude = 0.0
        var longitude = 0.0
    }

    struct Address: Codable {
        var street: String
        var code: Int?
        var isHotel = true
    }
}

enum TripsMigrationPlan: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] {
        [TripsSchemaV1.self, TripsSchemaV2.self, TripsSchemaV3.self]
    }
    static var stages: [MigrationStage] {
        [
            .lightweight(fromVersion: TripsSchemaV1.self, toVersion: TripsSchemaV2.self),
            .lightweight(fromVersion: TripsSchemaV2.self, toVersion: TripsSchemaV3.self),
        ]
    }
}
