import SchemaSQL

/// The entities of a Core Data store: their numbers, which inherits from which, and of which there are objects.
struct CoreDataFamily {
    private var entities: [String: (number: Int, parent: Int)] = [:]
    private var names: [Int: String] = [:]
    private var used: Set<Int> = []

    mutating func add(_ name: String, number: Int, parent: Int) {
        // Core Data's own entities for persistent history come later, with names that an app's entity may have too.
        if entities[name] == nil { entities[name] = (number, parent) }
        if names[number] == nil { names[number] = name }
    }

    /// Notes that there are objects of an entity.
    mutating func use(_ number: Int) { used.insert(number) }

    func has(_ entity: String) -> Bool { entities[entity] != nil }

    func name(of number: Int) -> String? { names[number] }

    func number(of entity: String) -> Int? { entities[entity]?.number }

    func isUsed(_ number: Int) -> Bool { used.contains(number) }

    /// The entity that `entity` inherits from in the end; itself where it inherits from none.
    func root(of entity: String) -> String {
        var name = entity
        // No chain is longer than there are entities.
        for _ in entities {
            guard let parent = entities[name]?.parent, parent != 0, let next = names[parent] else { break }
            name = next
        }
        return name
    }

    /// The numbers of an entity and of all that inherit from it, its own first.
    func numbers(of entity: String) -> [Int] { numbers(of: entity, inside: []) }

    /// - `entered`: the entities that were entered already; a ring of them ends there.
    private func numbers(of entity: String, inside entered: Set<String>) -> [Int] {
        guard let number = entities[entity]?.number, !entered.contains(entity) else { return [] }
        let children = entities.filter { $0.value.parent == number && $0.key != entity }.keys.sorted()
        return [number] + children.flatMap { numbers(of: $0, inside: entered.union([entity])) }
    }

    /// Whether the entity of a number is in one table with `entity`.
    func isIn(_ number: Int, _ entity: String) -> Bool {
        names[number].map { root(of: $0) == root(of: entity) } ?? false
    }

    /// Whether an object can be of both entities: one inherits from the other, or they are the same.
    func areInLine(_ one: String, _ other: String) -> Bool {
        guard let first = entities[one]?.number, let second = entities[other]?.number else { return true }
        return numbers(of: one).contains(second) || numbers(of: other).contains(first)
    }

    /// The name of an object's entity, as SQL.
    func kind(of root: String) -> String {
        let cases = numbers(of: root).compactMap { number in
            names[number].map { "WHEN \(number) THEN \(SQL.literal($0))" }
        }
        return "CASE Z_ENT \(cases.joined(separator: " ")) END"
    }

    /// Numbers as a list in SQL.
    static func list(_ numbers: [Int]) -> String {
        "(" + numbers.map(String.init).joined(separator: ", ") + ")"
    }
}
