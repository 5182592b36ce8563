import Descriptions
import Foundation
import Generation
import SchemaDiff

/// The run of the generator, from the files of a model to the generated files. `generate`, `check`, the plugin StrataBuild and the
/// tests take it, and each file of the model is read once:
///
///     ModelFiles ▶ ValidatedDescriptions ▶ SchemaHistory ▶ Sealing        load
///     LoadedModel ▶ [Artifact] ▶ [GeneratedFile] ▶ GeneratedTree          generate
///
/// No stage changes the value of another one. `generate` writes the tree, and `check` compares it with the disk.
enum Pipeline {
    /// The parts of a model's files.
    enum Scope {
        case all, sources, tests
    }

    /// Reads a model: its descriptions, resolved for each version, and what of them is released.
    ///
    /// - Parameters:
    ///   - folder: The folder of the model.
    ///   - testFolders: The folders of its test targets.
    ///   - release: The version to release; nil to release none. The versions before it are released too.
    ///   - scope: The parts to generate. A lost lock is only noticed if these are all parts.
    /// - Throws: `Diagnostics` with all problems in the files, or `CommandError`.
    static func load(
        _ folder: ModelFolder, tests testFolders: [ModelFolder.TestFolder] = [],
        releasing release: Sealing.Release? = nil, scope: Scope = .all
    ) throws -> LoadedModel {
        let settings = folder.configuration

        // The descriptions and the lock, as they are on disk.
        let files = try ModelFiles(reading: folder)

        // Each element with its properties in every version, or all errors.
        let descriptions = ValidatedDescriptions(
            reading: files.descriptions, folder: folder.path, schema: settings.schema,
            sealed: files.lock.versions.map(\.version), settings: settings.versions, imported: settings.imported,
            lint: settings.lint, qualifiesNames: settings.qualifiesNames, isLucid: settings.isLucid,
            payloads: files.payloads)

        // The supported versions, with their tables, and the steps between them.
        let history = try descriptions.supportedHistory(folder)
        let invalidRows = try descriptions.invalidRows(in: history, settings)

        // The versions that can no longer change.
        let sealing = try Sealing(
            of: history, files, descriptions, in: folder, release: release,
            folder: scope == .all ? FixtureFolder(of: history.name, in: testFolders) : nil)
        let severalDrafts =
            sealing.drafts.count > 1
            ? descriptions.severalDrafts(sealing.drafts, target: folder.target, isLockMissing: !files.hasLock) : []

        return LoadedModel(
            folder: folder, testFolders: testFolders, written: files.written, history: history,
            invalidRows: invalidRows, sealing: sealing,
            notes: descriptions.diagnostics, severalDrafts: severalDrafts)
    }

    /// Generates the files of a model, and compares them with those on disk. Nothing is written.
    ///
    /// - Parameters:
    ///   - model: The model.
    ///   - scope: The parts to generate.
    ///   - samples: The folders of the targets with samples and no tests.
    /// - Throws: `Diagnostics` if the model has several drafts; `CommandError` or `TemplateError` if a template is wrong.
    static func generate(
        _ model: LoadedModel, scope: Scope = .all, samples: [URL] = []
    ) throws -> GeneratedTree {
        guard model.severalDrafts.isEmpty else { throw Diagnostics(model.severalDrafts) }
        let isCommitted = model.folder.configuration.mode == .committed
        let generator = try model.generator(for: model.testFolders.first { $0.isFirst })

        // Each file with its template, and the values of the template.
        var artifacts: [Artifact] = []
        if scope != .tests {
            artifacts += (isCommitted ? generator.sources() : []) + generator.stubs() + generator.sql()
        }

        // Their texts.
        var files = try generator.rendered(artifacts)
        if scope != .tests { files.append(generator.lock()) }
        if scope == .all, model.folder.configuration.hasDocuments { files += try model.documents(generator) }

        // Where they belong, beside what is there already.
        var tree = try GeneratedTree(
            files, of: model, scope, functions: scope == .all ? generator.expectationFunctions() : [:])
        for tests in scope == .sources ? [] : model.testFolders {
            let generator = tests.isFirst ? generator : try model.generator(for: tests)
            tree.addTests(isCommitted ? try generator.rendered(generator.tests()) : [], in: tests, of: model, scope)
        }
        for folder in scope == .sources ? [] : samples {
            tree.addSamples(
                isCommitted ? try generator.rendered(generator.samples()) : [], in: folder, of: model, scope)
        }
        if scope == .all {
            // Targets that strata.json no longer names can still have generated files.
            for folder in model.folder.otherTargets(besides: model.testFolders.map(\.url) + samples) {
                tree.addSamples([], in: folder, of: model, scope)
            }
        }
        return tree
    }
}
