import JSONText
import SchemaDiff
import SchemaModel
import SQLSchema

extension Problem {
    /// The message: it describes the problem and its solution.
    package var message: String {
        switch self {
        case .json(let problem): return message(of: problem)
        case .lint(let profile, let finding, let name, let version):
            return "\(finding.message(name)) (lint \(profile.rawValue), version \(version))"

        case .unknownKey(let key, let owner, let nearest):
            let advice = owner == KeyTable.property.kind.name ? KeyHint.advice[key] : nil
            return "unknown key \"\(key)\" of \(owner)" + (advice.map { "; \($0)" } ?? suggestion(nearest))
        case .misplacedKey(let key, let location):
            return "\"\(key)\" belongs \(location)"
        case .notADescription(let found):
            return "a file describes one entity or subtype, so it must contain an object, not \(found)"
        case .missingIdentifier:
            return
                "an entity needs \"identifier\"; a file without one describes a struct, which has no relationships, or an enum, "
                + "which has \"cases\""
        case .missingKey(let key, let owner):
            return "\(owner) needs \"\(key)\""
        case .wrongKind(let key, let expected, let found):
            return "\"\(key)\" must be \(expected), not \(found)"
        case .wrongEntry(let key, let expected, let found):
            return "an entry of \"\(key)\" must be \(expected), not \(found)"
        case .sameKey(let one, let other):
            return "\"\(one)\" and \"\(other)\" are the same key; remove one of them"
        case .unknownValue(let value, let key, let allowed):
            let values = allowed.map { "\"\($0)\"" }
            let last = values.last ?? ""
            let list = values.count > 1 ? values.dropLast().joined(separator: ", ") + " or " + last : last
            return "\"\(key)\" cannot be \"\(value)\"; it can be \(list)"
        case .unknownType(let name, let hint):
            return "unknown type \"\(name)\"" + (hint.map { "; " + $0 } ?? "")
        case .dictionaryKey(let type):
            return "the keys of a dictionary are \"string\" or \"int\", as in \"{string:int}\", not \"\(type)\""
        case .nestedLists(let most):
            return "lists can be nested at most \(most) deep; describe a struct for the inner ones"
        case .tooMany(let subject, let found, let parts, let most, let remedy):
            return "\(subject) has \(found) \(parts), and SQLite on devices allows at most \(most); \(remedy)"

        case .malformedVersion(let text):
            return "\"\(text)\" is not a version; a version is like \"1.0\", and a beta like \"1.1-beta.1\""
        case .versionsNotAscending(let version, let before):
            return "versions must be in ascending order; \(version) cannot follow \(before)"
        case .severalDrafts(let versions, let target, let isLockMissing):
            return severalDrafts(versions, target: target, isLockMissing: isLockMissing)
        case .namedToo(let version): return "\(version) is named here too"
        case .currentVersionIsOld(let version, let released):
            return
                "\"current_version\" is \(version), but \(released) is released; write \(released) or a later version"
        case .currentVersionIsUnsupported(let version, let oldest):
            return "\"current_version\" is \(version), which is older than \"oldest_supported_version\", \(oldest)"
        case .unlistedVersion(let version):
            return "version \(version) is not in \"versions\" of strata.json; add it there, or correct it here"
        case .unknownVersion(let version):
            return "no description names the version \(version); remove it, or name it in a description"
        case .twoSuccessors(let version):
            return "\"chain\" has two entries for version \(version)"
        case .sameSuccessor(let version, let from):
            return "\"chain\" lists \(version) twice for version \(from)"
        case .noSuccessor(let version):
            return "\"chain\" lists no version for \(version); remove it, and stores migrate to the next version"
        case .previousNameWithoutVersion:
            return "\"previous_name\" needs the version of the rename; "
                + "write it in an item of \"version_history\", or add \"added_at_version\"; "
                + "or write \"lucid\": true in strata.json, and it is that of the newest version of the entity"
        case .lucidNil:
            return "\"nil\" means nil in Lucid, and the text \"nil\" in Strata; write in strata.json\n"
                + "    \"lucid\": true    for nil, or\n    \"lucid\": false   for the text"
        case .lucidPersistence:
            return "Lucid does not store an entity without \"persist\", but Strata does; write in strata.json\n"
                + "    \"lucid\": true    not to store it, or\n    \"lucid\": false   to store it"
        case .nothingPrevious(let key):
            return "\"\(key)\" has no history, so \"previous\" cannot contain it"
        case .removedBeforeAdded(let added, let removed):
            return "\"removed_at_version\" \(removed) must be later than \"added_at_version\" \(added)"
        case .addedTwice:
            return "\"added_at_version\" and the first item of \"version_history\" name different versions"
        case .outlivesEntity(let element, let entity, let versions):
            return "\(element) must be added and removed within the versions that have `\(entity)`: \(versions)"
        case .migrationOfNewEntity(let version, let first):
            return "the entity has a migration to \(version), but the description does not say since when it exists; "
                + "write { \"version\": \"\(first)\" } before this item, or, if it is new in \(version), \"added_at_version\": \"\(version)\""
        case .itemWithoutEffect(let version):
            return "nothing changes here in \(version), so this item has no effect"
        case .itemOutsideLife(let version):
            return
                "nothing can change at \(version): a change needs an element that exists in that version and in the one before; "
                + "check \"added_at_version\" and \"removed_at_version\""
        case .replacementWithoutRemoval:
            return
                "\"replaced_by\" is for a case that is removed; add \"removed_at_version\""
        case .discardWithoutRemoval:
            return "\"discard\" is for an element that is removed; add \"removed_at_version\""
        case .fillWithoutNeed(let key):
            return
                "\"\(key)\" is the value of existing rows for a property that is added, becomes required, or gets a stricter limit, which is not the case here"

        case .emptyName:
            return "a name must not be empty"
        case .decomposedName(let name):
            return
                "\"\(name)\" is not in Unicode's composed form (NFC), so Swift and SQLite would compare it differently; write it composed"
        case .unusableName(let name):
            return
                "\(quoted(name)) cannot become a name in Swift; use letters and digits, and no invisible characters"
        case .reservedName(let name):
            return "\"\(name)\" is reserved by Swift, SQLite or Strata; choose another name"
        case .notATypeName(let name):
            return "\"\(name)\" cannot be the name of a type in Swift"
        case .duplicateEntity(let name, let version, let other):
            return "\(other) describes `\(name)` too, and both exist in version \(version); rename or remove one"
        case .duplicateProperty(let name, let version):
            return "version \(version) has two properties `\(name)`; rename one of them"
        case .sameSwiftName(let name, let other, let swift, let version):
            return "\(name) and \(other) both become `\(swift)` in Swift in version \(version); rename one of them"
        case .sameTableName(let name, let version):
            return
                "version \(version) would have two tables, indexes or columns `\(name)`, because SQL ignores letter case"
        case .nameOfKey(let name, let key):
            let remedy = key == "name" ? "or the" : "another \"\(key)\", or the"
            return
                "`\(name)` is the name of the primary key; give the property \(remedy) \"identifier\" another \"name\""
        case .controlInFileName:
            return "the name of the file contains a line break or another control character; rename the file"
        case .sameFileName(let name):
            return
                "two descriptions are named \(name).json; rename one, because generated files have the same names"

        case .unknownEntity(let name, let version, let nearest):
            return "version \(version) has no entity `\(name)`" + suggestion(nearest)
        case .removedEntity(let name, let version):
            return "version \(version) has no entity `\(name)`, because it is removed; "
                + "add \"removed_at_version\": \"\(version)\" here too, or write another \"entity_name\""
        case .unknownProperty(let name, let entity, let version, let nearest):
            return "`\(entity)` has no property `\(name)` in version \(version)" + suggestion(nearest)
        case .unknownInverse(let name, let entity, let version, let nearest):
            return "the inverse `\(entity).\(name)` does not exist in version \(version)"
                + (nearest.map { "; did you mean \"\($0)\"?" }
                    ?? "; add this property to `\(entity)`, or remove \"inverse\"")
        case .oneSidedInverse(let property, let entity, let inverse, let target, let version):
            return "the inverse of `\(entity).\(property)` is `\(target).\(inverse)`, which needs "
                + "\"inverse\": \"\(property)\" in its \"property_type\" (version \(version))"
        case .inverseIsAttribute(let inverse, let target):
            return "`\(target).\(inverse)` is not a relationship, so it cannot be an inverse"
        case .noStoredSide(let one, let other):
            return "add \"stored\": true to `\(one)` or to `\(other)`; that side stores the relationship"
        case .twoStoredSides(let one, let other):
            return "`\(one)` and `\(other)` both have \"stored\": true; remove it from one side"
        case .keyDoesNotApply(let key, let reason):
            return "\"\(key)\" does not apply here: \(reason)"
        case .nullifyOnMandatory:
            return "a required relationship cannot have \"on_delete\": \"nullify\"; "
                + "add \"nullable\": true, or use \"cascade\" or \"deny\""
        case .wrongLiteral(let key, let type, let found, let hint):
            return "\"\(key)\" of type \(type) cannot be \(found)" + (hint.map { "; \($0)" } ?? "")
        case .otherColumnCount(let count, let target, let key):
            return "\"persisted_name\" has \(count) names, but the primary key of `\(target)` has \(key) columns"
        case .keyOfNothing(let name, let version):
            return "the primary key contains `\(name)`, which does not exist in version \(version)"
        case .unusableKey(let name, let reason):
            return "`\(name)` cannot be part of the primary key: \(reason)"
        case .recursiveKey(let name):
            return "the primary key of `\(name)` contains itself, through its relationships; "
                + "remove one of these relationships from its key"
        case .otherKeyType(let name):
            return "the primary key of `\(name)` has another type, so this key cannot be derived from it; "
                + "remove `\(name)` from \"derived_from_relationships\""
        case .indexOfNothing:
            return "a primary key, an index or a search needs at least one property"
        case .malformedExpression(let key, let problem):
            return "Strata cannot read \"\(key)\": \(problem)"
        case .computedProperty(let name, let key):
            return "`\(name)` is computed, so \"\(key)\" cannot use it; "
                + "name the stored properties that it is computed from"
        case .computedOfOtherType(let found, let type, let version):
            return "\"computed\" may give \(found) in version \(version), but the property is of type \(type)"
        case .conditionDoesNotApply(let key, let reason, let version):
            return "\"\(key)\" does not apply to version \(version): \(reason); "
                + "correct it, or add a history with the former \"\(key)\""
        case .conditionOfYounger(let key, let property, let added, let version):
            return
                "`\(property)` does not exist in version \(version); add \"added_at_version\": \"\(added)\" here too, "
                + "or write the \"\(key)\" of version \(version) in \"previous\""
        case .valueOutsideLimit(let key, let value, let limit):
            return "\"\(key)\" is \(value), which \(limit) does not allow; correct one of them"
        case .emptyRange(let least, let greatest):
            return "\"\(greatest)\" is less than \"\(least)\", so no value would be allowed; correct one of them"
        case .sameCheckName(let name):
            return "another check or limit of the entity is called `\(name)` (SQL ignores letter case); "
                + "give this one another name"
        case .indexOfUnstored(let name):
            return "`\(name)` has no column in this table, so it cannot be indexed; remove it from the index"
        case .noEntities:
            return
                "the folder has no entity; add a JSON file with an \"identifier\" beside strata.json"

        case .twoKinds(let one, let other):
            return "a subtype has \"\(one)\" or \"\(other)\", not both"
        case .emptySubtype:
            return "a subtype needs at least one case, option or property"
        case .recursiveSubtype(let name):
            return "`\(name)` contains itself, through its properties, so no value could be stored; "
                + "remove the property that leads back to it"
        case .entityAsType(let name):
            return "`\(name)` is an entity; write a relationship to it as "
                + "{ \"entity_name\": \"\(name)\", \"association\": \"to_one\" }"
        case .subtypeAsEntity(let name):
            return "`\(name)` is a subtype, which has no rows; a relationship needs an entity"
        case .unknownSubtype(let name, let version):
            return "the subtype `\(name)` does not exist in version \(version), but this property does; "
                + "let both exist in the same versions"
        case .unknownCase(let name, let subtype, let version, let nearest):
            return "the subtype `\(subtype)` has no `\(name)` in version \(version)" + suggestion(nearest)
        case .malformedBit(let found):
            return "\"bit\" must be a number from 0 to 62, not \(found)"
        case .sameBit(let bit, let one, let other):
            return
                "`\(one)` and `\(other)` have the same bit, \(bit); a bit cannot be used again, not even after a removal"
        case .sameValue(let value, let one, let other, let version):
            return "`\(one)` and `\(other)` are both stored as \"\(value)\" in version \(version); "
                + "give one of them another \"value\""
        case .unusableMember(let name):
            return
                "`\(name)` cannot be the name of a struct's property, because SQL cannot find a JSON key with a quote or a "
                + "backslash; rename it"
        case .defaultOfOtherVersion(let version):
            return "the default value does not fit the type that the property has in version \(version); "
                + "write the former default value beside the former \"property_type\" in \"previous\""
        case .defaultOfOlderSubtype(let subtype, let version):
            return "the default value is not valid in version \(version), because `\(subtype)` is different there; "
                + "in an item of \"version_history\", write the \"default_value\" of that version, or null, in \"previous\""
        case .missingMember(let name, let subtype):
            return "add \"\(name)\" to this value, because it has no default value in `\(subtype)`"
        case .unusedSubtype(let name):
            return "no property has the type `\(name)`; if it should be an entity, add an \"identifier\""

        case .hiddenType(let name, let type, let module):
            return
                "the type of `\(name)` is called \(type) and hides \(module).\(type) in its module, where you then have to write "
                + "\(module).\(type); rename it, with a \"persisted_name\" for its table, or end this warning with "
                + "\"qualified_names\": true in strata.json"

        case .ignoredKeys(let keys):
            return "a store does not need these keys, so they are ignored: " + keys.joined(separator: ", ")
        case .unpersisted(let isWritten):
            return (isWritten ? "\"persist\" is false" : "\"persist\" is absent, which is false in Lucid")
                + ", so this entity is not stored, and nothing is generated for it"
        case .previousNameOfLucid(let version?):
            return "the name changes in \(version), the newest version of the entity; "
                + "if it changed earlier, write \"previous_name\" in an item of \"version_history\""
        case .previousNameOfLucid(nil):
            return "the entity has only one version, so \"previous_name\" has no effect"
        case .identifierOfLucid(nil):
            return "a row needs a primary key, so the entity gets an \"id\", which newID(of:) sets"
        case .identifierOfLucid(let type?):
            return "the primary key has the type \(type == "milliseconds" ? "Int" : "String"), not \(type)"
        case .keyOfUnpersisted(let name):
            return "`\(name)` is not stored, so the property has the values of its primary keys"
        case .nullableToMany:
            return "a to_many is never null, only empty, so \"nullable\" has no effect"
        case .lazy(let isToMany):
            return isToMany
                ? "\"lazy\" has no effect on a to_many: rows that were not requested are none"
                : "\"lazy\" makes the property nullable: nil is also a value that was not requested"
        case .payloads(let count):
            return "\(count == 1 ? "one description" : "\(count) descriptions") of endpoint payloads "
                + "\(count == 1 ? "is" : "are") not read: a store does not need them"
        case .uncheckedMigration:
            return "the generated tests do not compare these values in this step"

        case .currentDate:
            return "\"current_date\" is not a constant, so the property has no default value; "
                + "set the date of each new row"

        case .mergeConflict:
            return "unresolved merge conflict; resolve it, then run generate"
        case .twoReleases(let conflict):
            return twoReleases(conflict)
        case .malformedLock(let reason):
            return "the lock cannot be read: \(reason)"
        case .sealedChange(let change, let next):
            return message(of: change, next: next)
        case .lockOfOtherSchema(let found, let expected):
            return "the lock belongs to the schema \(found), but the model generates \(expected); "
                + "rename the schema back, or correct the name in the lock"
        }
    }

