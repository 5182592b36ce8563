import SchemaModel

/// Two releases of which neither follows the other: the sides of a merge conflict in a lock.
package struct LockConflict: Error, Hashable, Sendable {
    /// The releases that only one branch has, or that the branches have differently.
    package let ours: Release
    package let theirs: Release

    /// A release.
    package struct Release: Hashable, Sendable {
        package let version: Version
        package let fingerprint: Fingerprint

        fileprivate init(_ sealed: Lock.Sealed) {
            version = sealed.version
            fingerprint = sealed.fingerprint
        }
    }
}

extension Lock {
    /// Resolves a merge conflict between two locks.
    ///
    /// The branches may have released the same versions, and one of them more. Nothing else can be resolved: if both
    /// released something different, stores of both releases may exist.
    ///
    /// - Throws: `LockConflict` if both branches released something different; `Malformed` if a lock is wrong.
    package init(resolving conflict: MergeConflict) throws {
        let (ours, theirs) = (try Lock(parsing: conflict.ours), try Lock(parsing: conflict.theirs))
        for (one, other) in zip(ours.versions, theirs.versions) where one.head != other.head {
            throw LockConflict(ours: .init(one), theirs: .init(other))
        }
        self = ours.versions.count < theirs.versions.count ? theirs : ours
    }
}
