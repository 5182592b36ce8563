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
    /// What those databases have besides, which is not read: tables, and columns as `table.column`.
    public var unread: [String]

    /// A format of these parts.
    public init(
        _ library: Library, formerNames: [String: String] = [:], columns: [ImportedColumn] = [], unread: [String] = []
    ) {
        self.library = library
        self.formerNames = formerNames
        self.columns = columns
        self.unread = unread
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

    /// A column that is read in that form from the version at the position `first` on.
    public init(_ table: String, _ column: String, _ form: ImportedForm, since first: Int) {
        self.init(table, column, form, versions: first...Int.max)
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
