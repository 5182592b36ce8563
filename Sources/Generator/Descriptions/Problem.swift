import JSONText
import SchemaDiff
import SchemaModel

/// A problem in a model's files. Each case is one cause. The wording is in `Problem+Message.swift`.
package enum Problem: Hashable, Sendable {
    case json(JSONProblem)

    // Shape
    case unknownKey(String, of: String, nearest: String?)
    case misplacedKey(String, belongs: String)
    case notADescription(found: String)
    case missingIdentifier
    case missingKey(String, of: String)
    case wrongKind(key: String, expected: String, found: String)
    /// An entry of an array or object, such as `versions`.
    case wrongEntry(of: String, expected: String, found: String)
    /// Two spellings of the same key.
    case sameKey(String, String)
    /// A value that is not one of `allowed`.
    case unknownValue(String, of: String, allowed: [String])
    case unknownType(String, hint: String?)
    case nestedLists(most: Int)
    case dictionaryKey(String)
    /// Something has more parts than SQLite allows on devices.
    case tooMany(String, found: Int, String, most: Int, remedy: String)

    // Versions
    case malformedVersion(String)
    case versionsNotAscending(String, after: String)
    case unlistedVersion(String)
    /// Versions that are not released, oldest first, although only one version can be a draft.
    case severalDrafts([String], target: String, isLockMissing: Bool)
    case namedToo(String)
    case currentVersionIsOld(String, released: String)
    case currentVersionIsUnsupported(String, oldest: String)
    case unknownVersion(String)
    case twoSuccessors(String)
    case sameSuccessor(String, of: String)
    case noSuccessor(String)
    case previousNameWithoutVersion
    case lucidNil
    case lucidPersistence
    case nothingPrevious(key: String)
    case removedBeforeAdded(added: String, removed: String)
    case addedTwice
    case outlivesEntity(element: String, entity: String, versions: String)
    /// A history item outside the life of its element, or with former values at its start or end.
    case itemOutsideLife(String)
    /// The first item of an entity says `migration`, so that the entity may be new or not.
    case migrationOfNewEntity(String, first: String)
    /// An item without any change. This is a note.
    case itemWithoutEffect(String)
    case replacementWithoutRemoval
    case discardWithoutRemoval
    case fillWithoutNeed(String)

    // Names
    case emptyName
    case unusableName(String)
    case decomposedName(String)
    case reservedName(String)
    case notATypeName(String)
    case duplicateEntity(String, version: String, other: String)
    case duplicateProperty(String, version: String)
    /// Two elements, as the message shows them, have the same name in Swift.
    case sameSwiftName(String, String, swift: String, version: String)
    case sameTableName(String, version: String)
    case sameFileName(String)
    case controlInFileName
    /// The name, and the key that gives it to the property.
    case nameOfKey(String, key: String)

    // Meaning
    case unknownEntity(String, version: String, nearest: String?)
    /// An entity that an older version has.
    case removedEntity(String, version: String)
    case unknownProperty(String, of: String, version: String, nearest: String?)
    case unknownInverse(String, of: String, version: String, nearest: String?)
    case oneSidedInverse(property: String, entity: String, inverse: String, target: String, version: String)
    case inverseIsAttribute(String, of: String)
    case noStoredSide(String, String)
    case twoStoredSides(String, String)
    case keyDoesNotApply(String, because: String)
    case nullifyOnMandatory
    case wrongLiteral(key: String, type: String, found: String, hint: String?)
    case indexOfNothing
    case malformedExpression(key: String, String)
    /// The name of a computed property where only a stored one can stand.
    case computedProperty(String, key: String)
    /// A computed property whose values may be of another type than its own.
    case computedOfOtherType(found: String, type: String, version: String)
    case conditionDoesNotApply(key: String, String, version: String)
    case conditionOfYounger(key: String, property: String, added: String, version: String)
    /// A default value or a backfill value that a limit forbids.
    case valueOutsideLimit(key: String, value: String, limit: String)
    case emptyRange(String, String)
    case sameCheckName(String)
    case keyOfNothing(String, version: String)
    case otherColumnCount(Int, target: String, key: Int)
    case unusableKey(String, because: String)
    case recursiveKey(String)
    case otherKeyType(String)
    case indexOfUnstored(String)
    case noEntities

    // Subtypes
    case twoKinds(String, String)
    case emptySubtype
    case recursiveSubtype(String)
    case entityAsType(String)
    case subtypeAsEntity(String)
    case unknownSubtype(String, version: String)
    case unknownCase(String, of: String, version: String, nearest: String?)
    case malformedBit(String)
    case sameBit(Int, String, String)
    case sameValue(String, String, String, version: String)
    case unusableMember(String)
    case defaultOfOtherVersion(version: String)
    case defaultOfOlderSubtype(String, version: String)
    case missingMember(String, of: String)
    case unusedSubtype(String)
    case hiddenType(String, type: String, module: String)

    // Target environments
    case lint(LintProfile, LintFinding, of: String, version: String)

    // Notes
    case ignoredKeys([String])
    case unpersisted(isWritten: Bool)
    /// `previous_name` without a version, as Lucid means it. The version of the rename is nil if the entity has only one.
    case previousNameOfLucid(since: String?)
    /// The type of a primary key in Lucid; nil for an entity without a primary key.
    case identifierOfLucid(String?)
    case keyOfUnpersisted(String)
    case nullableToMany
    /// Lucid's `lazy`, which distinguishes values that were not requested.
    case lazy(isToMany: Bool)
    /// Lucid's descriptions of payloads are not read.
    case payloads(Int)
    case uncheckedMigration
    case currentDate

    // Locks
    case malformedLock(String)
    case twoReleases(LockConflict)
    case mergeConflict
    case sealedChange(LockChange, next: String)
    case lockOfOtherSchema(String, expected: String)
}
