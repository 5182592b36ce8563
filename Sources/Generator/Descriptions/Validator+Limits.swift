import SchemaDiff
import SchemaModel
import SQLSchema

extension Validator {
    /// Reports an entity whose table would exceed a limit of SQLite.
    mutating func checkSize(_ entity: Entity, _ version: ModelVersion, _ index: VersionIndex) {
        let table = version.table(of: entity)
        let columns = table.allColumnNames.count
        if columns > SQLiteLimits.columns {
            report(
                .tooMany(
                    "the table of `\(entity.name)`", found: columns, "columns", most: SQLiteLimits.columns,
                    remedy: "move properties to a struct, or to another entity"), entity, index)
        }
        if table.primaryKey.count > SQLiteLimits.keyColumns {
            report(
                .tooMany(
                    "the primary key of `\(entity.name)`", found: table.primaryKey.count, "columns",
                    most: SQLiteLimits.keyColumns, remedy: "use an int or uuid, and a unique index"), entity, index,
                key: "identifier")
        }
        if let search = entity.search, search.columns.count > SQLiteLimits.searchedColumns {
            report(
                .tooMany(
                    "the search of `\(entity.name)`", found: search.columns.count, "properties",
                    most: SQLiteLimits.searchedColumns, remedy: "search fewer"), entity, index, key: "search")
        }
        let length = SQLite.createTable(table).utf8.count
        if length > SQLiteLimits.statement {
            report(
                .tooMany(
                    "the SQL of `\(entity.name)`", found: length, "bytes", most: SQLiteLimits.statement,
                    remedy: "shorten its default values, checks and names"), entity, index)
        }
    }

    /// Returns the problems with the length of the statements that copy the rows of a step.
    func statementProblems(_ step: SchemaStep) -> [Diagnostic] {
        step.entities.compactMap { entity in
            let expressions = entity.tableChanges.isEmpty ? [] : entity.columns.compactMap(\.origin.expression)
            let length = expressions.reduce(0) { $0 + $1.size }
            guard length > SQLiteLimits.statement / 2 else { return nil }
            let problem = Problem.tooMany(
                "the SQL that copies the rows of `\(entity.new.name)`", found: length, "bytes",
                most: SQLiteLimits.statement / 2, remedy: "shorten the values of \"fill\"")
            let index = history.versions.firstIndex { $0.version == step.to.version } ?? 0
            return sources.diagnostic(problem, entity: entity.new.lineage, at: VersionIndex(index))
        }
    }
}
