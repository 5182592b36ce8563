import JSONText
import SchemaDiff
import SchemaModel
import SQLSchema

extension Problem {
    /// A message that says what is wrong and what to do.
    package var message: String {
        switch self {
        case .json(let problem): return message(of: problem)

        case .unknownKey(let key, let owner, let nearest):
            return "unknown key \"\(key)\" of \(owner)" + suggestion(nearest)
        case .misplacedKey(let key, let place):
            return "\"\(key)\" belongs \(place)"
        case .missingKey(let key, let owner):
            return "\(owner) needs \"\(key)\""
        case .wrongKind(let key, let expected, let found):
            return "\"\(key)\" must be \(expected), not \(found)"
        case .unknownValue(let value, let key, let nearest):
            return "\"\(value)\" is no \"\(key)\"" + suggestion(nearest)
        case .unknownType(let name, let nearest):
            return "unknown type \"\(name)\"" + suggestion(nearest)

        case .malformedVersion(let text):
            return "\"\(text)\" is no version; a version is numbers separated by dots, like \"1.0\""
        case .versionsNotAscending(let version, let before):
            return "version \(version) must be newer than \(before), which stands before it"
        case .misspelledVersion(let version, let draft):
            return "\(version) would seal the draft \(draft), but nothing else names it; correct it, "
                + "or, if it is meant, seal the draft yourself: strata release FOLDER --version \(draft)"
        case .neverDrafted(let version, let newest):
            return "\(version) was never a draft, and would be sealed at once because \(newest) is newer; correct it, "
                + "or, if it is meant, seal it yourself: strata release FOLDER --version \(version)"
        case .unlistedVersion(let version):
            return "version \(version) is missing in \"versions\" of strata.json"
        case .unknownVersion(let version):
            return "there is no version \(version)"
        case .twoSuccessors(let version):
            return "version \(version) stands twice in \"chain\""
        case .previousNameWithoutVersion:
            return "\"previous_name\" needs the version of the rename: "
                + "put it into an item of \"version_history\" or add \"added_at_version\""
        case .nothingPrevious(let key):
            return "\"\(key)\" has no former value that could be told"
        case .removedBeforeAdded(let added, let removed):
            return "it is removed at \(removed), which is not after \(added), when it is added"
        case .addedTwice:
            return "\"added_at_version\" and the first item of \"version_history\" name different births"
        case .outlivesEntity(let property, let entity):
            return "`\(property)` lives outside the life of `\(entity)`, which it is part of"
        case .itemOutsideLife(let version):
            return "nothing can change at \(version): it lives neither before nor after"
        case .replacementWithoutRemoval:
            return
                "\"replaced_by\" says what takes the place of a case that is removed; there is no \"removed_at_version\""
        case .discardWithoutRemoval:
            return "\"discard\" says that the data of something removed may go; there is no \"removed_at_version\""
        case .fillWithoutNeed(let key):
            return "\"\(key)\" gives existing rows a value, but nothing becomes mandatory here"

        case .emptyName:
            return "a name may not be empty"
        case .decomposedName(let name):
            return
                "\"\(name)\" is written in parts that Unicode composes (NFC): to Swift both are one name, to SQLite they are two; write it composed"
        case .unusableName(let name):
            return "\"\(name)\" has a control character or no letter at all, and so gives no name in Swift"
        case .reservedName(let name):
            return "\"\(name)\" is a name that Swift, SQLite or Strata keeps for itself"
        case .notATypeName(let name):
            return "\"\(name)\" cannot be the name of a type in Swift"
        case .duplicateEntity(let name, let version, let other):
            return "`\(name)` is also described in \(other), and both live in version \(version)"
        case .duplicateProperty(let name, let version):
            return "there are two `\(name)` in version \(version)"
        case .sameSwiftName(let name, let other, let swift, let version):
            return "`\(name)` and `\(other)` both become `\(swift)` in Swift in version \(version)"
        case .sameTableName(let name, let version):
            return "there would be two tables, indexes or columns `\(name)` in version \(version): SQL ignores case"
        case .nameOfKey(let name):
            return "`\(name)` is the name of the key; give the property or the \"identifier\" another \"name\""
        case .sameFileName(let name):
            return
                "two descriptions are called \(name).json; generated files are named after them, so one needs another name"

        case .unknownEntity(let name, let version, let nearest):
            return "there is no entity `\(name)` in version \(version)" + suggestion(nearest)
        case .unknownProperty(let name, let entity, let version, let nearest):
            return "`\(entity)` has no property `\(name)` in version \(version)" + suggestion(nearest)
        case .oneSidedInverse(let property, let entity, let inverse, let target, let version):
            return "in version \(version) the inverse of `\(entity).\(property)` is `\(target).\(inverse)`, "
                + "which does not name it back"
        case .inverseIsAttribute(let inverse, let target):
            return "`\(target).\(inverse)` is no relationship, so it cannot be an inverse"
        case .noStoredSide(let one, let other):
            return "of `\(one)` and `\(other)` one must say \"stored\": true, and then holds the relationship"
        case .twoStoredSides(let one, let other):
            return "both `\(one)` and `\(other)` say \"stored\": true; only one may hold the relationship"
        case .keyDoesNotApply(let key, let reason):
            return "\"\(key)\" does not apply here: \(reason)"
        case .nullifyOnMandatory:
            return "\"on_delete\": \"nullify\" cannot be: the relationship is mandatory; "
                + "make it \"nullable\": true, or say \"cascade\" or \"deny\""
        case .wrongLiteral(let key, let type, let found, let hint):
            return "\"\(key)\" of type \(type) cannot be \(found)" + (hint.map { "; \($0)" } ?? "")
        case .otherColumnCount(let count, let target, let key):
            return "\"persisted_name\" names \(count) columns, and the key of `\(target)` has \(key)"
        case .keyOfNothing(let version):
            return "a property of the key does not live in version \(version)"
        case .unusableKey(let name, let reason):
            return "`\(name)` cannot be part of the key: \(reason)"
        case .recursiveKey(let name):
            return "the key of `\(name)` is, in the end, made of itself"
        case .otherKeyType(let name):
            return "the key of `\(name)` is of another type, so this key cannot be made from it"
        case .indexOfNothing:
            return "a key or an index needs at least one property"
        case .indexOfUnstored(let name):
            return "`\(name)` has no column in this table, so it cannot be indexed here"
        case .noEntities:
            return
                "there is no entity in this folder; an entity is a JSON file with an \"identifier\" beside strata.json"

        case .twoKinds(let one, let other):
            return "a subtype has \"\(one)\" or \"\(other)\", not both"
        case .emptySubtype:
            return "a subtype needs at least one element"
        case .recursiveSubtype(let name):
            return "`\(name)` is, in the end, part of itself; no value could be stored"
        case .entityAsType(let name):
            return "`\(name)` is an entity; a relationship to it is written "
                + "{ \"entity_name\": \"\(name)\", \"association\": \"to_one\" }"
        case .subtypeAsEntity(let name):
            return "`\(name)` is a subtype: it has no \"identifier\", and so no rows that could be pointed at"
        case .unknownSubtype(let name, let version):
            return "the subtype `\(name)` does not live in version \(version)"
        case .unknownCase(let name, let subtype, let version, let nearest):
            return "`\(subtype)` has no `\(name)` in version \(version)" + suggestion(nearest)
        case .malformedBit(let found):
            return "\"bit\" must be a number from 0 to 62, not \(found)"
        case .sameBit(let bit, let one, let other):
            return "`\(one)` and `\(other)` have the same bit, \(bit); a bit is never used again"
        case .sameValue(let value, let one, let other, let version):
            return "`\(one)` and `\(other)` are both stored as \"\(value)\" in version \(version)"
        case .unusableMember(let name):
            return "`\(name)` cannot be the name of a property of a struct: it is a key in JSON, "
                + "where SQL finds no quote and no backslash"
        case .defaultOfOtherVersion(let version):
            return "the default is no value of the type as it stands in version \(version); "
                + "say in \"version_history\" what it was"
        case .missingMember(let name, let subtype):
            return "a `\(subtype)` needs \"\(name)\", which has no default"
        case .unusedSubtype(let name):
            return "no property is of the type `\(name)`; if it is to be an entity, it needs an \"identifier\""

        case .ignoredKeys(let keys):
            return "these keys mean nothing to a store and are ignored: " + keys.joined(separator: ", ")
        case .unpersisted:
            return "\"persist\" is false: nothing is stored of this entity, and nothing is generated for it"
        case .uncheckedMigration:
            return "the generated tests do not check what becomes of the values in this step"

        case .currentDate:
            return "\"current_date\" is not a constant: give each new row its date"

        case .malformedLock(let reason):
            return "the lock cannot be read: \(reason)"
        case .sealedChange(let change):
            return message(of: change)
        case .lockOfOtherSchema(let found, let expected):
            return "the lock is of the schema \(found), but the model generates \(expected); "
                + "rename the schema back, or move the lock with it"
        }
    }

