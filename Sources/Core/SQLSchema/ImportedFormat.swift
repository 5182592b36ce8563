/// The format of the databases that an imported schema had before, and how their contents are read.
public struct ImportedFormat: Hashable, Sendable {
    /// The libraries whose databases can be read.
    public enum Library: String, CaseIterable, Hashable, Sendable {
        case coreData = "core-data"
        case swiftData = "swiftdata"
        case coreStore = "corestore"
        case lucid, room, drift, sqlite, sql

        /// Whether Core Data wrote the databases.
        package var isCoreData: Bool { [.coreData, .swiftData, .coreStore, .lucid].contains(self) }
    }

    /// The library that created the databases.
    public var library: Library
    /// The name of each version in the library, by its name in the schema.
    public var formerNames: [String: String]
    /// The `user_version` of the databases of each version, by its name in the schema, if they keep one. The databases of Room and
    /// Drift keep the former name.
    public var userVersions: [String: Int]
    /// The columns whose values have another form in those databases, or must be checked.
    public var columns: [ImportedColumn]
    /// The columns that have another name in those databases, or are shared by several Core Data entities.
    public var origins: [ImportedOrigin]
    /// The data of those databases that a conversion leaves there.
    public var unread: [ImportedUnread]
    /// The hashes that Core Data assigns to the entities of each version.
    public var hashes: [ImportedHash]
    /// The policies for rows that do not fit. They take precedence over `ConversionOptions.invalidRows`.
    public var invalidRows: [ImportedInvalidRows]

    /// Creates a format from its parts.
    public init(
        _ library: Library, formerNames: [String: String] = [:], userVersions: [String: Int] = [:],
        columns: [ImportedColumn] = [], origins: [ImportedOrigin] = [], unread: [ImportedUnread] = [],
        hashes: [ImportedHash] = [],
        invalidRows: [ImportedInvalidRows] = []
    ) {
        self.library = library
        self.formerNames = formerNames
        self.userVersions = userVersions
        self.columns = columns
        self.origins = origins
        self.unread = unread
        self.hashes = hashes
        self.invalidRows = invalidRows
    }

    /// Returns the `user_version` of the databases of a version; nil if they do not keep one.
    package func userVersion(of version: String) -> Int? {
        if let number = userVersions[version] { return number }
        return library == .room || library == .drift ? formerNames[version].flatMap { Int($0) } : nil
    }
}

/// A policy, in a conversion, for the rows of a table that do not fit.
public struct ImportedInvalidRows: Hashable, Sendable {
    /// The treatments of a row that does not fit.
    public enum Policy: Hashable, Sendable {
        /// The row is stored in the table `strata_unconverted`.
        case setAside
        /// The row is not converted, and only reported.
        case drop
        /// No store is created.
        case refuse
        /// Values that do not fit are replaced by these SQL literals, by column.
        case fill([String: String])
    }

    /// The table in the store.
    public var table: String
    /// The treatment of a row that does not fit.
    public var policy: Policy
    /// The positions of the versions in which the policy applies.
    public var versions: ClosedRange<Int>

    /// Creates the policy of a table in these versions.
    public init(_ table: String, _ policy: Policy, versions: ClosedRange<Int>) {
        self.table = table
        self.policy = policy
        self.versions = versions
    }
}

/// The hash of a Core Data entity. Each Core Data store contains the hash of every entity of its model.
public struct ImportedHash: Hashable, Sendable {
    /// The name of the entity.
    public var entity: String
    /// The first eight bytes of the hash, most significant first.
    public var hash: UInt64
    /// The positions of the versions in which the entity has this hash.
    public var versions: ClosedRange<Int>

    /// Creates the hash of an entity in these versions.
    public init(_ entity: String, _ hash: UInt64, versions: ClosedRange<Int>) {
        self.entity = entity
        self.hash = hash
        self.versions = versions
    }
}

/// The origin of a property's values in a Core Data store.
public struct ImportedOrigin: Hashable, Sendable {
    /// The table in the store.
    public var table: String
    /// The name of its column, without the `_id` of a foreign key; the name of the relationship if it has a join table;
    /// empty for the table itself.
    public var property: String
    /// The Core Data properties, as `Entity.property`, where `Entity` declares the property. Without a property, this is the
    /// name of the Core Data entity.
    public var sources: [String]
    /// The positions of the versions in which the property has this origin.
    public var versions: ClosedRange<Int>

    /// Creates the origin of a property in these versions.
    public init(_ table: String, _ property: String, _ sources: [String], versions: ClosedRange<Int>) {
        self.table = table
        self.property = property
        self.sources = sources
        self.versions = versions
    }
}

