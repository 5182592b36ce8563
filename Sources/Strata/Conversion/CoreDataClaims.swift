import SchemaSQL

/// The columns of one table of Core Data that a version claims, and which of them each property has.
///
/// Properties of one name in a family, whatever their letter case, have the columns `ZNAME`, `ZNAME1`, … in an order that
/// is not documented. An object has values only in those of the properties that its entity has. So each property
/// reads, in rows of its own entity, whichever of these columns has its type and a value; two properties of one object that
/// could read the same column are refused.
struct CoreDataClaims {
    let table: CoreDataSource.Table
    private let family: CoreDataFamily
    /// The properties by their names in capitals.
    private var groups: [String: [Claim]] = [:]

    private struct Claim {
        let entity: String
        let property: String
        /// The types that its column may have; nil for any.
        let types: Set<DeclaredType>?
        let isReference: Bool
        /// Whether the conversion reads it.
        let isRead: Bool
        /// Whether the database has to have it.
        let isRequired: Bool
        /// The columns that can be its own, in capitals.
        var columns: [String] = []
    }

    init(of table: CoreDataSource.Table, _ family: CoreDataFamily) {
        self.table = table
        self.family = family
    }

    // MARK: Claiming

    /// Claims the column of a property that the conversion reads.
    mutating func read(_ entity: String, _ property: String, types: Set<DeclaredType>?, isReference: Bool) {
        add(
            Claim(
                entity: entity, property: property, types: types, isReference: isReference, isRead: true,
                isRequired: true))
    }

    /// Claims the column of a property that the conversion leaves where it is.
    mutating func leave(_ entity: String, _ property: String, isRequired: Bool) {
        add(
            Claim(
                entity: entity, property: property, types: nil, isReference: true, isRead: false,
                isRequired: isRequired))
    }

    private mutating func add(_ claim: Claim) {
        let name = claim.property.uppercased()
        let isKnown = groups[name]?.contains { $0.entity == claim.entity && $0.property == claim.property } ?? false
        if !isKnown { groups[name, default: []].append(claim) }
    }

    /// Finds the columns of all properties, and gives what the table lacks.
    mutating func resolve() -> [String] {
        var missing: [String] = []
        for (name, claims) in groups.sorted(by: { $0.key < $1.key }) {
            let names = ["Z" + name] + (1..<max(1, claims.count)).map { "Z\(name)\($0)" }
            let present = Array(names.prefix { table.columns[$0] != nil })
            // A column that another property has too by its own name cannot be told apart.
            if let shared = present.dropFirst().first(where: { groups[String($0.dropFirst())] != nil }) {
                let names = claims.map { "\($0.entity).\($0.property)" }.joined(separator: " or ")
                missing.append("the property of \(shared), which may be \(names)")
                continue
            }
            let isComplete = present.count >= claims.count { $0.isRequired }
            for place in claims.indices {
                let claim = claims[place]
                groups[name]?[place].columns = present.filter { column in
                    guard let types = claim.types, let type = table.columns[column]?.type else { return true }
                    return types.contains(type)
                }
                let columns = groups[name]?[place].columns ?? []
                if claim.isRequired, !isComplete || columns.isEmpty {
                    missing.append("\(claim.entity).\(claim.property)")
                }
            }
            missing += ambiguities(groups[name] ?? [])
        }
        return missing
    }

    /// The properties that are read and may have the column of another property of the same object.
    private func ambiguities(_ claims: [Claim]) -> [String] {
        var ambiguities: [String] = []
        for (place, claim) in claims.enumerated() where claim.isRead && claims.count > 1 {
            for (otherPlace, other) in claims.enumerated() where otherPlace != place {
                if other.isRead, otherPlace < place { continue }
                if family.areInLine(claim.entity, other.entity), !Set(claim.columns).isDisjoint(with: other.columns) {
                    let names = [claim, other].map { "\($0.entity).\($0.property)" }.joined(separator: " and ")
                    ambiguities.append("a way to tell the columns of \(names) apart")
                }
            }
        }
        return ambiguities
    }

