import SQLSchema
import Strata

/// The entities of a Core Data store, with their numbers and inheritance, and whether they have objects.
struct CoreDataFamily {
    private var entities: [String: (number: Int, parent: Int)] = [:]
    private var names: [Int: String] = [:]
    private var used: Set<Int> = []

    mutating func add(_ name: String, number: Int, parent: Int) {
        // Core Data's own entities for persistent history come later. An entity of the app may have the same name.
        if entities[name] == nil { entities[name] = (number, parent) }
        if names[number] == nil { names[number] = name }
    }

    /// Records that an entity has objects.
    mutating func use(_ number: Int) { used.insert(number) }

    func has(_ entity: String) -> Bool { entities[entity] != nil }

    func name(of number: Int) -> String? { names[number] }

    func number(of entity: String) -> Int? { entities[entity]?.number }

    func isUsed(_ number: Int) -> Bool { used.contains(number) }

    /// Returns the root entity that `entity` inherits from; `entity` itself if it inherits from none.
    func root(of entity: String) -> String {
        var name = entity
        // A chain cannot be longer than the number of entities.
        for _ in entities {
            guard let parent = entities[name]?.parent, parent != 0, let next = names[parent] else { break }
            name = next
        }
        return name
    }

    /// Returns the numbers of an entity and its descendants, its own number first.
    func numbers(of entity: String) -> [Int] { numbers(of: entity, inside: []) }

    /// Returns the numbers of an entity and its descendants, its own number first.
    ///
    /// - Parameter entered: The entities that were visited already. They are skipped, so that a cycle ends.
    private func numbers(of entity: String, inside entered: Set<String>) -> [Int] {
        guard let number = entities[entity]?.number, !entered.contains(entity) else { return [] }
        let children = entities.filter { $0.value.parent == number && $0.key != entity }.keys.sorted()
        return [number] + children.flatMap { numbers(of: $0, inside: entered.union([entity])) }
    }

    /// Returns whether the entity with a number shares a table with `entity`.
    func isIn(_ number: Int, _ entity: String) -> Bool {
        names[number].map { root(of: $0) == root(of: entity) } ?? false
    }

    /// Returns whether an object can belong to both entities: they are the same, or one inherits from the other.
    func areInLine(_ one: String, _ other: String) -> Bool {
        guard let first = entities[one]?.number, let second = entities[other]?.number else { return true }
        return numbers(of: one).contains(second) || numbers(of: other).contains(first)
    }

    /// Returns the SQL expression for the name of an object's entity.
    func kind(of root: String) -> String {
        let cases = numbers(of: root).compactMap { number in
            names[number].map { "WHEN \(number) THEN \(SQL.literal($0))" }
        }
        return "CASE Z_ENT \(cases.joined(separator: " ")) END"
    }

    /// Returns a list of numbers in SQL.
    static func list(_ numbers: [Int]) -> String {
        "(" + numbers.map(String.init).joined(separator: ", ") + ")"
    }
}
