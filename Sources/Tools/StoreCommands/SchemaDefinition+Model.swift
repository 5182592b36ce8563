import Commands
import Importing
import Strata

extension SchemaDefinition {
    /// Creates the schema of a model, without the code of its custom migrations. The schema can inspect stores, but it
    /// cannot carry out custom migrations.
    package init(_ model: LoadedModel) {
        self.init(model.history, invalidRows: model.invalidRows)
    }
}
