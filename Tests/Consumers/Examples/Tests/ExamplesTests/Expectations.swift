import Foundation
import Strata
import StrataTesting
import Testing

@testable import Examples

/// The expected result of every row, in other words than those of the migration.
extension ExamplesSchemaStep_1_0_to_2_0 {
    // Each person has an address with the former street and city.
    static func expected(_ old: V1_0.Person, _ rows: StepRows) -> Expected<V2_0.Person> {
        .kept(as: old.id) { new in
            let address = try rows.new.related(new, \.address)
            return new.name == old.name && address?.street == old.street && address?.city == old.city
        }
    }

    // There is an address for each person, and an artist for each name.
    static func added(_ rows: StepRows) throws -> [any StoredEntity] {
        let addresses = try rows.new.fetch(V2_0.Person.self).compactMap { try rows.new.related($0, \.address) }
        let names = try Set(rows.old.fetch(V1_0.Song.self).map(\.artistName))
        let artists = try rows.new.fetch(V2_0.Artist.self)
        return addresses + (artists.count == names.count && Set(artists.map(\.name)) == names ? artists : [])
    }

    // Drafts are unpublished posts, with new keys.
    static func expected(_ old: V1_0.Draft, _ rows: StepRows) throws -> Expected<V2_0.Post> {
        let drafts = try rows.once("drafts") { try rows.old.fetch(V1_0.Draft.self) }
        let posts = try rows.once("posts") {
            try rows.new.fetch(V2_0.Post.self).filter { try rows.old.find(V1_0.Post.self, id: $0.id) == nil }
        }
        try #require(posts.count == drafts.count)
        let place = try #require(drafts.firstIndex(of: old))
        return .kept(V2_0.Post(id: posts[place].id, text: old.text, published: false))
    }

    // Of tags with the same word, the first one stays.
    static func expected(_ old: V1_0.Tag, _ rows: StepRows) throws -> Expected<V2_0.Tag> {
        let first = try rows.old.fetch(V1_0.Tag.self).first { $0.word == old.word } ?? old
        return first.id == old.id ? .kept(.init(migrating: old)) : .merged(into: first.id)
    }

    // The code of a country is its primary key.
    static func expected(_ old: V1_0.Country, _ rows: StepRows) -> Expected<V2_0.Country> {
        .kept(.init(code: old.code))
    }

    static func expected(_ old: V1_0.Town, _ rows: StepRows) throws -> Expected<V2_0.Town> {
        .kept(.init(id: old.id, countryID: try rows.old.related(old, \.country).map { .init(rawValue: $0.code) }))
    }

    static func expected(_ old: V1_0.Account, _ rows: StepRows) -> Expected<V2_0.Account> {
        .kept(as: .init(rawValue: old.id.rawValue &+ 1)) { _ in true }
    }

    static func expected(_ old: V1_0.OrderLine, _ rows: StepRows) throws -> Expected<V2_0.OrderLine> {
        .kept(.init(migrating: old, price: try rows.old.related(old, \.product)?.price ?? 0))
    }

    static func expected(_ old: V1_0.Song, _ rows: StepRows) -> Expected<V2_0.Song> {
        .kept(as: old.id) { try rows.new.related($0, \.artist)?.name == old.artistName }
    }

    // Messages without text are dropped.
    static func expected(_ old: V1_0.Message, _ rows: StepRows) -> Expected<V2_0.Message> {
        old.text.isEmpty ? .dropped : .kept(.init(migrating: old))
    }

    static func expected(_ old: V1_0.Contact, _ rows: StepRows) -> Expected<V2_0.Contact> {
        let national = String(old.phone.drop { $0 == "0" })
        return .kept(.init(id: old.id, phone: old.phone.hasPrefix("+") ? old.phone : "+49\(national)"))
    }

    // The streets of people are in addresses.
    static func checkPersonStreet(_ rows: StepRows) throws {
        let streets = try Set(rows.old.fetch(V1_0.Person.self).map(\.street))
        #expect(try Set(rows.new.fetch(V2_0.Address.self).map(\.street)) == streets)
    }

    static func checkPersonCity(_ rows: StepRows) throws {
        let cities = try Set(rows.old.fetch(V1_0.Person.self).map(\.city))
        #expect(try Set(rows.new.fetch(V2_0.Address.self).map(\.city)) == cities)
    }

    static func checkSongArtistName(_ rows: StepRows) throws {
        let names = try Set(rows.old.fetch(V1_0.Song.self).map(\.artistName))
        #expect(try Set(rows.new.fetch(V2_0.Artist.self).map(\.name)) == names)
    }
}
