// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import Logging
internal import SoupCore

/// One run of a sync up, which pushes the local changes of a soup, or of a tree of soups.
///
/// Changes are sent in batches of one kind: first creations, then updates, then deletions, each in the order in which
/// the entries were created. The results of a batch are completely saved in the store before the next batch is sent.
/// While a batch is in flight, the run cannot be interrupted until the response is saved.
struct UpRun: SyncBody {
    let services: RunServices
    let target: any SyncUpTarget
    let layout: RecordLayout
    let resolver: (any ConflictResolver)?
    let report: RunReport
    var row: SyncRow
    var result: SyncResult
    /// The changes that still have to be pushed, by kind.
    private var waiting: [RecordChange.Kind: [Int64]] = [:]
    private var localOnly: [Int64] = []
    /// The number of entries, or trees, of this run, and the number of those that are done.
    private var total = 0
    var done = 0
    /// Creations with an unknown outcome; they are not sent.
    var blocked: Set<EntryKey> = []
    /// Creations of earlier runs that are sent again although the server may have them.
    ///
    /// They keep their marks until the server confirms them.
    var sentAgain: Set<EntryKey> = []
    private var recreated: Set<EntryKey> = []
    /// The changes that the server could not accept as they were sent, and their retries.
    private var remedies: PushRemedies
    /// The places at which the soups have children in the trees of other sync ups; `nil` until they are needed.
    private var knownFamilies: [SoupName: [TreePlace]]?
    /// Entries that were merged with the server's version in this run; this happens at most once per entry.
    var merged: Set<EntryKey> = []
    /// Entries whose existence on the server was checked in this run: those created again, or below such an entry.
    var lookedUp: Set<EntryKey> = []
    /// Entries among these that exist without local changes and follow no parent; a sync down fetches them.
    var settledElsewhere: Set<EntryKey> = []

    var mode: MergeMode { row.state.definition.options.mergeMode }
    var batchSize: Int { max(1, target.maxBatchSize) }
    var context: SyncContext { services.context(for: row.state.definition) }
    var unitReader: UnitReader {
        UnitReader(
            layout: layout, blocked: blocked, settledElsewhere: settledElsewhere,
            wantsBystanders: mode == .leaveIfChanged,
            wantsBases: mode == .merge,
            knowsBases: services.backend.capabilities.contains(.syncedCopies))
    }

    init(
        _ row: SyncRow, target: any SyncUpTarget, resolver: (any ConflictResolver)?, services: RunServices,
        report: RunReport
    ) {
        self.row = row
        self.target = target
        self.resolver = resolver
        self.services = services
        self.report = report
        layout = target.recordLayout(for: row.state.definition.soup)
        result = SyncResult(state: row.state)
        remedies = PushRemedies(
            batchSize: max(1, target.maxBatchSize), maximumRounds: services.settings.lockPauses.count)
    }

    mutating func run() async throws {
        try await checkSoups()
        let found = try await settleLostCreations()
        try await plan()
        tell(found)
        try await removeLocalOnly()
        repeat { try await pushWaiting() } while try await waitForLocks()
        try await finish()
    }

    private mutating func pushWaiting() async throws {
        let order: [RecordChange.Kind] = [.create, .update, .none, .delete]
        while let kind = order.first(where: { waiting[$0]?.isEmpty == false }) {
            try Task.checkCancellation()
            let ids = waiting[kind]?.prefix(remedies.limit) ?? []
            waiting[kind]?.removeFirst(ids.count)
            try await push(Array(ids), kind)
        }
    }

    /// Waits for locked records, and schedules them to be pushed again.
    ///
    /// - Returns: whether there are any.
    private mutating func waitForLocks() async throws -> Bool {
        guard let (ids, round) = remedies.takeLocked() else { return false }
        let pause = max(0, services.settings.lockPauses[round])
        services.logger.debug("sync \(row.state.id): \(ids.count) records are locked, waiting")
        try await services.clock.sleep(milliseconds: pause - Int64(Double(pause) / 2 * services.random()))
        try await sort(ids)
        return true
    }

