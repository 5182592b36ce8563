#if canImport(CoreData)
    import CoreData
    import Foundation

    // This file has been written on Linux, where there is no Core Data: it has never been compiled or run.

    extension MigrationTable {
        /// A name that is split in two by Core Data and SwiftData. Each migrates a store of its own, so only seconds are compared.
        func appleLine() throws -> Line {
            func median(_ run: () throws -> Double) throws -> Double {
                try (0..<3).map { _ in try run() }.sorted()[1]
            }
            var seconds = [("Core Data", try median { try CoreDataWay(rows: rows).seconds() })]
            #if canImport(SwiftData)
                if #available(macOS 15, *) {
                    seconds.append(("SwiftData", try median { try SwiftDataWay(rows: rows).seconds() }))
                }
            #endif
            return Line(name: "a name split in two, by code, in a store of its own", seconds: seconds)
        }
    }

    /// Runs `body` with the URL of a store in a temporary folder.
    private func withStore<Result>(_ body: (URL) throws -> Result) throws -> Result {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        return try body(folder.appendingPathComponent("store"))
    }

    private func timed(_ body: () throws -> Void) rethrows -> Double {
        let start = DispatchTime.now().uptimeNanoseconds
        try body()
        return Double(DispatchTime.now().uptimeNanoseconds - start) / 1e9
    }

    // MARK: Core Data

    /// A migration with a mapping model and a policy.
    private struct CoreDataWay {
        let rows: Int

        private static let kept: [(name: String, type: NSAttributeType)] = [
            ("id", .integer64AttributeType), ("email", .stringAttributeType), ("city", .stringAttributeType),
            ("age", .integer64AttributeType), ("score", .doubleAttributeType), ("active", .booleanAttributeType),
            ("created", .dateAttributeType),
        ]

        private static func model(_ texts: [String]) -> NSManagedObjectModel {
            let entity = NSEntityDescription()
            (entity.name, entity.managedObjectClassName) = ("Person", NSStringFromClass(NSManagedObject.self))
            entity.properties = (kept + texts.map { ($0, .stringAttributeType) }).map { name, type in
                let attribute = NSAttributeDescription()
                (attribute.name, attribute.attributeType, attribute.isOptional) = (name, type, false)
                return attribute
            }
            let model = NSManagedObjectModel()
            model.entities = [entity]
            return model
        }

        /// Returns the seconds of the migration.
        func seconds() throws -> Double {
            try withStore { url in
                let (old, new) = (Self.model(["name"]), Self.model(["first", "last"]))
                try fill(url, old)
                let mapping = NSEntityMapping()
                (mapping.name, mapping.mappingType) = ("PersonToPerson", .customEntityMappingType)
                (mapping.sourceEntityName, mapping.destinationEntityName) = ("Person", "Person")
                mapping.sourceEntityVersionHash = old.entityVersionHashesByName["Person"]
                mapping.destinationEntityVersionHash = new.entityVersionHashesByName["Person"]
                mapping.entityMigrationPolicyClassName = NSStringFromClass(SplittingPolicy.self)
                let fetch =
                    #"FUNCTION($manager, "fetchRequestForSourceEntityNamed:predicateString:", "Person", "TRUEPREDICATE")"#
                mapping.sourceExpression = NSExpression(format: "FETCH(\(fetch), $manager.sourceContext, NO)")
                mapping.attributeMappings = Self.kept.map { name, _ in
                    let attribute = NSPropertyMapping()
                    attribute.name = name
                    attribute.valueExpression = NSExpression(
                        format: #"FUNCTION($source, "valueForKey:", "\#(name)")"#)
                    return attribute
                }
                let mappings = NSMappingModel()
                mappings.entityMappings = [mapping]
                return try timed {
                    try NSMigrationManager(sourceModel: old, destinationModel: new).migrateStore(
                        from: url, sourceType: NSSQLiteStoreType, options: nil, with: mappings,
                        toDestinationURL: url.appendingPathExtension("new"), destinationType: NSSQLiteStoreType,
                        destinationOptions: nil)
                }
            }
        }

        private func fill(_ url: URL, _ model: NSManagedObjectModel) throws {
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
            let store = try coordinator.addPersistentStore(
                ofType: NSSQLiteStoreType, configurationName: nil, at: url, options: nil)
            let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            context.persistentStoreCoordinator = coordinator
            var number = 0
            let insert = NSBatchInsertRequest(
                entityName: "Person",
                dictionaryHandler: { person in
                    number += 1
                    let person = person
                    person["id"] = number
                    person["name"] = "First\(number) Last\(number)"
                    person["email"] = "person\(number)@example.com"
                    person["city"] = "City \(number % 1_000)"
                    person["age"] = number % 90
                    person["score"] = Double(number) * 0.5
                    person["active"] = number % 2 == 1
                    person["created"] = Date(timeIntervalSinceReferenceDate: Double(number) * 1.25)
                    return number > rows
                })
            try context.performAndWait { _ = try context.execute(insert) }
            try coordinator.remove(store)
        }
    }

    /// Splits the name.
    @objc(SplittingPolicy) private final class SplittingPolicy: NSEntityMigrationPolicy {
        override func createDestinationInstances(
            forSource source: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
        ) throws {
            try super.createDestinationInstances(forSource: source, in: mapping, manager: manager)
            let person = manager.destinationInstances(forEntityMappingName: mapping.name, sourceInstances: [source])
                .first
            let (first, last) = names(source.value(forKey: "name") as? String ?? "")
            person?.setValue(first, forKey: "first")
            person?.setValue(last, forKey: "last")
        }
    }

    // MARK: SwiftData

    #if canImport(SwiftData)
        import SwiftData

        @available(macOS 15, *)
        private enum People1: VersionedSchema {
            static let versionIdentifier = Schema.Version(1, 0, 0)
            static var models: [any PersistentModel.Type] { [Person.self] }

            @Model final class Person {
                var name: String
                var email: String
                var age: Int
                var score: Double

                init(_ number: Int) {
                    name = "First\(number) Last\(number)"
                    email = "person\(number)@example.com"
                    (age, score) = (number % 90, Double(number) * 0.5)
                }
            }
        }

        @available(macOS 15, *)
        private enum People2: VersionedSchema {
            static let versionIdentifier = Schema.Version(2, 0, 0)
            static var models: [any PersistentModel.Type] { [Person.self] }

            @Model final class Person {
                var name: String
                var first: String = ""
                var last: String = ""
                var email: String
                var age: Int
                var score: Double

                init() { (name, email, age, score) = ("", "", 0, 0) }
            }
        }

        @available(macOS 15, *)
        private enum Splitting: SchemaMigrationPlan {
            static var schemas: [any VersionedSchema.Type] { [People1.self, People2.self] }
            static var stages: [MigrationStage] {
                [
                    .custom(
                        fromVersion: People1.self, toVersion: People2.self, willMigrate: nil,
                        didMigrate: { context in
                            for person in try context.fetch(FetchDescriptor<People2.Person>()) {
                                (person.first, person.last) = names(person.name)
                            }
                            try context.save()
                        })
                ]
            }
        }

        /// A migration with a plan.
        @available(macOS 15, *)
        private struct SwiftDataWay {
            let rows: Int

            /// Returns the seconds of the migration.
            func seconds() throws -> Double {
                try withStore { url in
                    do {
                        let container = try ModelContainer(
                            for: Schema(versionedSchema: People1.self), configurations: ModelConfiguration(url: url))
                        let context = ModelContext(container)
                        for number in 1...rows { context.insert(People1.Person(number)) }
                        try context.save()
                    }
                    return try timed {
                        _ = try ModelContainer(
                            for: Schema(versionedSchema: People2.self), migrationPlan: Splitting.self,
                            configurations: ModelConfiguration(url: url))
                    }
                }
            }
        }
    #endif
#endif
