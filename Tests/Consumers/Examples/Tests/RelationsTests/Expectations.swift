import Strata
import StrataTesting
import Testing

@testable import Relations

/// What the relationships lead to is found by keys here, and by relationships in the migration.
extension RelationsSchemaStep_1_0_to_2_0 {
    static func expected(_ old: V1_0.Song, _ rows: StepRows) throws -> Expected<V2_0.Song> {
        var new = V2_0.Song(migrating: old)
        guard let album = try rows.old.find(V1_0.Album.self, id: old.albumID) else { return .kept(new) }
        let artist = try rows.old.find(V1_0.Artist.self, id: album.artistID)
        let albums = try rows.once("albums") { try rows.old.fetch(V1_0.Album.self) }.filter {
            // An artist that does not exist has no albums.
            artist != nil && $0.artistID == album.artistID
        }
        .sorted { ($0.artistPosition ?? .max, $0.id.rawValue) < ($1.artistPosition ?? .max, $1.id.rawValue) }
        func keys<Key: ColumnStorable>(_ table: String, _ source: Int, _ type: Key.Type) throws -> [Key] {
            let pairs = rows.old.tableName(table)
            return try rows.old.rows("SELECT target_id FROM \(pairs) WHERE source_id = ? ORDER BY position", [source]) {
                try $0.value("target_id", as: type)
            }
        }
        func titles(_ table: String, _ source: Int) throws -> String {
            try keys(table, source, V1_0.Song.ID.self).compactMap { try rows.old.find(V1_0.Song.self, id: $0)?.title }
                .joined(separator: "+")
        }
        let tags = try keys("album_tags", album.id.rawValue, String.self)
        let twins = try rows.once("songs") { try rows.old.fetch(V1_0.Song.self) }.filter { $0.albumID == album.id }
        let parts: [String] = [
            old.title, album.name, artist?.name ?? "", albums.map(\.name).joined(separator: "+"),
            try titles("artist_fans", album.artistID.rawValue), tags.joined(separator: "+"),
            try rows.once("images") { try rows.old.fetch(V1_0.Image.self) }.first { $0.albumID == album.id }?.path
                ?? "",
            try old.placeID.flatMap { try rows.old.find(V1_0.Place.self, id: $0) }?.label ?? "",
            try titles("song_covers", old.id.rawValue),
            twins.map { "\($0.id.rawValue)" }.reversed().joined(separator: "+"), "[\(tags.count)]",
        ]
        new.title = parts.joined(separator: "|")
        return .kept(new)
    }

    static func expected(_ old: V1_0.Category, _ rows: StepRows) throws -> Expected<V2_0.Category> {
        let all = try rows.once("categories") { try rows.old.fetch(V1_0.Category.self) }
        var (depth, parent) = (0, old.parentID)
        while let next = all.first(where: { $0.id == parent }), depth < 3 {
            (depth, parent) = (depth + 1, next.parentID)
        }
        let children = all.filter { $0.parentID == old.id }.count
        return .kept(.init(migrating: old, depth: depth * 100 + children))
    }

    static func check(_ rows: StepRows) throws {
        for album in try rows.old.fetch(V1_0.Album.self) {
            let new = try #require(try rows.new.find(V2_0.Album.self, id: album.id))
            let keywords = try rows.new.related(new, \.keywords).map(\.id.rawValue)
            #expect(try keywords == rows.old.related(album, \.tags).map(\.id.rawValue).reversed())
        }
    }
}
