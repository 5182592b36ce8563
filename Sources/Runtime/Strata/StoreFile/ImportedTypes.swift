import SQLSchema

/// The format of the databases that an imported schema had before, and how their contents are read.
public typealias ImportedFormat = SQLSchema.ImportedFormat
/// A column whose values have another form in the databases that a schema was imported from.
public typealias ImportedColumn = SQLSchema.ImportedColumn
/// A member of a struct in another library's JSON.
public typealias ImportedMember = SQLSchema.ImportedMember
/// A column that has another name in the databases that a schema was imported from.
public typealias ImportedOrigin = SQLSchema.ImportedOrigin
/// Data of the databases that a schema was imported from, which a conversion leaves there.
public typealias ImportedUnread = SQLSchema.ImportedUnread
/// The hash that Core Data assigns to an entity.
public typealias ImportedHash = SQLSchema.ImportedHash
/// The treatment of rows that do not fit.
public typealias ImportedInvalidRows = SQLSchema.ImportedInvalidRows