    // MARK: - Planning

    /// Checks that the soups meet the requirements of the run before any request is sent.
    private func checkSoups() async throws {
        let layout = layout
        try await services.backend.read { reader in
            for (position, part) in layout.parts.enumerated() {
                let indexed = try reader.indexSpecs(of: part.soup).map(\.path.rawValue)
                guard layout.isTree else { continue }
                let isParent = !layout.children(of: position).isEmpty
                let needed = [part.parentIdField, isParent || part.parentIdField == nil ? part.idField : nil]
                for field in needed.compactMap({ $0 }) where !indexed.contains(field) {
                    throw SoupError(
                        .indexNotDefined,
                        "soup \"\(part.soup)\" has no index on \"\(field)\", which ties parents and children together",
                        hint: "Add {\"path\": \"\(field)\", \"type\": \"string\"} to the indexes of the soup.")
                }
            }
        }
        try await services.prepareMerging(row.state.definition, layout)
        if mode == .leaveIfChanged { try await services.pruneConflicts() }
    }

    /// Finds the dirty entries and sorts them by their kind of change.
    private mutating func plan() async throws {
        let reader = unitReader
        var (ids, orphans) = try await services.backend.read { try reader.dirty($0) }
        if try await bringHome(orphans) {
            (ids, orphans) = try await services.backend.read { try reader.dirty($0) }
        }
        let damaged = try await reportDamagedChildren()
        total = ids.count + orphans.count + damaged
        done += damaged
        if total > 0 {
            row.state.totalSize = total
            let row = row
            try await services.backend.write { try SyncsSoup.save(row, in: $0) }
            report.tell(row.state)
        }
        try await settle(orphans)
        for start in stride(from: 0, to: ids.count, by: 500) {
            try await sort(Array(ids[start..<min(start + 500, ids.count)]))
        }
    }

    mutating func sort(_ ids: [Int64]) async throws {
        // If there are no entries, a run that is cancelled after everything was pushed must still end DONE.
        guard !ids.isEmpty else { return }
        let reader = unitReader
        let sorts = try await services.backend.read { try reader.sorts(of: ids, $0) }
        for (id, sort) in zip(ids, sorts) { place(id, sort) }
    }

    private mutating func place(_ id: Int64, _ sort: UnitReader.Sort) {
        switch sort {
        case .unit(let kind): waiting[kind, default: []].append(id)
        case .localOnly: localOnly.append(id)
        case .nothing: done += 1
        case .damaged(let failure):
            done += 1
            tell([Self.outcome(EntryKey(soup: layout.parts[0].soup, id: id), failure)])
        }
    }

    // MARK: - Pushing

    /// Pushes a batch and applies its outcomes.
    private mutating func push(_ ids: [Int64], _ kind: RecordChange.Kind) async throws {
        let reader = unitReader
        let found = try await services.backend.read { try reader.read(ids, $0) }
        var batch = PushBatch()
        var bytes = 0
        for (position, (id, entry)) in zip(ids, found).enumerated() {
            // An entry that the app changed since the run began may have another kind of change now.
            guard case .unit(let unit) = entry, unit.root.kind == kind else {
                place(id, entry.sort)
                continue
            }
            bytes += unit.byteCount
            if bytes > target.maxBatchBytes, batch.count > 0 {
                waiting[kind]?.insert(contentsOf: ids[position...], at: 0)
                break
            }
            batch.add(unit)
        }
        guard batch.count > 0 else { return try await removeLocalOnly() }
        try await settleRevived(&batch)
        switch mode {
        case .overwrite: break
        case .leaveIfChanged: try await refuseOlder(&batch)
        case .merge: try await mergeNewer(&batch)
        }
        try await mark(&batch)
        let outcomes = try await send(batch)
        let verdict = remedies.judge(batch, outcomes)
        try await settle(batch, outcomes, standing: await standing(batch, outcomes), postponed: verdict.postponed)
        if !verdict.smaller.isEmpty { waiting[kind, default: []].insert(contentsOf: verdict.smaller, at: 0) }
        try await removeLocalOnly()
    }

