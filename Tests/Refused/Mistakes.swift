import Foundation
import Podcasts
import Strata

// Mistakes that people make, each with the first error of the compiler. `check` compares them.

let number = 3
let numbers = [1, 2]
let episode = Episode(id: 1, title: "a", date: Date(), podcastID: 1)
let podcast = Podcast(id: 1, title: "a")

func orders() {
    // 'desc' has been renamed to 'descending'
    _ = Episode.all.orderBy { $0.title.desc }
    // 'asc' has been renamed to 'ascending'
    _ = Episode.all.orderBy { $0.title.asc }
    // 'order' has been renamed to 'orderBy(_:)'
    _ = Episode.all.order { $0.title.ascending }
    // 'sorted(by:)' has been renamed to 'orderBy(_:)'
    _ = Episode.all.sorted { $0.title }
    // 'orderBy' is unavailable: order by a property of the related row: `$0.podcast.title`
    _ = Episode.all.orderBy { $0.podcast }
}

func texts() {
    // 'lowercased()' is unavailable: compare without case: `$0.name.equals("text", ignoring: .case)`
    _ = Episode.all.where { $0.title.lowercased() == "a" }
    // 'uppercased()' is unavailable: compare without case: `$0.name.equals("text", ignoring: .case)`
    _ = Episode.all.where { $0.notes.uppercased() == "a" }
    // 'like' has been renamed to 'isLike(_:)'
    _ = Episode.all.where { $0.title.like("%a") }
    // 'starts(with:)' has been renamed to 'hasPrefix(_:)'
    _ = Episode.all.where { $0.title.starts(with: "a") }
    // 'endsWith' has been renamed to 'hasSuffix(_:)'
    _ = Episode.all.where { $0.title.endsWith("a") }
    // 'isEmpty' is unavailable: write `$0.name == ""`
    _ = Episode.all.where { $0.title.isEmpty }
    // 'localizedStandardContains' is unavailable: write `contains("text", ignoring: [.case, .diacritics])`
    _ = Episode.all.where { $0.title.localizedStandardContains("a") }
    // 'matches' is unavailable: describe a search, and write `Movie.all.matching("words")`
    _ = Episode.all.where { $0.title.matches("a") }
}

func comparisons() {
    // '==' is unavailable: compare with a primary key: `$0.id == .init(number)`
    _ = Podcast.all.where { $0.id == number }
    // '==' is unavailable: compare with a primary key: `$0.podcastID == .init(number)`
    _ = Podcast.all.where { $0.trailerID == number }
    // 'isIn' is unavailable: list primary keys: `$0.id.isIn(numbers.map(Movie.ID.init))`
    _ = Podcast.all.where { $0.id.isIn(numbers) }
    // 'in' has been renamed to 'isIn(_:)'
    _ = Podcast.all.where { $0.id.in([1, 2]) }
    // '==' is unavailable: compare the primary keys: `$0.podcast.id == podcast.id`
    _ = Episode.all.where { $0.podcast == podcast }
    // '==' is unavailable: compare the foreign key: `$0.podcastID == nil`
    _ = Podcast.all.where { $0.publisher == nil }
    // 'isNull' has been renamed to 'isNil'
    _ = Episode.all.where { $0.notes.isNull }
    // 'isNotNil' is unavailable: write `!$0.property.isNil`, or `$0.property != nil`
    _ = Episode.all.where { $0.notes.isNotNil }
    // 'between' is unavailable: write a range: `isBetween(low...high)`
    _ = Episode.all.where { $0.seconds.between(1, 2) }
    // 'month' is unavailable: write the time zone: `month(in: .current)`
    _ = Episode.all.where { $0.date.month == 5 }
    // '==' is unavailable: compare with a case of the enum: `$0.state == .done`
    _ = Thing.all.where { $0.state == "done" }
}

