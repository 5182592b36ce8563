import Foundation

/// The references between the files of a target, from the index that the compiler writes in a debug build.
struct IndexStore {
    /// A reference in a file to a symbol that another file defines.
    struct Reference: Hashable {
        let file: String
        let line: Int
        let symbol: String
        let definedIn: String
    }

    /// Why there is no index.
    enum Absence: Error, CustomStringConvertible {
        case library(String)
        case store(URL)

        var description: String {
            switch self {
            case .library(let reason): "the toolchain's library for the index cannot be used: \(reason)"
            case .store(let url): "there is no index at \(url.path): build with SwiftPM in the debug configuration"
            }
        }
    }

    /// The paths of the files in the folder of the target.
    private(set) var files: Set<String> = []
    /// The references between them, with paths in the folder of the target.
    private(set) var references: Set<Reference> = []

    /// Reads the index of a target.
    ///
    /// The index may also have units of deleted files and of other builds. They do not count.
    ///
    /// - Parameters:
    ///   - target: The name of the target.
    ///   - sources: The folder of its files.
    ///   - products: The folder of the build.
    init(of target: String, in sources: URL, builtInto products: URL) throws {
        let url = products.appendingPathComponent("index/store")
        guard FileManager.default.fileExists(atPath: url.path) else { throw Absence.store(url) }
        let library = try IndexLibrary()
        guard let store = library.createStore(url.path, nil) else { throw Absence.store(url) }
        defer { library.disposeStore(store) }
        let objects = products.appendingPathComponent(target + ".build").path + "/"
        let folder = sources.path + "/"
        var definitions: [String: String] = [:]
        var uses: [(file: String, line: Int, identifier: String, symbol: String)] = []
        for unit in library.units(of: store) {
            guard let reader = library.createUnit(store, unit, nil) else { continue }
            defer { library.disposeUnit(reader) }
            let path = library.mainFile(reader).text
            guard path.hasPrefix(folder), library.outputFile(reader).text.hasPrefix(objects),
                FileManager.default.fileExists(atPath: path)
            else { continue }
            let file = String(path.dropFirst(folder.count))
            files.insert(file)
            for name in library.records(of: reader, about: path) {
                guard let record = library.createRecord(store, name, nil) else { continue }
                defer { library.disposeRecord(record) }
                library.forEachOccurrence(in: record) { symbol, roles, line in
                    let identifier = library.identifier(symbol).text
                    // A declaration is bit 0, a definition bit 1, a reference bit 2.
                    if roles & 0b011 != 0 { definitions[identifier] = file }
                    if roles & 0b100 != 0 { uses.append((file, line, identifier, library.name(symbol).text)) }
                }
            }
        }
        for use in uses {
            guard let definedIn = definitions[use.identifier], definedIn != use.file else { continue }
            references.insert(
                Reference(file: use.file, line: use.line, symbol: use.symbol, definedIn: definedIn))
        }
    }
}

/// The toolchain's library for the index: the functions of LLVM's `indexstore/indexstore.h`.
private struct IndexLibrary {
    typealias Create = @convention(c) (OpaquePointer, UnsafePointer<CChar>, OpaquePointer?) -> OpaquePointer?
    typealias Dispose = @convention(c) (OpaquePointer) -> Void
    typealias TextOf = @convention(c) (OpaquePointer) -> IndexText
    typealias Apply = @convention(c) (OpaquePointer, UnsafeRawPointer, Receive) -> Bool
    typealias Receive = @convention(c) (UnsafeRawPointer, OpaquePointer) -> Bool
    typealias ReceiveText = @convention(c) (UnsafeRawPointer, IndexText) -> Bool

    let createStore: @convention(c) (UnsafePointer<CChar>, OpaquePointer?) -> OpaquePointer?
    let disposeStore: Dispose
    private let forEachUnit: @convention(c) (OpaquePointer, UInt32, UnsafeRawPointer, ReceiveText) -> Bool
    let createUnit: Create
    let disposeUnit: Dispose
    let mainFile: TextOf
    let outputFile: TextOf
    private let forEachDependency: Apply
    private let kind: @convention(c) (OpaquePointer) -> Int32
    private let dependencyName: TextOf
    private let dependencyFile: TextOf
    let createRecord: Create
    let disposeRecord: Dispose
    private let forEachOccurrence: Apply
    private let symbol: @convention(c) (OpaquePointer) -> OpaquePointer
    private let roles: @convention(c) (OpaquePointer) -> UInt64
    private let position:
        @convention(c) (OpaquePointer, UnsafeMutablePointer<UInt32>, UnsafeMutablePointer<UInt32>) -> Void
    let identifier: TextOf
    let name: TextOf

