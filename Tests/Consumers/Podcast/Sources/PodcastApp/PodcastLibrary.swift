import Foundation
import Strata

/// An episode as a feed describes it. Only the app knows whether it is played.
struct FeedItem {
    let guid: String
    let title: String
    let notes: String
    let date: Date
    let seconds: Int
}

/// The everyday tasks of a podcast app, which the guide Everyday tasks shows.
struct PodcastLibrary: Sendable {
    let store: Store

    // MARK: Reading

    /// All podcasts, each with the number of its episodes, and the number of those that are not played.
    func counts() throws -> [(Podcast, Int, Int)] {
        try store.read {
            try $0.fetch(
                Podcast.all.orderBy { $0.title }.select {
                    ($0, $0.episodes.count, $0.episodes.where { !$0.isPlayed }.count)
                })
        }
    }

    /// The best matches of what the user has typed, each with a part of its notes.
    func search(_ typed: String) throws -> [(Episode, String)] {
        try store.read {
            try $0.fetch(
                Episode.all.matching(.beginnings(typed)).limit(20).select {
                    ($0, $0.snippet(of: .notes, from: "**", to: "**"))
                })
        }
    }

    /// All podcasts, each with its latest episode.
    func latest() throws -> [(Podcast, Episode?)] {
        try store.read {
            let latest = Podcast.all.orderBy { $0.title }.including(\.episodes) {
                $0.orderBy { $0.date.descending }.limit(1)
            }
            return try $0.fetch(latest).map { ($0, $1.first) }
        }
    }

    /// The episodes of a publisher that have a tag, with the titles of their podcasts.
    func episodes(of publisher: Publisher.ID, tagged tag: String) throws -> [(Episode, String)] {
        try store.read {
            try $0.fetch(
                Episode.all.where { $0.podcast.publisherID == publisher && $0.tags.contains { $0.name == tag } }
                    .orderBy { [$0.podcast.title.ascending, $0.date.ascending] }
                    .select { ($0, $0.podcast.title) })
        }
    }

    /// The number of episodes and their duration, month by month.
    func months(in zone: TimeZone) throws -> [(Date, Int, Int)] {
        try store.read {
            try $0.fetch(
                Episode.all.grouped { $0.date.start(of: .month, in: zone) }.orderBy { $0.key.descending }
                    .select { ($0.key, $0.count, $0.sum(\.seconds)) })
        }
    }

    /// The unplayed episodes with the titles of their podcasts, now and after each change.
    func unplayed() -> AsyncThrowingStream<[(Episode, String)], any Error> {
        store.observe(
            Episode.all.where { !$0.isPlayed }.orderBy { $0.date.descending }.select { ($0, $0.podcast.title) })
    }

    /// A page of 20 episodes, by its number.
    func page(_ number: Int) throws -> [Episode] {
        try store.read {
            try $0.fetch(Episode.all.orderBy { [$0.date.descending, $0.id.descending] }.limit(20, offset: 20 * number))
        }
    }

    /// The 20 episodes behind the last one of another page.
    func page(behind last: Episode) throws -> [Episode] {
        try store.read {
            try $0.fetch(
                Episode.all.where { ($0.date, $0.id) < (last.date, last.id) }
                    .orderBy { [$0.date.descending, $0.id.descending] }.limit(20))
        }
    }

    /// All episodes as JSON.
    func export() throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return try encoder.encode(store.read { try $0.fetch(Episode.self) })
    }

    // MARK: Writing

    /// Inserts the new episodes of a feed, and updates the others. What only the app knows stays.
    func refresh(_ podcast: Podcast, with items: [FeedItem]) throws {
        try store.write { transaction in
            let episodes = try items.map { item in
                Episode(
                    id: try transaction.newID(of: Episode.self), guid: item.guid, title: item.title, notes: item.notes,
                    date: item.date, seconds: item.seconds, podcastID: podcast.id)
            }
            try transaction.upsert(contentsOf: episodes, on: \.guid, except: [\.isPlayed])
        }
    }

    /// Deletes a podcast. Its episodes are deleted too, as `"on_delete": "cascade"` says.
    func unsubscribe(from podcast: Podcast) throws {
        try store.write { try $0.delete(podcast) }
    }

    /// Shortens the notes of all episodes, one at a time. A reader on another thread sees all of them or none.
    func shortenNotes(to length: Int) throws {
        try store.write { transaction in
            let cursor = try transaction.cursor(Episode.all.orderBy { $0.id })
            while var episode = try cursor.next() {
                episode.notes = String(episode.notes.prefix(length))
                try transaction.update(episode, \.notes)
            }
        }
    }

    /// Adds a tag to an episode, and creates it if it is new.
    func tag(_ episode: Episode, _ name: String) throws {
        try store.write { transaction in
            let new = Tag(id: try transaction.newID(of: Tag.self), name: name)
            let tag = try transaction.upsert(new, on: \.name, updating: [])
            try transaction.add(tag, to: episode, \.tags)
        }
    }

    /// Creates a playlist. An episode may be there several times.
    func makePlaylist(_ name: String, _ episodes: [Episode]) throws -> Playlist {
        let playlist = Playlist(id: Playlist.ID(), name: name)
        try store.write { transaction in
            try transaction.insert(playlist)
            try transaction.add(contentsOf: episodes, to: playlist, \.episodes)
        }
        return playlist
    }

    /// Plays an episode next, and what was third after it.
    func playNext(_ episode: Episode, in playlist: Playlist) throws {
        try store.write { transaction in
            try transaction.insert(episode, at: 0, in: playlist, \.episodes)
            try transaction.move(from: 2, to: 1, in: playlist, \.episodes)
        }
    }

    /// Deletes the played episodes before a date.
    func removePlayed(before date: Date) throws -> Int {
        try store.write { try $0.delete(Episode.all.where { $0.isPlayed && $0.date < date }) }
    }
}
