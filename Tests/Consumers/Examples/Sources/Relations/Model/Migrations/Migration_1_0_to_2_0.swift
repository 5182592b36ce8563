import Strata

/// The title of a song says all that its relationships lead to.
struct Migration_1_0_to_2_0: RelationsSchema.CustomMigration_1_0_to_2_0 {
    mutating func migrate(_ old: V1_0.Song, _ context: Context) throws -> Outcome<V2_0.Song> {
        var new = V2_0.Song(migrating: old)
        guard let album = try context.newKey(of: V2_0.Album.self, for: Optional(old.albumID)) else { return .drop }
        new.albumID = album
        new.title = try Self.title(of: old, context)
        return .keep(new)
    }

    private static func title(of song: V1_0.Song, _ context: Context) throws -> String {
        guard let album = try context.related(song, \.album) else { return song.title }
        let artist = try context.related(album, \.artist)
        let albums = try artist.map { try context.old.related($0, \.albums).map(\.name) } ?? []
        let fans = try artist.map { try context.related($0, \.fans).map(\.title) } ?? []
        let tags = try context.related(album, \.tags).map(\.id.rawValue)
        let twins = try context.old.fetch(V1_0.Song.all.where { $0.albumID == album.id }.orderBy { $0.id.descending })
        let pairs = context.old.tableName("album_tags")
        let count = try context.old.rows("SELECT count(*) AS n FROM \(pairs) WHERE source_id = ?", [album.id]) {
            try $0.value("n", as: Int.self)
        }
        let parts: [String] = [
            song.title, album.name, artist?.name ?? "", albums.joined(separator: "+"), fans.joined(separator: "+"),
            tags.joined(separator: "+"), try context.related(album, \.cover)?.path ?? "",
            try context.related(song, \.place)?.label ?? "",
            try context.related(song, \.covers).map(\.title).joined(separator: "+"),
            twins.map { "\($0.id.rawValue)" }.joined(separator: "+"), "\(count)",
        ]
        return parts.joined(separator: "|")
    }

    mutating func migrate(_ old: V1_0.Category, _ context: Context) throws -> Outcome<V2_0.Category> {
        var (depth, parent) = (0, try context.related(old, \.parent))
        // The parents of random rows may be a circle.
        while let next = parent, depth < 3 { (depth, parent) = (depth + 1, try context.related(next, \.parent)) }
        return .keep(.init(migrating: old, depth: depth * 100 + (try context.related(old, \.children).count)))
    }

    /// The keywords of each album are in the reverse order.
    mutating func didMigrate(_ context: Context) throws {
        let placeholder = V2_0.Category(id: try context.newID(of: V2_0.Category.self), name: "", depth: 0)
        try context.insert(placeholder)
        try context.setRelated(placeholder, \.parent, to: placeholder.id)
        try context.delete(placeholder)
        for album in try context.new.fetch(V2_0.Album.self) {
            let keywords = try context.new.related(album, \.keywords).map(\.id)
            try context.setRelated(album, \.keywords, to: keywords.reversed())
        }
    }
}