    init() throws {
        guard let url = Self.url, let library = dlopen(url.path, RTLD_NOW) else {
            throw IndexStore.Absence.library(dlerror().map { String(cString: $0) } ?? "no toolchain has it")
        }
        func function<Function>(_ name: String) throws -> Function {
            guard let address = dlsym(library, "indexstore_" + name) else {
                throw IndexStore.Absence.library("it has no function \(name)")
            }
            return unsafeBitCast(address, to: Function.self)
        }
        createStore = try function("store_create")
        disposeStore = try function("store_dispose")
        forEachUnit = try function("store_units_apply_f")
        createUnit = try function("unit_reader_create")
        disposeUnit = try function("unit_reader_dispose")
        mainFile = try function("unit_reader_get_main_file")
        outputFile = try function("unit_reader_get_output_file")
        forEachDependency = try function("unit_reader_dependencies_apply_f")
        kind = try function("unit_dependency_get_kind")
        dependencyName = try function("unit_dependency_get_name")
        dependencyFile = try function("unit_dependency_get_filepath")
        createRecord = try function("record_reader_create")
        disposeRecord = try function("record_reader_dispose")
        forEachOccurrence = try function("record_reader_occurrences_apply_f")
        symbol = try function("occurrence_get_symbol")
        roles = try function("occurrence_get_roles")
        position = try function("occurrence_get_line_col")
        identifier = try function("symbol_get_usr")
        name = try function("symbol_get_name")
    }

    /// The library of the toolchain that `swift` belongs to.
    private static var url: URL? {
        struct Target: Decodable {
            struct Paths: Decodable { let runtimeResourcePath: String }
            let paths: Paths
        }
        guard let output = popen("swift -print-target-info", "r") else { return nil }
        defer { pclose(output) }
        var bytes = [UInt8](repeating: 0, count: 65_536)
        let count = fread(&bytes, 1, bytes.count, output)
        guard let target = try? JSONDecoder().decode(Target.self, from: Data(bytes[..<count])) else { return nil }
        // usr/lib/swift
        let folder = URL(fileURLWithPath: target.paths.runtimeResourcePath).deletingLastPathComponent()
        return ["so", "dylib"].map { folder.appendingPathComponent("libIndexStore." + $0) }
            .first { FileManager.default.fileExists(atPath: $0.path) }
    }

    /// What a C function passes on, with a closure as its context.
    private final class Receiver<Value> {
        let receive: (Value) -> Void

        init(_ receive: @escaping (Value) -> Void) { self.receive = receive }

        static func pass(_ value: Value, to context: UnsafeRawPointer) -> Bool {
            Unmanaged<Receiver>.fromOpaque(context).takeUnretainedValue().receive(value)
            return true
        }
    }

    func units(of store: OpaquePointer) -> [String] {
        var names: [String] = []
        let receiver = Receiver<IndexText> { names.append($0.text) }
        _ = withExtendedLifetime(receiver) {
            forEachUnit(store, 0, Unmanaged.passUnretained(receiver).toOpaque()) { Receiver.pass($1, to: $0) }
        }
        return names
    }

    private func forEach(_ apply: Apply, _ reader: OpaquePointer, _ body: @escaping (OpaquePointer) -> Void) {
        let receiver = Receiver<OpaquePointer>(body)
        _ = withExtendedLifetime(receiver) {
            apply(reader, Unmanaged.passUnretained(receiver).toOpaque()) { Receiver.pass($1, to: $0) }
        }
    }

    /// The names of the records with the symbols in a file.
    func records(of unit: OpaquePointer, about file: String) -> [String] {
        var names: [String] = []
        forEach(forEachDependency, unit) { dependency in
            let isRecord = kind(dependency) == 2
            if isRecord, dependencyFile(dependency).text == file { names.append(dependencyName(dependency).text) }
        }
        return names
    }

    func forEachOccurrence(in record: OpaquePointer, _ body: @escaping (OpaquePointer, UInt64, Int) -> Void) {
        forEach(forEachOccurrence, record) { occurrence in
            var (line, column): (UInt32, UInt32) = (0, 0)
            position(occurrence, &line, &column)
            body(symbol(occurrence), roles(occurrence), Int(line))
        }
    }
}

/// A text of the library: its first byte, and the number of its bytes. This type of the system has the same layout as the
/// library's, which is not imported.
private typealias IndexText = iovec

extension IndexText {
    fileprivate var text: String {
        String(decoding: UnsafeRawBufferPointer(start: iov_base, count: iov_len), as: UTF8.self)
    }
}