    /// The columns that no property claims.
    ///
    /// - Parameter hidden: The to-many relationships without an inverse, of which the target's table has the owner's key.
    func extra(hiding hidden: [(entity: String, property: String)]) -> [String] {
        var known: Set<String> = ["Z_PK", "Z_ENT", "Z_OPT"]
        var references: Set<String> = []
        for claims in groups.values {
            let columns = Set(claims.flatMap(\.columns))
            known.formUnion(columns)
            if claims.contains(where: \.isReference) { references.formUnion(columns.map { String($0.dropFirst()) }) }
        }
        return table.columns.filter { name, _ in
            if known.contains(name) { return false }
            if name.hasPrefix("Z_FOK_"), references.contains(String(name.dropFirst(6))) { return false }
            guard let numbered = CoreDataSource.number(in: name, after: "Z") else { return true }
            if numbered.rest.hasPrefix("_"), references.contains(String(numbered.rest.dropFirst())) { return false }
            return !hidden.contains { entity, property in
                numbered.rest == property.uppercased() && family.isIn(numbered.number, entity)
            }
        }.map { table.name + "." + $0.value.name }.sorted()
    }

    // MARK: Reading

    private func claim(_ entity: String, _ property: String) -> (claim: Claim, isShared: Bool)? {
        guard let claims = groups[property.uppercased()],
            let claim = claims.first(where: { $0.entity == entity && $0.property == property }), !claim.columns.isEmpty
        else { return nil }
        return (claim, claims.count > 1)
    }

    /// The first of some columns that has a value, in rows of the entity where other properties share them.
    private func value(_ columns: [String], of claim: Claim, isShared: Bool) -> String {
        let names = columns.map { SQL.quoted(table.columns[$0]?.name ?? $0) }
        let value = names.count == 1 ? names[0] : "COALESCE(\(names.joined(separator: ", ")))"
        guard isShared, family.has(claim.entity) else { return value }
        return "CASE WHEN Z_ENT IN \(CoreDataFamily.list(family.numbers(of: claim.entity))) THEN \(value) END"
    }

    /// The value of a property, as SQL; nil where it has no column.
    func value(_ entity: String, _ property: String) -> String? {
        claim(entity, property).map { value($0.claim.columns, of: $0.claim, isShared: $0.isShared) }
    }

    /// The expression that names the columns of a property of which an object has a value in more than one; nil where the
    /// property has one column.
    func conflict(_ entity: String, _ property: String) -> String? {
        guard let (claim, _) = claim(entity, property), claim.columns.count > 1 else { return nil }
        let names = claim.columns.map { table.columns[$0]?.name ?? $0 }
        let count = names.map { "(\(SQL.quoted($0)) IS NOT NULL)" }.joined(separator: " + ")
        let own = CoreDataFamily.list(family.numbers(of: claim.entity))
        return "CASE WHEN Z_ENT IN \(own) AND \(count) > 1 THEN \(SQL.literal(names.joined(separator: ", "))) END"
    }

    /// The position of an object at the other end of a to-one relationship, as SQL; nil where the relationship has no order.
    func position(_ entity: String, _ property: String) -> String? {
        guard let (claim, isShared) = claim(entity, property) else { return nil }
        let places = claim.columns.map { "Z_FOK_" + $0.dropFirst() }.filter { table.columns[$0] != nil }
        guard !places.isEmpty else { return nil }
        let owner = value(claim.columns, of: claim, isShared: isShared)
        let place = value(places, of: claim, isShared: isShared)
        return """
            CASE WHEN \(owner) IS NOT NULL THEN row_number() OVER (PARTITION BY \(owner) ORDER BY \(place), Z_PK) - 1 END
            """
    }

    /// The query that counts the values of a property; nil where it has no column.
    func count(_ entity: String, _ property: String) -> String? {
        value(entity, property).map { "SELECT count(\($0)) FROM \(SQL.quoted(table.name))" }
    }
}
