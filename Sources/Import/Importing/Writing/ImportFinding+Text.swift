extension ImportFinding {
    /// The finding as a sentence about the entity or the property that it concerns.
    var text: String {
        switch self {
        case .virtualTable: "it is a virtual table"
        case .searchTable: "it is a virtual table for full-text search"
        case .object(let type): "it is a \(type)"
        case .initialQuery: "it is a query that runs when the database is created"
        case .unknownElement(let type): "its type is unknown: \(type)"
        case .repeatableFile: "it belongs to no version, because Flyway runs it again whenever it changes"
        case .unreadableIndex: "the index cannot be read"
        case .transient: "it is transient, so stores have no values of it"
        case .compositeAttribute: "it is a composite attribute"
        case .unsupportedType(let type, let kind):
            "its type, \(type), is \(kind == "enum" ? "an enum without raw values" : "a \(kind)")"
        case .fetchedProperty: "it is a fetched property, so stores have no values of it"
        case .untyped: "it has no type, so stores have no values of it"
        case .derived(let source): "it is derived from \(source ?? "other properties")"
        case .noDestination: "the relationship has no destination"
        case .abstract: "it is abstract and no entity inherits from it, so it has no objects"
        case .unknownType(let type): "Strata has no type for \(type)"
        case .generated(let sql): "it is a generated column, with the value \(sql)"
        case .missingInVersionInfo: "VersionInfo.plist does not have this version"
        case .unchecked(let limit): limit.text
        case .transformer(let name): "the values keep the form that \(name) wrote"
        case .malformedDefault(let value, let type): "the default \"\(value)\" is not a value of its type, \(type)"
        case .defaultOfKey(let sql): "the default \(sql) of the primary key"
        case .defaultOfForeignKey: "the default of a foreign key"
        case .defaultNotConstant(let sql): "the default \(sql) is not a constant of its type"
        case .defaultOfOtherType(let sql, let form):
            "its default, \(sql), is not of the column's type; a conversion reads such values with the form \(form)"
        case .collation(let name): "the collation \(name)"
        case .keyWithNull: "it may be NULL in the database; a primary key of Strata may not"
        case .values(let problem, let type):
            (type.isEmpty ? "it has no declared type, and " : "its declared type is \(type), but ") + problem.text
        case .mandatory(let kind): "it is mandatory for \(kind), and NULL in rows of other kinds"
        case .check(let sql): "CHECK (\(sql))"
        case .autoincrement:
            "AUTOINCREMENT: `newID(of:)` returns no key twice, but SQLite may reuse a key for rows that your SQL inserts "
                + "without one"
        case .codeType(let type):
            "its type in the app is \(type): the property has the type of the column, and the values stay as the app's adapter wrote them"
        case .conflictClause(let word): "ON CONFLICT \(word): a row that breaks the constraint is an error"
        case .keyCollation(let name): "it is the primary key, which compares byte by byte, and not with \(name)"
        case .keyWithoutIdentifier(let columns):
            "its primary key (\(columns.joined(separator: ", "))) becomes a unique index, and rows get numbers as keys"
        case .foreignKeyCycle: "a foreign key in its primary key leads back to it, and becomes a plain column"
        case .setNull: "ON DELETE SET NULL, because it may not be NULL"
        case .setDefault: "ON DELETE SET DEFAULT"
        case .foreignKey(let columns, let problem):
            "the foreign key on \(columns.joined(separator: ", ")): \(problem.text)"
        case .index(let kind, let columns, let problem):
            kind.text + (columns.isEmpty ? "" : " on " + columns.joined(separator: ", ")) + ": " + problem.text
        case .missingDestination(let entity): "its destination, \(entity), does not exist"
        case .destinationWithoutObjects(let entity): "its destination, \(entity), has no objects"
        case .severalDestinations(let tables):
            "the objects of its destination are in several tables: \(tables.joined(separator: ", "))"
        case .ambiguousInverse(let name): "its inverse, \(name), does not exist or does not refer back to it alone"
        case .pairsLeft: "nothing shows where its pairs are, so a conversion leaves it empty"
        case .mandatoryWithoutColumn(let inverse):
            "it is mandatory, but the column belongs to \(inverse), so nothing checks that there is a row"
        case .cascadeToTarget(let target):
            "deleting it does not delete the rows of \(target) that it refers to: delete them yourself"
        case .denyFromTarget(let target): "it can be deleted while it refers to \(target)"
        case .replaced(let names): "it was removed, and \(names.joined(separator: ", ")) added"
        case .kindsMoved(let kinds): "its table was removed, and \(kinds.joined(separator: ", ")) moved to other tables"
        case .rewriteMark(let old, let new):
            "its versionHashModifier changes from \(old.map { "\"\($0)\"" } ?? "none") to "
                + (new.map { "\"\($0)\"" } ?? "none")
        case .migrationPolicy(let policy, let mapping): "\(policy) migrates it, in \(mapping)"
        case .mappedValue(let mapping): "\(mapping) computes its values"
        case .unusedMapping(let mapping, let source, let destination):
            "\(mapping) leads from \(source) to \(destination), which do not follow each other here"
        case .customStage(let file, let line): "\(file):\(line) is a custom stage, which may rewrite values"
        case .mappingProvider(let file, let line): "\(file):\(line) is a custom mapping, which may rewrite values"
        case .tagWithoutDescriptions: "the tag has no descriptions in this folder, so the version is left out"
        case .tagOfNewestVersion:
            "the tag has this version, but other descriptions than the folder; if customers have it, write a later "
                + "current_version in .lucid.yaml, and import again"
        case .settingOfLucid: "a setting of .lucid.yaml, which a store does not need"
        case .migrationOfLucid(let function):
            "the history has the version, and \(function)() may have changed values in it"
        case .unlisted(let name, let file, let line): "\(file):\(line) declares \(name), which no version lists"
        case .rowChange(let file, let line, let verb): "\(file):\(line) changes its rows (\(verb))"
        case .otherResult(let file, let difference): "\(file): \(difference)"
        case .missingDescription: "the model does not have it any more, so its changes are left out"
        case .missingElement: "the description does not have it any more, so its changes are left out"
        case .edited(let field, let description, let imported, let new):
            "\"\(field)\" is \(description ?? "absent") in the description and was \(imported ?? "absent") in the import, "
                + "so its change to \(new ?? "absent") is left out"
        }
    }
}

