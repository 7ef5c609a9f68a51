// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupLocalOrg
import SoupSync
import SoupStore
import SoupCore
import SoupKit
import SoupTesting

/// An app with its own store that syncs shared records in both directions and in every merge mode.
struct Client {
    /// An entry of one of the soups.
    struct Key: Hashable, Comparable, CustomStringConvertible {
        var soup: SoupName
        var id: Int64

        var description: String { "\(soup) \(id)" }
        static func < (left: Key, right: Key) -> Bool { (left.soup, left.id) < (right.soup, right.id) }
    }

    let name: String
    let kit: SoupClient
    /// Lets another user change a record before an update of this client.
    let interruption: UpdateInterruption
    private let records: SharedRecords
    private let folder: TemporaryFolder
    private let clock: StoppableClock
    private let mechanism: DisabledMechanism?

    init(
        _ name: String, records: SharedRecords, org: LocalOrg, clock: ManualClock,
        without mechanism: DisabledMechanism? = nil
    ) async throws {
        self.name = name
        self.records = records
        self.clock = StoppableClock(clock)
        self.mechanism = mechanism
        folder = try TemporaryFolder(["userstore.json": records.store, "usersyncs.json": records.syncs])
        interruption = UpdateInterruption(
            TransportWithoutMechanism(base: org.authorizedTransport, mechanism: mechanism))
        kit = try await SoupClient.open(
            at: folder.url, options: .init(transport: interruption, clock: self.clock, environment: [:]))
    }

    /// The result of a run: the number of changed rows on both sides, and the entries whose outcome is not ok, with the
    /// reasons.
    struct Report {
        var changes = 0
        var unsynced: [Key: String] = [:]
        /// The server's IDs of the records that the run reports as created.
        var created: Set<String> = []
        /// The creations with an unknown outcome.
        var lostCreations: Set<Key> = []
        var error = ""
    }

    func sync(_ name: String) async throws -> Report {
        if mechanism == .heldDeletions { try await removeHeldDeletions() }
        if mechanism == .slowPushes { clock.stop() }
        defer { clock.start() }
        let run = try await kit.syncs.reSync(named: name)
        var report = Report()
        for await event in run.events() {
            guard case .outcome(let outcome) = event else { continue }
            if outcome.result == .ok, outcome.action == .create, let id = outcome.id { report.created.insert(id) }
            if outcome.result != .ok {
                let reason = [outcome.result.rawValue, outcome.error?.code].compactMap { $0 }.joined(separator: " ")
                let key = Key(soup: outcome.soup, id: outcome.entryId)
                report.unsynced[key] = reason
                if outcome.action == .create, outcome.result == .unknown { report.lostCreations.insert(key) }
            }
        }
        let result = await run.result
        report.changes =
            result.saved + result.created + result.updated + result.deleted + result.merged + result.ghosts
        report.error = result.state.status == .done ? "" : "\(result.state.status) \(result.state.error)"
        return report
    }

    private func removeHeldDeletions() async throws {
        _ = try await kit.store.write { writer in
            let rows = try writer.query(.all("syncs_soup", pageSize: 500)).entries
            let stamps = rows.map { EntryStamp(id: $0.id, stamp: .none.setting("deletionsHeld", .null)) }
            return try writer.stamp(stamps, in: "syncs_soup")
        }
    }

    func entries(_ kind: SharedRecords.Kind) async throws -> [SoupEntry] {
        try await kit.store.query(.all(kind.soup, pageSize: 500)).entries.sorted { $0.id < $1.id }
    }

    func conflicts() async throws -> Set<Key> {
        Set(try await kit.syncs.conflicts().map { Key(soup: $0.soup, id: $0.entryId) })
    }

    /// Discards the local changes of children whose parent was removed, as a user can.
    func discardOrphans() async throws -> Int {
        let orphans = try await kit.syncs.failures().filter { $0.failure.code == "NO_PARENT" }
        for orphan in orphans { _ = try await kit.syncs.discardChanges(of: [orphan.entryId], in: orphan.soup) }
        return orphans.count
    }

    /// Resolves the conflicts in favour of a random side, except those that an earlier resolution has ended.
    func resolveConflicts(_ random: inout SeededRandom) async throws -> Int {
        var count = 0
        for conflict in try await kit.syncs.conflicts() {
            do {
                try await kit.syncs.resolveConflict(conflict, as: Bool.random(using: &random) ? .local : .remote)
                count += 1
            } catch let error as SoupError
                where records.isTree && [.notSupported, .notInConflict, .hasChildren].contains(error.code)
            {}
        }
        return count
    }
}