    private func message(of problem: JSONProblem) -> String {
        switch problem {
        case .byteOrderMark:
            return "the file begins with a byte-order mark; save it as UTF-8 without one"
        case .notUTF8:
            return "the file is not UTF-8 from here on"
        case .emptyFile:
            return "the file is empty; it needs a JSON object"
        case .contentAfterEnd:
            return "there is text after the end of the JSON value"
        case .unexpectedEnd:
            return "the file ends in the middle of a JSON value"
        case .unexpectedCharacter(let found, let expected):
            return found.isEmpty ? "expected \(expected) here" : "expected \(expected), found `\(found)`"
        case .duplicateKey(let key):
            return "the object has the key \"\(key)\" twice"
        case .nestedTooDeep(let depth):
            return "the JSON is nested deeper than \(depth) levels"
        case .controlCharacterInString:
            return "a control character in a string must be written as an escape, like `\\n`"
        case .unterminatedString:
            return "the string is not closed"
        case .unknownEscape:
            return "this is not an escape sequence of JSON; write a backslash as `\\\\`"
        case .loneSurrogate:
            return "this escape is half of a surrogate pair; write both halves, or the character itself"
        case .malformedNumber(let text):
            return "`\(text)` is not a JSON number"
        }
    }

    /// - Parameter versions: The versions that are not released; at least two.
    private func severalDrafts(_ versions: [String], target: String, isLockMissing: Bool) -> String {
        let (last, others) = (versions[versions.count - 1], versions.dropLast())
        let first = others[others.count - 1]
        let command = "swift package --allow-writing-to-package-directory generate --target \(target)"
        let lost = isLockMissing ? "; if strata.lock was lost, restore it from version control" : ""
        return
            "\(others.joined(separator: ", ")) and \(last) are not released, but only one version can be edited at a time; "
            + "correct the number; or release \(first) first: add \"current_version\": \"\(first)\" to strata.json, run generate, "
            + "swift test and \(command) --release, and remove it again; without tests, \(first) and older versions are released by "
            + "\(command) --release --version \(first) --untested\(lost)"
    }