extension ImportFinding.Limit {
    fileprivate var text: String {
        switch self {
        case .minimum(let value): "the minimum, \(value), is not checked"
        case .maximum(let value): "the maximum, \(value), is not checked"
        case .pattern(let text): "the regular expression, \(text), is not checked"
        case .dates: "the range of dates is not checked"
        case .atLeast(let count): "the minimum count, \(count), is not checked"
        case .atMost(let count): "the maximum count, \(count), is not checked"
        }
    }
}

extension ImportFinding.DeclaredTypeProblem {
    fileprivate var text: String {
        switch self {
        case .notBoolean: "it has other values than 0 and 1"
        case .dateAsNumber:
            "its values are numbers: write in strata.json what they count, and change the property's type to date"
        case .unknownDate: "nothing shows the form of its values: write it in strata.json if it is not ISO 8601 text"
        case .otherKinds: "it has values of other types, which will not fit"
        case .chosen(let type):
            "nothing shows the type of its values: change the property's type, if it is not \(type.rawValue)"
        }
    }
}

extension ImportFinding.ForeignKeyProblem {
    fileprivate var text: String {
        switch self {
        case .onUpdate(let action): "ON UPDATE \(action), because primary keys do not change"
        case .noTable(let name): "the table \(name) does not exist"
        case .noPrimaryKey(let table): "\(table) has no primary key that Strata can reference"
        case .otherColumns(let table): "it references columns of \(table) that are not its primary key"
        case .missingColumn: "one of its columns does not exist"
        case .otherType(let column, let target): "`\(column)` and \(target) have different types"
        case .generated(let column): "`\(column)` is a generated column"
        case .inOtherKey(let column): "`\(column)` is part of another foreign key"
        case .partlyNullable: "only some of its columns may be NULL"
        case .partlyInPrimaryKey: "only some of its columns are in the primary key"
        }
    }
}

extension ImportFinding.IndexKind {
    fileprivate var text: String {
        switch self {
        case .index: "the index"
        case .unique: "UNIQUE"
        case .constraint: "the constraint"
        }
    }
}

extension ImportFinding.IndexProblem {
    fileprivate var text: String {
        switch self {
        case .expression(let sql): "it contains an expression" + (sql.map { ", \($0)" } ?? "")
        case .partial(let condition): "it contains only some rows" + (condition.map { ", those with \($0)" } ?? "")
        case .rTree: "it is an R-tree"
        case .primaryKey: "the primary key is not a property"
        case .otherCollation(let collation, let column):
            "it compares with \(collation), but the column compares with \(column)"
        case .leftOut(let column): "`\(column)` is left out"
        case .uniqueComputed(let column): "`\(column)` is a generated column, and a computed property cannot be unique"
        case .withinTables: "it applies within each table, and not to all entities that inherit it"
        case .notStored: "some of its properties are not stored"
        case .sharedColumn: "other kinds of rows use its column too"
        case .noColumn: "some of its properties have no column in this table"
        }
    }
}
