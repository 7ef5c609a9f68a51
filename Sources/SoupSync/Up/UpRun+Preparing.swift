// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import Logging
internal import SoupCore

/// The work of a run before its first batch and after its last one.
extension UpRun {
    /// Checks the soups, resolves the creations of earlier runs, and fills the queue.
    mutating func prepare() async throws {
        try await checkSoups()
        runState.pushedLayouts = try await services.pushedLayouts()
        runState.otherTrees = runState.pushedLayouts.places(beside: plan.layout)
        try await findReferrers()
        let resolved = try await resolveLostCreations()
        let reader = plan.reader(runState)
        var changes = try await services.backend.read { try reader.changes(in: $0) }
        if try await relink(changes.rootless) {
            changes = try await services.backend.read { try reader.changes(in: $0) }
        }
        let damaged = try await damagedChildren()
        let (roots, orphans) = (changes.roots, changes.orphans)
        let total = roots.count + orphans.count + damaged.count
        progress.finish(trees: damaged.count)
        progress.apply(damaged)
        if total > 0 {
            let row = progress.begin(trees: total)
            try await services.backend.write { try SyncsSoup.save(row, in: $0) }
            progress.reportState()
        }
        try await fail(orphans)
        for start in stride(from: 0, to: roots.count, by: 500) {
            try await enqueue(Array(roots[start..<min(start + 500, roots.count)]))
        }
        progress.apply(resolved)
    }

    /// Checks that the soups meet the requirements of the run before any request is sent.
    func checkSoups() async throws {
        let layout = plan.layout
        try await services.backend.read { reader in
            for (position, level) in layout.levels.enumerated() {
                let indexed = try reader.indexSpecs(of: level.soup).map(\.path.rawValue)
                guard layout.isTree else { continue }
                let isParent = !layout.children(of: position).isEmpty
                let needed = [level.parentIdField, isParent || level.parentIdField == nil ? level.idField : nil]
                for field in needed.compactMap({ $0 }) where !indexed.contains(field) {
                    throw SoupError(
                        .indexNotDefined,
                        "soup \"\(level.soup)\" has no index on \"\(field)\", which links parents and children",
                        hint: "Add {\"path\": \"\(field)\", \"type\": \"string\"} to the indexes of the soup.")
                }
            }
        }
        try await services.checkSyncedCopies(for: row.state.definition.options.mergeMode, layout)
        if plan.policy.detectsConflicts { try await services.pruneConflicts() }
    }

    /// Finds the entries that refer to creations of this run, so that they get the server's IDs together with them.
    private mutating func findReferrers() async throws {
        let (layouts, soups) = (runState.pushedLayouts, plan.layout.soups)
        runState.referrers = try await services.backend.read { reader in
            let pending = try PendingCreations(layouts, in: reader)
            return pending.referrers.filter { pending.entries[$0.key].map { soups.contains($0.soup) } ?? false }
        }
    }

    /// Returns the outcomes of damaged entries below the roots.
    ///
    /// Damaged roots are reported when they are enqueued.
    private func damagedChildren() async throws -> [RecordOutcome] {
        guard plan.layout.isTree else { return [] }
        let layout = plan.layout
        return try await services.backend.read { reader in
            var outcomes: [RecordOutcome] = []
            for level in layout.levels where level.parentIdField != nil {
                try reader.forEachDirty(in: level.soup) { entry in
                    guard let failure = entry.failure(in: level.soup) else { return }
                    outcomes.append(RecordOutcome(unsent: EntryKey(soup: level.soup, id: entry.id), failure))
                }
            }
            return outcomes
        }
    }

    /// Deletes entries that were created and deleted locally, with their local children.
    mutating func removeLocalOnly(_ roots: [EntryKey]) async throws {
        let reader = plan.reader(runState)
        try await write { writer in
            for case .localOnly(let record) in try reader.read(roots, in: writer.writer) {
                try writer.entries.delete(record.key)
                try writer.entries.deleteLocalChildren(of: record)
                writer.report(record, as: .ok)
            }
            writer.finish(trees: roots.count)
        }
    }

    /// Waits for locked records, and adds them to the queue again.
    ///
    /// - Returns: whether there are any.
    mutating func waitForLocks() async throws -> Bool {
        guard let (roots, round) = queue.takeLocked() else { return false }
        let pause = max(0, services.settings.lockPauses[round].milliseconds)
        services.logger.debug("sync \(row.state.id): \(roots.count) records are locked, waiting")
        try await services.clock.sleep(milliseconds: pause - Int64(Double(pause) / 2 * services.random()))
        try await enqueue(roots)
        return true
    }

    /// Saves the end of the run.
    mutating func finish() async throws {
        let row = progress.end(at: services.clock.milliseconds)
        let backend = services.backend
        try await shielded { try await backend.write { try SyncsSoup.save(row, in: $0) } }
        progress.close()
    }
}

extension RecordOutcome {
    /// Creates the outcome of an entry that cannot be pushed.
    ///
    /// The flags of a damaged entry are unreadable like its text, so the action is unknown, and `update` is used.
    init(unsent key: EntryKey, _ failure: PushFailure) {
        self.init(soup: key.soup, entryId: key.id, id: nil, action: .update, result: .failed, error: failure)
    }
}

extension SoupEntry {
    /// Returns the reason why the entry cannot be pushed; `nil` for an intact entry.
    func failure(in soup: SoupName) -> PushFailure? {
        // If the flags of an entry are readable, its whole text is readable.
        guard !flags.isKnown, let damage = damage(in: soup) else { return nil }
        return PushFailure(code: "ENTRY_DAMAGED", message: damage.description)
    }
}