    private func twoReleases(_ conflict: LockConflict) -> String {
        let (ours, theirs) = (conflict.ours, conflict.theirs)
        let take = "take strata.lock and the files in Fixtures of one branch, with git checkout --ours or --theirs"
        func release(_ release: LockConflict.Release) -> String {
            "\(release.version) with fingerprint \(release.fingerprint) (\(release.branch))"
        }
        if conflict.isOfStep {
            return "the branches have released the step to \(ours.version) in different ways; \(take), and edit the "
                + "descriptions until they agree with it"
        }
        if ours.version == theirs.version, ours.fingerprint == theirs.fingerprint {
            let isFixture = ours.fixture != nil && theirs.fixture != nil && ours.fixture != theirs.fixture
            let what = isFixture ? "fixtures" : "results of a step to it"
            return "both branches have released \(ours.version), with different \(what); \(take)"
        }
        return "each branch has released something that the other has not: \(release(ours)), and \(release(theirs)); "
            + "customers may have stores of either; \(take), and give the changes of the other branch a newer version in "
            + "the descriptions"
    }

    private func suggestion(_ nearest: String?) -> String {
        nearest.map { "; did you mean \"\($0)\"?" } ?? ""
    }

    private func message(of change: LockChange, next: String) -> String {
        switch change {
        case .versionRemoved(let version):
            return
                "version \(version) is released, but no description names it any more; undo the edit that removed it: "
                + "a released version keeps its number"
        case .versionAdded(let version):
            return
                "version \(version) is older than a released version, so it cannot be new; use \(next) or a newer version "
                + "(for a hotfix of an older app, see Hotfixes in TeamWorkflow.md)"
        case .tables(let version, let table):
            let tables = table.map { " `\($0)`" } ?? " its tables"
            return "version \(version) is released, and the SQL of\(tables) would change; "
                + "restore the former order of the properties"
        case .content(let edit):
            return message(of: edit, next: next)
        case .step(let edit):
            return message(of: edit, next: next)
        }
    }

