import SchemaModel

/// The first releases in which two branches differ, so that a merge conflict in a lock cannot be resolved.
package struct LockConflict: Error, Hashable, Sendable {
    /// The release of the branch into which the other one is merged.
    package let ours: Release
    /// The release of the other branch.
    package let theirs: Release

    /// Whether only the step to the version differs.
    package var isOfStep: Bool {
        ours.version == theirs.version && ours.fingerprint == theirs.fingerprint
            && ours.step?.isSame(as: theirs.step) == false
    }

    /// A release.
    package struct Release: Hashable, Sendable {
        /// The name that git gives the branch.
        package let branch: String
        package let version: Version
        package let fingerprint: Fingerprint
        /// The fingerprint of the file of its fixture; nil until the tests have written it.
        package let fixture: Fingerprint?
        /// The lines of the step to it.
        fileprivate let step: Lock.Step?

        fileprivate init(_ sealed: Lock.Sealed, _ side: MergeConflict.Side) {
            branch = side.label
            version = sealed.version
            fingerprint = sealed.fingerprint
            fixture = sealed.fixture
            step = sealed.step
        }
    }
}

extension Lock {
    /// Resolves a merge conflict between two locks.
    ///
    /// One branch may have released more versions than the other, or have recorded the fixture of a version. Both may
    /// have the same versions, or one of them may have removed old ones. Nothing else can be resolved: if each has
    /// released something that the other has not, stores of both releases may exist.
    ///
    /// - Throws: `LockConflict` if each branch has released something that the other has not; `Malformed` if a lock is
    ///   wrong.
    package init(resolving conflict: MergeConflict) throws {
        // Git may have merged the first line of one branch into the other.
        let ours = try Lock(parsing: conflict.ours.text, checkingFirstLine: false)
        let theirs = try Lock(parsing: conflict.theirs.text, checkingFirstLine: false)
        func refusal(_ one: Sealed, _ other: Sealed) -> LockConflict {
            LockConflict(ours: .init(one, conflict.ours), theirs: .init(other, conflict.theirs))
        }
        // The older versions were removed in one of the branches.
        let oldest = [ours, theirs].compactMap(\.versions.first?.version).max()
        let (left, right) = (
            oldest.map(ours.supported) ?? ours, oldest.map(theirs.supported) ?? theirs
        )
        var versions: [Sealed] = []
        for one in left.versions {
            guard let other = right.versions.first(where: { $0.version == one.version }) else {
                versions.append(one)
                continue
            }
            let isSameFixture = one.fixture == nil || other.fixture == nil || one.fixture == other.fixture
            guard one.fingerprint == other.fingerprint, isSameFixture else { throw refusal(one, other) }
            var merged = one
            merged.fixture = one.fixture ?? other.fixture
            // A branch that has removed old versions names a later one.
            merged.compatibleSince = [one.compatibleSince, other.compatibleSince].compactMap(\.self).max()
            // A lock of format 1 has no steps.
            merged.step = one.step ?? other.step
            if let left = one.step, let right = other.step, !left.isSame(as: right) { throw refusal(one, other) }
            try merged.results.merge(other.results) { left, right in
                guard left == right else { throw refusal(one, other) }
                return left
            }
            // Different statements are compared with the descriptions later.
            if one.ddl != other.ddl { merged.ddl = nil }
            versions.append(merged)
        }
        let (own, foreign) = (
            left.versions.filter { one in !right.versions.contains { $0.version == one.version } },
            right.versions.filter { one in !left.versions.contains { $0.version == one.version } }
        )
        if let one = own.first, let other = foreign.first { throw refusal(one, other) }
        versions = (versions + foreign).sorted { $0.version < $1.version }
        if !versions.isEmpty { versions[0].step = nil }
        self.init(schema: ours.schema, versions: versions)
    }
}