    /// Saves marks for the creations that are about to be sent.
    ///
    /// Repeatable creations are marked too: if the app changes such an entry meanwhile, sending it again would no
    /// longer be the same creation, so the sent record is looked up first. Entries may have changed since they were
    /// read. Units that have changed are sorted again. If a unit already has a mark of another run, it is in flight
    /// there and is not sent.
    private mutating func mark(_ batch: inout PushBatch) async throws {
        let creations = batch.open.map(\.creations)
        guard !creations.allSatisfy(\.isEmpty) else { return }
        let unrepeatable = Set(creations.joined().filter { !target.isIdempotent($0.change()) }.map(\.key))
        batch.unrepeatable = unrepeatable
        batch.markTime = services.clock.now
        // Query the families now: after the response has arrived, no failure may prevent it from being saved.
        _ = try await families()
        let sentAgain = sentAgain
        let fates = try await services.backend.write { writer in
            let fates = try InFlightCreates.fates(of: creations, besides: sentAgain, in: writer)
            let sent = zip(creations, fates).filter { $1 == .free }.flatMap(\.0)
            try InFlightCreates.set(
                sent.map {
                    InFlightCreates.Mark(
                        key: $0.key, version: $0.version, record: $0.record,
                        isRepeatable: !unrepeatable.contains($0.key))
                }, in: writer)
            return fates
        }
        let changed = batch.open.indices.filter { fates[$0] == .changed }
        let taken = batch.open.indices.filter { fates[$0] == .taken }
        guard !changed.isEmpty || !taken.isEmpty else { return }
        let ids = changed.map { batch.open[$0].root.key.id }
        batch.refuse(Set(taken), because: .inFlight, withdrawing: Set(changed))
        try await sort(ids)
    }

    /// Sends a batch and waits for the response, even if the run is cancelled; a cancellation ends pauses.
    private func send(_ batch: PushBatch) async throws -> [PushOutcome] {
        let changes = batch.open.filter { !$0.isEmpty }.map(\.change)
        guard !changes.isEmpty else { return [] }
        let target = target
        let context = context
        do {
            let outcomes = OutcomeWriter.aligned(
                services.masked(try await pushing { try await target.push(changes, in: context) }), with: changes)
            return PushOutcome.withoutSharedIds(
                zip(outcomes, changes).map { $0.checked(for: $1) }, of: changes, mayShare: target.isIdempotent)
        } catch is CancellationError {
            // The run does not cancel requests in flight, so another part of the program did, at an unknown time.
            let failure = PushFailure(code: "CANCELLED", message: "the exchange was given up", isRetryable: true)
            return changes.map { _ in .unknown(failure) }
        } catch {
            let keys = batch.open.flatMap(\.creations).map(\.key).filter { !sentAgain.contains($0) }
            let backend = services.backend
            try await shielded { try await backend.write { try InFlightCreates.clear(keys, in: $0) } }
            throw error
        }
    }

