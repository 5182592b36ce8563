import SQLSchema

/// The `imported` object of `strata.json`, which describes the databases that a schema had before.
package struct ImportedSource: Hashable, Sendable {
    /// The library that created the databases.
    package var library: ImportedFormat.Library
    /// The form of a column's values from a version on.
    package struct Form: Hashable, Sendable {
        /// The first version in which the values have the form; nil for all versions.
        package var since: Version?
        /// The form of the values.
        package var form: ImportedForm

        /// Creates a form that applies from a version on.
        package init(since: Version? = nil, form: ImportedForm) {
            self.since = since
            self.form = form
        }
    }

    /// The forms of column values in the databases, by table and column. A later form applies from its version on.
    package var forms: [String: [Form]]
    /// A value that applies from a version on; nil ends the value that applied before.
    package struct Since<Value: Hashable & Sendable>: Hashable, Sendable {
        /// The first version in which the value applies; nil for all versions.
        package var version: Version?
        /// The value; nil if none applies.
        package var value: Value?

        /// Creates a value that applies from a version on.
        package init(_ version: Version?, _ value: Value?) {
            self.version = version
            self.value = value
        }
    }

    /// The origins of property values, by table and property, as `Entity.property` of Core Data.
    package var origins: [String: [Since<[String]>]] = [:]
    /// The tables and columns that only the databases have. A conversion leaves them there. Columns are written as
    /// `table.column`.
    package var unread: [String: [Since<ImportedUnread.Reason>]] = [:]

    /// The `user_version` of the databases, by version, if they keep one.
    package var userVersions: [Version: Int] = [:]
    /// The statements of the source's own migrations that custom migrations replace, by the version to which they lead.
    package var statements: [Version: [String]] = [:]
    /// The hashes of Core Data entities, by entity.
    package var hashes: [String: [Since<UInt64>]] = [:]

    /// Creates a source of databases.
    package init(library: ImportedFormat.Library, forms: [String: [Form]] = [:]) {
        self.library = library
        self.forms = forms
    }
}
