import SQLSchema

/// Something in the source that the descriptions do not express, or that you should review.
enum ImportFinding: Hashable, Sendable {
    // MARK: Elements that are left out

    case virtualTable
    case searchTable
    /// A view, a trigger or another object with this type in `sqlite_schema`.
    case object(type: String)
    /// SQL that Drift runs when it creates the database.
    case initialQuery
    case unknownElement(type: String)
    /// A file that Flyway runs again whenever it changes.
    case repeatableFile
    case unreadableIndex
    case transient
    case compositeAttribute
    /// The value has a type that Strata cannot read, such as an enum without raw values.
    case unsupportedType(String, kind: String)
    case fetchedProperty
    case untyped
    case derived(from: String?)
    case noDestination
    case abstract
    case unknownType(String)
    /// A column whose value SQLite computes, with its SQL.
    case generated(String)
    case missingInVersionInfo

    // MARK: Columns

    /// A limit that Strata does not check.
    case unchecked(Limit)
    /// A check of Core Data.
    enum Limit: Hashable, Sendable {
        case minimum(String)
        case maximum(String)
        case pattern(String)
        case dates
        case atLeast(String)
        case atMost(String)
    }
    case transformer(String)
    /// The default value in a Core Data model is not a value of the attribute's type.
    case malformedDefault(String, type: String)
    case defaultOfKey(String)
    case defaultOfForeignKey
    case defaultNotConstant(String)
    /// The default has another type than the column, and values are converted with this form.
    case defaultOfOtherType(String, String)
    case collation(String)
    case keyWithNull
    /// The values of a column do not confirm its declared type.
    case values(DeclaredTypeProblem, declared: String)
    /// The way in which the values of a column differ from its declared type.
    enum DeclaredTypeProblem: Hashable, Sendable {
        case notBoolean
        case dateAsNumber
        case unknownDate
        case otherKinds
        /// Values of all types fit the declared type, and there are none. The import had to choose a type.
        case chosen(ScalarType)
    }
    /// The property is mandatory only in rows of one kind.
    case mandatory(forKind: String)

    // MARK: Keys, constraints and indexes

    case check(String)
    case autoincrement
    /// An adapter of the app converts the values.
    case codeType(String)
    /// A constraint replaces or ignores rows.
    case conflictClause(String)
    case keyCollation(String)
    case keyWithoutIdentifier([String])
    case foreignKeyCycle
    case setNull
    case setDefault
    case foreignKey([String], ForeignKeyProblem)
    /// The reason why a foreign key, or a part of it, is left out.
    enum ForeignKeyProblem: Error, Hashable, Sendable {
        case onUpdate(String)
        case noTable(String)
        case noPrimaryKey(of: String)
        case otherColumns(of: String)
        case missingColumn
        case otherType(String, target: String)
        case generated(String)
        case inOtherKey(String)
        case partlyNullable
        case partlyInPrimaryKey
    }
    case index(IndexKind, [String], IndexProblem)
    /// The kind of an index in the source.
    enum IndexKind: Hashable, Sendable {
        case index, unique, constraint
    }
    /// The reason why an index, or a part of it, is left out.
    enum IndexProblem: Hashable, Sendable {
        case expression(String?)
        case partial(String?)
        case rTree
        case primaryKey
        case otherCollation(String, column: String)
        case leftOut(String)
        case uniqueComputed(String)
        case withinTables
        case notStored
        case sharedColumn
        case noColumn
    }

    // MARK: Relationships

    case missingDestination(String)
    case destinationWithoutObjects(String)
    case severalDestinations([String])
    case ambiguousInverse(String)
    case pairsLeft
    case mandatoryWithoutColumn(inverse: String)
    case cascadeToTarget(String)
    case denyFromTarget(String)

    // MARK: Steps

    /// The element was removed in a version that added others.
    case replaced(by: [String])
    /// The table was removed, and kinds of its rows moved to other tables.
    case kindsMoved([String])
    /// The app changed the mark with which it asks Core Data to migrate.
    case rewriteMark(String?, String?)
    /// A class of the app migrates the objects, in a mapping model.
    case migrationPolicy(String, in: String)
    /// An expression in a mapping model computes the values.
    case mappedValue(String)
    /// A mapping model connects versions that do not follow each other here.
    case unusedMapping(String, from: String, to: String)
    /// A custom stage of SwiftData leads to the version.
    case customStage(file: String, line: Int)
    /// A mapping provider of CoreStore leads to the version.
    case mappingProvider(file: String, line: Int)
    /// A schema of SwiftData that the migration plan does not list, or a model that no schema lists.
    case unlisted(String, file: String, line: Int)
    /// The inferred migration does not give the rows that the source's own file gives; or the file cannot be tried.
    case otherResult(file: String, String)
    /// A statement of a migration changes rows.
    case rowChange(file: String, line: Int, verb: String)

    // MARK: Lucid

    /// A setting in `.lucid.yaml` that a model of Strata does not have.
    case settingOfLucid
    /// A tag of a release has no descriptions in the folder.
    case tagWithoutDescriptions
    /// A tag of the newest version has other descriptions than the folder.
    case tagOfNewestVersion
    /// The app's own function may have changed values in the step to the version.
    case migrationOfLucid(String)

    // MARK: Updates of a model

    case missingDescription
    case missingElement
    /// You edited a field that the import would change.
    case edited(field: String, description: String?, imported: String?, new: String?)

    /// The part of `IMPORT.md` that reports a finding.
    enum Section: Hashable, Sendable {
        /// The import left something out.
        case notCarriedOver
        /// The source does not show whether an element was renamed, or whether it was removed and another one was
        /// added.
        case undecided
        /// The source contains a change of values that the model does not show.
        case marked
        /// The source has it, a description cannot, and only the app knows whether it needs it.
        case missing
    }

    var section: Section {
        switch self {
        case .replaced, .kindsMoved: .undecided
        case .rewriteMark, .migrationPolicy, .mappedValue, .customStage, .mappingProvider, .rowChange, .otherResult,
            .migrationOfLucid:
            .marked
        case .conflictClause, .keyCollation, .object, .defaultOfOtherType: .missing
        default: .notCarriedOver
        }
    }
}
