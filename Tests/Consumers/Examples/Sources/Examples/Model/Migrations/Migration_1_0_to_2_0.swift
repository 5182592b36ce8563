import Foundation
import Strata

struct Migration_1_0_to_2_0: ExamplesSchema.CustomMigration_1_0_to_2_0 {
    /// The first tag of each word.
    private var tags: [String: V2_0.Tag.ID] = [:]
    /// The artist of each name.
    private var artists: [String: V2_0.Artist.ID] = [:]

    // Split an entity.
    mutating func migrate(_ old: V1_0.Person, _ context: Context) throws -> Outcome<V2_0.Person> {
        let address = V2_0.Address(
            id: .init(rawValue: context.uuid(for: "address of \(old.id.rawValue)")), street: old.street,
            city: old.city)
        try context.insert(address)
        return .keep(.init(migrating: old, addressID: address.id))
    }

    // Merge two entities.
    mutating func migrate(_ old: V1_0.Draft, _ context: Context) throws -> Outcome<V2_0.Post> {
        .keep(.init(id: try context.newID(of: V2_0.Post.self), text: old.text, published: false))
    }

    // Remove duplicates before a unique index.
    mutating func migrate(_ old: V1_0.Tag, _ context: Context) throws -> Outcome<V2_0.Tag> {
        if let first = tags[old.word] { return .merge(into: first) }
        tags[old.word] = old.id
        return .keep(.init(migrating: old))
    }

    // Change the type of a primary key.
    mutating func migrate(_ old: V1_0.Country, _ context: Context) throws -> Outcome<V2_0.Country> {
        .keep(.init(migrating: old))
    }

    mutating func migrate(_ old: V1_0.Town, _ context: Context) throws -> Outcome<V2_0.Town> {
        let country = try context.newKey(of: V2_0.Country.self, for: old.countryID)
        return .keep(.init(migrating: old, countryID: country))
    }

    // Change primary keys. References follow.
    mutating func migrate(_ old: V1_0.Account, _ context: Context) throws -> Outcome<V2_0.Account> {
        var new = V2_0.Account(migrating: old)
        new.id = .init(rawValue: old.id.rawValue &+ 1)
        return .keep(new)
    }

    // Fill a property through a relationship.
    mutating func migrate(_ old: V1_0.OrderLine, _ context: Context) throws -> Outcome<V2_0.OrderLine> {
        .keep(.init(migrating: old, price: try context.related(old, \.product)?.price ?? 0))
    }

    // Turn text into an entity.
    mutating func migrate(_ old: V1_0.Song, _ context: Context) throws -> Outcome<V2_0.Song> {
        if let artist = artists[old.artistName] { return .keep(.init(migrating: old, artistID: artist)) }
        let artist = V2_0.Artist(id: try context.newID(of: V2_0.Artist.self), name: old.artistName)
        try context.insert(artist)
        artists[old.artistName] = artist.id
        return .keep(.init(migrating: old, artistID: artist.id))
    }

    // `migrate` has saved this data already.
    mutating func rescuePersonStreet(_ context: Context) throws {}
    mutating func rescuePersonCity(_ context: Context) throws {}
    mutating func rescueSongArtistName(_ context: Context) throws {}

    // Drop rows. All columns of the other rows are copied.
    mutating func migrate(
        _ old: borrowing V1_0.MessageRow, _ context: Context
    ) throws -> Outcome<V2_0.MessageValues> {
        try old.text.isEmpty ? .drop : .keep(.init())
    }

    // Rewrite the values of one column.
    mutating func migrate(
        _ old: borrowing V1_0.ContactRow, _ context: Context
    ) throws -> Outcome<V2_0.ContactValues> {
        let phone = try old.phone
        return .keep(.init(phone: phone.hasPrefix("+") ? phone : "+49" + phone.drop { $0 == "0" }))
    }
}