func more(_ transaction: WriteTransaction) throws {
    // '<' is unavailable: compare with a primary key: `$0.id < .init(number)`
    _ = Podcast.all.where { $0.id < number }
    // 'year' is unavailable: write the time zone: `year(in: .current)`
    _ = Podcast.all.where { $0.trailer.date.year == 5 }
    // 'start(of:)' is unavailable: write the time zone: `start(of: .month, in: .current)`
    _ = Episode.all.grouped { $0.date.start(of: .month) }
    // 'joining(required:)' is unavailable: relationships need no join: write `$0.podcast.title` in a condition, an order or a selection
    _ = Episode.all.joining(required: \.podcast)
    // 'where' is unavailable: write `where` before `select`
    _ = Episode.all.select { $0.title }.where { $0.isPlayed == true }
    // 'orderBy' is unavailable: write `orderBy` before `select`
    _ = Episode.all.select { $0.title }.orderBy { $0.title }
    // 'where' is unavailable: write `where` before `grouped` for rows, or `having` for groups
    _ = Episode.all.grouped(by: \.podcastID).where { $0.seconds > 3 }
    // 'count' is unavailable: write `try transaction.fetch(selection).count`, or count the request
    _ = try transaction.count(Episode.all.select { $0.title })
    // 'append(_:to:_:)' has been renamed to 'add(_:to:_:)'
    try transaction.append(episode, to: podcast, \.queue)
    // 'removeAll(from:_:)' is unavailable: write `try transaction.setRelated(playlist, \.episodes, to: [])`
    try transaction.removeAll(from: podcast, \.queue)
}

func requests(_ store: Store) throws {
    // 'filter' has been renamed to 'where(_:)'
    _ = Episode.all.filter { $0.isPlayed == true }
    // 'offset' is unavailable: write `limit(20, offset: 40)`
    _ = Episode.all.limit(20).offset(40)
    // 'distinct()' is unavailable: select values first: `select { $0.title }.distinct()`
    _ = Episode.all.distinct()
    // 'having' is unavailable: group the rows first: `grouped(by: \.studioID).having { $0.count > 1 }`
    _ = Episode.all.having { $0.seconds > 1 }
    // 'grouped(by:)' is unavailable: group by the foreign key, or by a property of the related row
    _ = Episode.all.grouped { $0.podcast }
    // 'count' is unavailable: write `try transaction.count(request)`
    _ = Episode.all.count
    try store.read { transaction in
        // 'fetchAll' is unavailable: write `try transaction.fetch(request)`
        _ = try Episode.all.fetchAll(transaction)
        // 'fetchAll' has been renamed to 'fetch(_:)'
        _ = try transaction.fetchAll(Episode.all)
        // 'find(_:id:)' is unavailable: pass a primary key: `id: .init(number)`
        _ = try transaction.find(Podcast.self, id: number)
        // 'fetch' is unavailable: `select` takes a property, or a tuple: the row first, then properties and `$0.podcast.row`
        _ = try transaction.fetch(Podcast.all.select { $0.tags })
        // 'fetch' is unavailable: `select` takes a property, or a tuple: the row first, then properties and `$0.podcast.row`
        _ = try transaction.fetch(Podcast.all.select { ($0.title, $0.publisher) })
        // 'fetch' is unavailable: `select` takes a property, or a tuple: the row first, then properties and `$0.podcast.row`
        _ = try transaction.fetch(Episode.all.grouped(by: \.podcastID).select { _ in 3 })
    }
    try store.write { transaction in
        // 'save' is unavailable: write `upsert`, or `insert` or `update`
        try transaction.save(podcast)
        // 'deleteAll' is unavailable: write `try transaction.delete(Movie.all)`
        try transaction.deleteAll(Podcast.self)
        // 'delete(_:id:)' is unavailable: pass a primary key: `id: .init(number)`
        try transaction.delete(Podcast.self, id: number)
        // 'set' has been renamed to 'set(to:)'
        try transaction.update(Episode.all) { [$0.title.set("a")] }
    }
}

func misspelt(_ transaction: WriteTransaction) throws {
    // cannot convert value of type '[Any]' to expected argument type '[PartialKeyPath<PodcastSchema.V1_0.Episode>]'
    try transaction.upsert(episode, on: \.guid, except: [\.isPlayd])
}
