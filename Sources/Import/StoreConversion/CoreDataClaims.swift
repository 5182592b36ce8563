import SQLSchema
import Strata

/// The columns of a Core Data table that a version claims, and the properties that they belong to.
///
/// Properties of a family whose names are equal, ignoring letter case, have the columns `ZNAME`, `ZNAME1`, … in an
/// undocumented order. An object has values only in the columns of its entity's properties. In the rows of this entity,
/// each property therefore reads the column that has its type and a value. A version does not match if two properties
/// of one object could read the same column.
struct CoreDataClaims {
    let table: CoreDataSource.Table
    private let family: CoreDataFamily
    /// The properties, by their names in uppercase. A part of a composite attribute, such as `place.latitude`, has the
    /// column `ZLATITUDE`.
    private var groups: [String: [Claim]] = [:]
    /// The columns with the owners' keys of to-many relationships without an inverse, in uppercase.
    private var owners: Set<String> = []

    private struct Claim {
        let entity: String
        let property: String
        /// The types that the column may have; nil for any type.
        let types: Set<DeclaredType>?
        let isReference: Bool
        /// Whether the conversion reads the property.
        let isRead: Bool
        /// Whether the database must have a column for the property.
        let isRequired: Bool
        /// The columns that may belong to the property, in uppercase.
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

    /// Claims the column of a property that the conversion does not read.
    mutating func leave(_ entity: String, _ property: String, isRequired: Bool) {
        add(
            Claim(
                entity: entity, property: property, types: nil, isReference: true, isRead: false,
                isRequired: isRequired))
    }

    /// Claims the column with the owner's key of a to-many relationship without an inverse, and the column with the
    /// position at the owner.
    mutating func readOwner(_ column: String) { owners.formUnion([column, "Z_FOK_" + column.dropFirst()]) }

    private static func columnName(_ property: String) -> String {
        (property.split(separator: ".").last.map(String.init) ?? property).uppercased()
    }

    private mutating func add(_ claim: Claim) {
        let name = Self.columnName(claim.property)
        let isKnown = groups[name]?.contains { $0.entity == claim.entity && $0.property == claim.property } ?? false
        if !isKnown { groups[name, default: []].append(claim) }
    }

    /// Finds the columns of all properties.
    ///
    /// - Returns: The properties whose columns are missing or ambiguous, as text.
    mutating func resolve() -> [String] {
        var missing: [String] = []
        for (name, claims) in groups.sorted(by: { $0.key < $1.key }) {
            let names = ["Z" + name] + (1..<max(1, claims.count)).map { "Z\(name)\($0)" }
            let present = Array(names.prefix { table.columns[$0] != nil })
            // The column may also belong to a property whose own name ends in the number, such as `name1`.
            if let shared = present.dropFirst().first(where: { groups[String($0.dropFirst())] != nil }) {
                let names = claims.map { "\($0.entity).\($0.property)" }.joined(separator: " or ")
                missing.append("the property of \(shared), which may be \(names)")
                continue
            }
            let isComplete = present.count >= claims.count { $0.isRequired }
            for index in claims.indices {
                let claim = claims[index]
                groups[name]?[index].columns = present.filter { column in
                    guard let types = claim.types, let type = table.columns[column]?.type else { return true }
                    return types.contains(type)
                }
                let columns = groups[name]?[index].columns ?? []
                if claim.isRequired, !isComplete || columns.isEmpty {
                    missing.append("\(claim.entity).\(claim.property)")
                }
            }
            missing += ambiguities(groups[name] ?? [])
        }
        return missing
    }

    /// Returns the properties to read that might use the column of another property of the same object.
    private func ambiguities(_ claims: [Claim]) -> [String] {
        var ambiguities: [String] = []
        for (index, claim) in claims.enumerated() where claim.isRead && claims.count > 1 {
            for (otherIndex, other) in claims.enumerated() where otherIndex != index {
                if other.isRead, otherIndex < index { continue }
                if family.areInLine(claim.entity, other.entity), !Set(claim.columns).isDisjoint(with: other.columns) {
                    let names = [claim, other].map { "\($0.entity).\($0.property)" }.joined(separator: " and ")
                    ambiguities.append("a way to tell the columns of \(names) apart")
                }
            }
        }
        return ambiguities
    }

    /// Returns the columns that no property claims.
    func extra() -> [String] {
        var known = owners.union(["Z_PK", "Z_ENT", "Z_OPT"])
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
            return !numbered.rest.hasPrefix("_") || !references.contains(String(numbered.rest.dropFirst()))
        }.map { table.name + "." + $0.value.name }.sorted()
    }

    // MARK: Reading

    private func claim(_ entity: String, _ property: String) -> (claim: Claim, isShared: Bool)? {
        guard let claims = groups[Self.columnName(property)],
            let claim = claims.first(where: { $0.entity == entity && $0.property == property }), !claim.columns.isEmpty
        else { return nil }
        return (claim, claims.count > 1)
    }

    /// Returns the SQL expression for the first of `columns` that has a value. If other properties share the columns,
    /// the expression reads only rows of the property's entity.
    private func value(_ columns: [String], of claim: Claim, isShared: Bool) -> String {
        let names = columns.map { SQL.quoted(table.columns[$0]?.name ?? $0) }
        let value = names.count == 1 ? names[0] : "COALESCE(\(names.joined(separator: ", ")))"
        guard isShared, family.has(claim.entity) else { return value }
        return "CASE WHEN Z_ENT IN \(CoreDataFamily.list(family.numbers(of: claim.entity))) THEN \(value) END"
    }

    /// Returns the SQL expression for the value of a property; nil if it has no column.
    func value(_ entity: String, _ property: String) -> String? {
        claim(entity, property).map { value($0.claim.columns, of: $0.claim, isShared: $0.isShared) }
    }

    /// Returns the SQL expression for a conflict; nil if the property has only one column.
    ///
    /// There is a conflict if an object has values in more than one column of the property. The expression then lists
    /// these columns.
    func conflict(_ entity: String, _ property: String) -> String? {
        guard let (claim, _) = claim(entity, property), claim.columns.count > 1 else { return nil }
        let names = claim.columns.map { table.columns[$0]?.name ?? $0 }
        let count = names.map { "(\(SQL.quoted($0)) IS NOT NULL)" }.joined(separator: " + ")
        let own = CoreDataFamily.list(family.numbers(of: claim.entity))
        return "CASE WHEN Z_ENT IN \(own) AND \(count) > 1 THEN \(SQL.literal(names.joined(separator: ", "))) END"
    }

    /// Returns the SQL expression for the position of an object at the other end of a to-one relationship; nil if the
    /// relationship has no order.
    func position(_ entity: String, _ property: String) -> String? {
        guard let (claim, isShared) = claim(entity, property) else { return nil }
        let orders = claim.columns.map { "Z_FOK_" + $0.dropFirst() }.filter { table.columns[$0] != nil }
        guard !orders.isEmpty else { return nil }
        let owner = value(claim.columns, of: claim, isShared: isShared)
        let order = value(orders, of: claim, isShared: isShared)
        return """
            CASE WHEN \(owner) IS NOT NULL THEN row_number() OVER (PARTITION BY \(owner) ORDER BY \(order), Z_PK) - 1 END
            """
    }

    /// Returns the query that counts the values of a property; nil if it has no column.
    func count(_ entity: String, _ property: String) -> String? {
        value(entity, property).map { "SELECT count(\($0)) FROM \(SQL.quoted(table.name))" }
    }
}