    private func message(of problem: JSONProblem) -> String {
        switch problem {
        case .byteOrderMark:
            return "the file begins with a byte-order mark; save it as UTF-8 without one"
        case .notUTF8:
            return "the file is not UTF-8 from here on"
        case .emptyFile:
            return "the file is empty; a description is a JSON object"
        case .contentAfterEnd:
            return "there is something after the end of the JSON value"
        case .unexpectedEnd:
            return "the file ends in the middle of a JSON value"
        case .unexpectedCharacter(let found, let expected):
            return found.isEmpty ? "expected \(expected) here" : "expected \(expected), found `\(found)`"
        case .duplicateKey(let key):
            return "the key \"\(key)\" stands twice in this object"
        case .nestedTooDeep(let depth):
            return "the JSON is nested deeper than \(depth) levels"
        case .controlCharacterInString:
            return "a control character in a string must be written as an escape, like `\\n`"
        case .unterminatedString:
            return "this string has no end"
        case .unknownEscape:
            return "this is no escape of JSON; a backslash itself is written `\\\\`"
        case .loneSurrogate:
            return "this escape is half of a surrogate pair"
        case .malformedNumber(let text):
            return "`\(text)` is not a number of JSON"
        }
    }

    private func suggestion(_ nearest: String?) -> String {
        nearest.map { "; did you mean \"\($0)\"?" } ?? ""
    }

    private func message(of change: LockChange) -> String {
        if change.isOnlyDDL {
            let tables = change.entity.map { " `\($0)`" } ?? " its tables"
            return "version \(change.version) is sealed, and the SQL of\(tables) would change; "
                + "put the properties back into their former order"
        }
        let place = [change.entity, change.element].compactMap { $0 }.joined(separator: ".")
        let was = change.was ?? "absent"
        let now = change.now ?? "absent"
        guard !place.isEmpty else {
            return "version \(change.version) may not change any more: was \(was), is \(now)"
        }
        return "version \(change.version) is sealed, and `\(place)` in it has changed: was \(was), is \(now); "
            + "undo the edit, or describe the change at a newer version"
    }
}
