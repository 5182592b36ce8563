import SchemaModel
import SQLSchema

/// The changes of one step to an entity that exists before and after it.
package struct EntityStep: Sendable {
    /// The entity before.
    package let old: Entity
    /// The entity after.
    package let new: Entity
    /// The stored columns of the new table, each with the origin of its values.
    package let columns: [ColumnStep]
    /// Whether all rows of the entity are deleted.
    package let isEmptied: Bool
    /// Whether a custom migration converts the rows.
    package let isCustom: Bool
    /// Whether the custom migration reads and provides single columns instead of complete rows.
    package let isByColumns: Bool
    /// The changes that need a custom migration.
    package let customReasons: [CustomReason]
    /// The changes of the entity's table and its join tables.
    package let tableChanges: [TableChange]

    /// A column of the new table with the origin of its values.
    package struct ColumnStep: Sendable {
        /// The column after the step.
        package let column: StoredColumn
        /// The origin of the column's values.
        package let origin: ValueOrigin
    }

    /// Creates the step of an entity that does not change and has no instructions.
    init(unchanged entity: Entity, columns: [StoredColumn]) {
        old = entity
        new = entity
        self.columns = columns.map { ColumnStep(column: $0, origin: .copy($0)) }
        isEmptied = false
        isCustom = false
        isByColumns = false
        customReasons = []
        tableChanges = []
    }

    init(old: Entity, new: Entity, types: TypeInference) {
        let inference = EntityInference(old: old, new: new, types: types)
        let rowReasons = inference.rowReasons()
        let joins = inference.joinTables()
        self.old = old
        self.new = new
        columns = inference.columns
        isEmptied = inference.isEmptied
        isByColumns = types.instructions.byColumns.contains(new.lineage)
        isCustom = !rowReasons.isEmpty
        customReasons = rowReasons + inference.propertyReasons() + joins.customReasons
        tableChanges = inference.tableChanges(isCustom: isCustom) + joins.changes
    }
}