/// Data in another library's databases that a conversion leaves there.
public struct ImportedUnread: Hashable, Sendable {
    /// The reason why a conversion leaves data in the database.
    public enum Reason: String, CaseIterable, Hashable, Sendable {
        /// The other side of a pair of to-one relationships, which has the same content.
        case inverse
        /// The value is derived from other values, or is not stored in the database at all.
        case derived
        /// Strata has no type for the value.
        case type
        /// A complete table.
        case table
        /// The reason is unknown.
        case unknown
    }

    /// The name of a table or an entity. For a column or a property, its name follows after a dot.
    public var name: String
    /// The reason why the data is left in the database.
    public var reason: Reason
    /// The positions of the versions in which the data is left in the database.
    public var versions: ClosedRange<Int>

    /// Creates a record of data that is left in the database in these versions.
    public init(_ name: String, _ reason: Reason, versions: ClosedRange<Int>) {
        self.name = name
        self.reason = reason
        self.versions = versions
    }
}

/// The form of a store column's values in another library's database.
public struct ImportedColumn: Hashable, Sendable {
    /// The table in the store.
    public var table: String
    /// The column of the table.
    public var column: String
    /// The form of the values in the other database.
    public var form: ImportedForm
    /// The positions of the versions in which the values have this form.
    public var versions: ClosedRange<Int>

    /// Creates a column whose values have this form in these versions.
    public init(_ table: String, _ column: String, _ form: ImportedForm, versions: ClosedRange<Int>) {
        self.table = table
        self.column = column
        self.form = form
        self.versions = versions
    }
}

/// A member of a struct in another library's JSON.
public struct ImportedMember: Hashable, Sendable {
    /// The name in the other database.
    public var source: String
    /// The name in the store.
    public var name: String
    /// Whether it can be absent or null.
    public var isNullable: Bool
    /// The form of its value; `plain` if it is the same as in the store.
    public var form: ImportedForm

    /// Creates a member from its names and its form.
    public init(_ source: String, _ name: String, isNullable: Bool, _ form: ImportedForm = .plain) {
        self.source = source
        self.name = name
        self.isNullable = isNullable
        self.form = form
    }
}

/// The form of values in another library's database.
public enum ImportedForm: Hashable, Sendable {
    /// A Boolean value: 0 or 1, or `true` or `false` as text.
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
    /// A date as ISO 8601 text, in UTC if it names no other zone: `2024-05-01 12:00:00.000`.
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
    /// JSON text of a struct with these members, which have other names or another order than in the store.
    case members([ImportedMember])
    /// JSON text of a list whose elements have this form.
    indirect case list(of: ImportedForm)
    /// JSON text of a dictionary whose values have this form.
    indirect case values(of: ImportedForm)
    /// A whole number of milliseconds: the number of seconds.
    case seconds
    /// A whole number in JSON, or the key `remote` of a row in Lucid's JSON.
    case integer
    /// A number in JSON.
    case real
    /// A text in JSON, or one of the keys `remote` and `local` of a row in Lucid's JSON.
    case string
    /// A list that `NSKeyedArchiver` wrote.
    case archive
    /// A list of Boolean values that `NSKeyedArchiver` wrote. It does not distinguish them from numbers.
    case archiveOfBools
    /// A list of decimal numbers that `NSKeyedArchiver` wrote.
    case archiveOfDecimals
    /// The name of the Core Data entity of the row, which is one of these names.
    case entity([String])
    /// Bytes that Core Data may store in a file beside the database.
    case externalData
    /// The pairs of a to-many relationship without an inverse: each target has the key of its owner.
    case ownerKeys
    /// Bytes; for a text or a number the bytes of its text, which `CAST` of SQLite gives, and which an app reads.
    case castToData
    /// A whole number; for another value the number at the beginning of its text, as `CAST` of SQLite gives it, or 0.
    case castToInt
    /// A number; for another value the number at the beginning of its text, as `CAST` of SQLite gives it, or 0.
    case castToDouble

    /// A value that has the same form as in the store.
    case plain
    /// The forms that you can write in `strata.json`, by their names.
    public static let named: [String: ImportedForm] = [
        "unix_seconds": .unixSeconds, "unix_milliseconds": .unixMilliseconds, "unix_microseconds": .unixMicroseconds,
        "reference_seconds": .referenceSeconds, "julian_day": .julianDay, "text": .dateText, "archive": .archive,
        "entity": .entity([]), "external_data": .externalData, "cast_to_data": .castToData, "cast_to_int": .castToInt,
        "cast_to_double": .castToDouble, "plain": .plain,
    ]
}