    /// Applies the outcomes of a batch and saves the progress of the run, in one transaction.
    ///
    /// - Parameter postponed: the roots of units that are pushed again in this run, as if they had not been sent.
    private mutating func settle(
        _ batch: PushBatch, _ outcomes: [PushOutcome], standing: Set<EntryKey>, postponed: Set<EntryKey>
    ) async throws {
        let creations = batch.open.flatMap(\.creations).map(\.key)
        let layout = layout
        let mode = mode
        let recreated = recreated
        let keepsBases = services.backend.capabilities.contains(.syncedCopies)
        let families = knownFamilies ?? [:]
        let sentAgain = sentAgain
        let before = (row: row, done: done, total: total)
        let backend = services.backend
        let settled = try await shielded {
            try await backend.write { writer in
                var settling = OutcomeWriter(
                    layout: layout, mergeMode: mode, writer: writer, recreatedBefore: recreated,
                    unrepeatable: batch.unrepeatable)
                settling.sentAt = batch.markTime
                settling.sentAgain = sentAgain
                settling.standing = standing
                settling.keepsBases = keepsBases
                settling.families = families
                var remaining = outcomes.makeIterator()
                for unit in batch.open {
                    let outcome = unit.isEmpty ? .skipped : remaining.next() ?? .skipped
                    if !postponed.contains(unit.root.key) { try settling.settle(unit, outcome) }
                }
                for (unit, failure) in batch.refused { try settling.skip(unit, because: failure) }
                for (member, failure) in batch.failed { try settling.fail(member, failure) }
                try settling.settleNotes(of: creations)
                let done = before.done + batch.count - settling.again.count - postponed.count - settling.unsent
                var row = before.row
                row.state.progress = min(99, done * 100 / max(1, before.total))
                try SyncsSoup.save(row, in: writer)
                return Settled(settling, row, done)
            }
        }
        row = settled.row
        done = settled.done
        self.recreated.formUnion(settled.recreated)
        lookedUp.formUnion(settled.recreated)
        blocked.formUnion(settled.lost)
        tell(settled.outcomes)
        if done < total { report.tell(row.state) }
        if let stop = settled.stop { throw stop }
        try await sort(settled.again)
    }

    /// Returns the places at which the soups have children in the trees of other sync ups, and caches them.
    mutating func families() async throws -> [SoupName: [TreePlace]] {
        if let knownFamilies { return knownFamilies }
        let families = try await services.families(beside: layout)
        knownFamilies = families
        return families
    }

    /// The results of a transaction that applied a batch.
    private struct Settled: Sendable {
        var outcomes: [RecordOutcome]
        var again: [Int64]
        var recreated: Set<EntryKey>
        var lost: Set<EntryKey>
        /// The reason why the rest of the push was not sent.
        var stop: SoupError?
        var row: SyncRow
        var done: Int

        init(_ settling: OutcomeWriter, _ row: SyncRow, _ done: Int) {
            outcomes = settling.outcomes
            again = settling.again
            recreated = settling.recreated
            lost = settling.lost
            stop = settling.stop
            self.row = row
            self.done = done
        }
    }

    /// Deletes the entries that were created and deleted locally, with their local children.
    private mutating func removeLocalOnly() async throws {
        guard !localOnly.isEmpty else { return }
        let ids = localOnly
        localOnly = []
        let reader = unitReader
        let layout = layout
        let mode = mode
        let removed = try await services.backend.write { writer in
            var settling = OutcomeWriter(
                layout: layout, mergeMode: mode, writer: writer, recreatedBefore: [], unrepeatable: [])
            for case .localOnly(let member) in try reader.read(ids, writer) {
                try settling.delete([member.key])
                try settling.deleteLocalChildren(of: member)
                settling.tell(member, .ok, nil)
            }
            return settling.outcomes
        }
        done += ids.count
        tell(removed)
    }

    // MARK: - Reporting

    /// Reports an update that the server already has.
    mutating func settleHere(_ member: PushMember) {
        tell([
            RecordOutcome(
                soup: member.key.soup, entryId: member.key.id, id: member.serverId, action: .update, result: .ok)
        ])
    }

    mutating func tell(_ outcomes: [RecordOutcome]) {
        for outcome in outcomes {
            result.count(outcome)
            row.state.leftBehind.count(outcome)
            report.tell(outcome)
        }
    }

    private mutating func finish() async throws {
        row.state.status = .done
        row.state.progress = 100
        row.state.totalSize = total
        row.state.endTime = services.clock.now
        let row = row
        let backend = services.backend
        try await shielded { try await backend.write { try SyncsSoup.save(row, in: $0) } }
        result.state = row.state
    }
}
