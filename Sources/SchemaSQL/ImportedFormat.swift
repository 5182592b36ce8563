/// What the databases of a schema were before it was one of Strata's, and how what is in them is read.
public struct ImportedFormat: Hashable, Sendable {
    /// The libraries whose databases are read.
    public enum Library: String, CaseIterable, Hashable, Sendable {
        case coreData = "core-data"
        case room, drift, sqlite
    }

    /// The library that made the databases.
    public var library: Library
    /// What each version was called there, by its name here.
    public var formerNames: [String: String]
    /// The columns whose values stand otherwise in those databases, or have to be looked at.
    public var columns: [ImportedColumn]
    /// The columns that have another name there, or are shared by several entities of Core Data.
    public var origins: [ImportedOrigin]
    /// What those databases have besides, which a conversion leaves there.
    public var unread: [ImportedUnread]
    /// The hashes that Core Data gives to the entities of each version.
    public var hashes: [ImportedHash]
    /// How rows that do not fit are treated, where `ConversionOptions.misfits` does not decide.
    public var misfits: [ImportedMisfits]

    /// A format of these parts.
    public init(
        _ library: Library, formerNames: [String: String] = [:], columns: [ImportedColumn] = [],
        origins: [ImportedOrigin] = [], unread: [ImportedUnread] = [], hashes: [ImportedHash] = [],
        misfits: [ImportedMisfits] = []
    ) {
        self.library = library
        self.formerNames = formerNames
        self.columns = columns
        self.origins = origins
        self.unread = unread
        self.hashes = hashes
        self.misfits = misfits
    }
}

/// How a conversion treats the rows of a table that do not fit.
public struct ImportedMisfits: Hashable, Sendable {
    /// What becomes of such a row.
    public enum Policy: Hashable, Sendable {
        /// It goes to the table `strata_unconverted`.
        case setAside
        /// It is not converted, and only reported.
        case drop
        /// No store is created.
        case refuse
        /// Columns whose values do not fit get these instead, as SQL literals.
        case fill([String: String])
    }

    /// The store's table.
    public var table: String
    /// What becomes of such a row.
    public var policy: Policy
    /// The versions in which the policy holds, by their positions.
    public var versions: ClosedRange<Int>

    /// The policy of a table in these versions.
    public init(_ table: String, _ policy: Policy, versions: ClosedRange<Int>) {
        self.table = table
        self.policy = policy
        self.versions = versions
    }
}

/// The hash of an entity of Core Data, which each of its stores has for every entity of its model.
public struct ImportedHash: Hashable, Sendable {
    /// The name of the entity.
    public var entity: String
    /// The first eight bytes of the hash, most significant first.
    public var hash: UInt64
    /// The versions in which the entity has it, by their places.
    public var versions: ClosedRange<Int>

    /// The hash of an entity in these versions.
    public init(_ entity: String, _ hash: UInt64, versions: ClosedRange<Int>) {
        self.entity = entity
        self.hash = hash
        self.versions = versions
    }
}

/// Where the values of a property of a store come from in a Core Data store.
public struct ImportedOrigin: Hashable, Sendable {
    /// The store's table.
    public var table: String
    /// The name of its column, without the `_id` of a foreign key; that of the relationship where it has a join table.
    public var property: String
    /// The properties there, as `Entity.property` by the entities that declare them.
    public var sources: [String]
    /// The versions in which that is so, by their places.
    public var versions: ClosedRange<Int>

    /// The origin of a property in these versions.
    public init(_ table: String, _ property: String, _ sources: [String], versions: ClosedRange<Int>) {
        self.table = table
        self.property = property
        self.sources = sources
        self.versions = versions
    }
}

/// Something that databases of another library have and that a conversion leaves there.
public struct ImportedUnread: Hashable, Sendable {
    /// Why it is left there.
    public enum Reason: String, CaseIterable, Hashable, Sendable {
        /// The pairs of a to-many relationship without an inverse.
        case pairs
        /// The other side of a pair of to-one relationships, which says the same.
        case inverse
        /// It is derived from other values, or not kept in the database at all.
        case derived
        /// Strata has no type for it.
        case type
        /// A table as a whole.
        case table
        /// No reason is known.
        case unknown
    }

    /// The name of a table or of an entity, with a column or property of it behind a dot.
    public var name: String
    /// Why it is left there.
    public var reason: Reason
    /// The versions in which that is so, by their places.
    public var versions: ClosedRange<Int>

    /// Something that is left there in these versions.
    public init(_ name: String, _ reason: Reason, versions: ClosedRange<Int>) {
        self.name = name
        self.reason = reason
        self.versions = versions
    }
}

/// How the values of a column of a store are read from a database of another library.
public struct ImportedColumn: Hashable, Sendable {
    /// The store's table.
    public var table: String
    /// Its column.
    public var column: String
    /// How the values stand in the other database.
    public var form: ImportedForm
    /// The versions in which the column is of that type, by their places.
    public var versions: ClosedRange<Int>

    /// A column that is read in that form.
    public init(_ table: String, _ column: String, _ form: ImportedForm, versions: ClosedRange<Int>) {
        self.table = table
        self.column = column
        self.form = form
        self.versions = versions
    }
}

/// How values stand in a database of another library.
public enum ImportedForm: Hashable, Sendable {
    /// A truth value: 0 or 1, or `true` or `false` as text.
    case bool
    /// A date: seconds since 1970-01-01 UTC.
    case unixSeconds
    /// A date: milliseconds since 1970-01-01 UTC.
    case unixMilliseconds
    /// A date: microseconds since 1970-01-01 UTC.
    case unixMicroseconds
    /// A date: seconds since 2001-01-01 UTC.
    case referenceSeconds
    /// A date: the Julian day number (https://sqlite.org/lang_datefunc.html).
    case julianDay
    /// A date as text of ISO 8601, in UTC where it names no other zone: `2024-05-01 12:00:00.000`.
    case dateText
    /// A UUID: sixteen bytes, or its text.
    case uuid
    /// A URL as text.
    case url
    /// A color as text.
    case color
    /// A decimal number: a number, or its digits as text.
    case decimal
    /// One of these texts.
    case choice([String])
    /// JSON text.
    case json
    /// A list that `NSKeyedArchiver` wrote.
    case archive
    /// A list of truth values that it wrote, which it does not tell from numbers.
    case archiveOfBools
    /// A list of decimal numbers that it wrote.
    case archiveOfDecimals
    /// The name of the Core Data entity that the row is of: one of these.
    case entity([String])
    /// Bytes that Core Data may keep in a file beside the database.
    case externalData

    /// The value stands as in the store.
    case plain
    /// The forms that a person may name, by their names.
    public static let named: [String: ImportedForm] = [
        "unix_seconds": .unixSeconds, "unix_milliseconds": .unixMilliseconds, "unix_microseconds": .unixMicroseconds,
        "reference_seconds": .referenceSeconds, "julian_day": .julianDay, "text": .dateText, "archive": .archive,
        "entity": .entity([]), "external_data": .externalData, "plain": .plain,
    ]
}