    private func message(of edit: LockChange.StepEdit, next: String) -> String {
        let element = ([edit.owner] + [edit.element].compactMap(\.self)).joined(separator: ".")
        let change =
            switch (edit.was, edit.now) {
            case (let was?, let now?): "`\(was)` became `\(now)`"
            case (let was?, nil): "`\(was)` is gone"
            case (nil, let now): "`\(now ?? "")` is new"
            }
        return
            "the step from \(edit.from) to \(edit.to) is released, and \(change) for `\(element)`: stores that have taken the step "
            + "keep what it was; undo the edit, and change the data in \(next); or, if it is right for the stores that have not taken "
            + "the step yet, accept it: swift package plugin generate --release --step \(edit.from)-\(edit.to)"
    }

    private func message(of edit: LockChange.Edit, next: String) -> String {
        let versions = edit.versions.map(\.text)
        let released =
            versions.count == 1
            ? "the released version \(versions[0])"
            : "the released versions \(versions[0]) to \(versions[versions.count - 1])"
        let name = edit.element.map { $0.split(separator: " ").last.map(String.init) ?? $0 } ?? edit.entity
        let subject =
            switch edit.element {
            case nil: "`\(edit.entity)`"
            case "key": "the primary key of `\(edit.entity)`"
            case let element? where edit.setting != nil: "\(element) of `\(edit.entity)`"
            case let element?
            where element.contains(" ") && !["case", "option"].contains(element.prefix { $0 != " " }):
                "`\(element)` of `\(edit.entity)`"
            case .some: "`\(edit.entity).\(name)`"
            }
        func item(_ key: String, _ value: String) -> String {
            "add {\"version\": \"\(next)\", \"previous\": {\"\(key)\": \(value)}} to the \"version_history\" of `\(edit.entity)`"
        }
        let former = edit.element == "key" ? "{\"identifier\": {…}}" : "{…}"
        let addition = edit.setting.map { item($0.key, "null") } ?? "make its \"added_at_version\" \"\(next)\""
        let removal =
            "put it back; to remove it, "
            + (edit.setting.map { item($0.key, "…") } ?? "make its \"removed_at_version\" \"\(next)\"")
        switch (edit.formerName, edit.was, edit.now) {
        case (let former?, _, _):
            let former = former.split(separator: " ").last.map(String.init) ?? former
            return "\(subject) is called `\(former)` in \(released); if you renamed it, "
                + "add {\"version\": \"\(next)\", \"previous_name\": \"\(former)\"} to its \"version_history\"; "
                + "otherwise restore the name"
        case (nil, nil, _):
            let again =
                "a released version removed it, and it stays removed; put \"removed_at_version\" back, and add another one"
            return "\(subject) is not in \(released); \(edit.isRemovedBefore ? again : addition)"
        case (nil, _?, nil):
            return "\(subject) is in \(released), but not in the descriptions; \(removal)"
        case (nil, let was?, let now?):
            return
                "\(subject) is `\(was)` in \(released) and must not become `\(now)`; undo the edit, or write its former "
                + "values in \"version_history\": {\"version\": \"\(next)\", \"previous\": \(former)}"
        }
    }
}
