// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupLocalOrg
import SoupSync
import SoupStore
import SoupCore
import SoupKit
import SoupTesting
import Synchronization
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The syncs of the clients, and what happens during them: changes of another user, and lost responses.
extension TwoClientsHistory {
    // MARK: - Changes during a push

    /// A change of another user between the comparison and the write of a push, or between its commit and its response.
    struct Interruption {
        var title: String
        var isAfterCommit: Bool
        var values: JSONObject
        /// Returns the time of the response.
        var edit: @Sendable () -> Date
    }

    /// Returns a change of a record that the client is about to update; nil for some pushes, and while the syncs
    /// become stable.
    private mutating func interruption(of client: Client) async throws -> Interruption? {
        guard !isEnding, !(fetchesPushed && records.isTree && !records.isIncremental),
            Int.random(in: 0..<3, using: &random) > 0
        else { return nil }
        let kind = pickKind()
        let updated = try await client.entries(kind).filter { $0["__locally_updated__"] == true }
        let ids = Set(updated.compactMap { $0["Id"]?.stringValue })
        let rows = try rows(kind).filter { ids.contains($0["Id"]?.stringValue ?? "") }
        guard !rows.isEmpty else { return nil }
        let (row, values, clock, org) = (pick(rows), values("O"), clock, org)
        return Interruption(
            title: records.title(row), isAfterCommit: Bool.random(using: &random), values: values
        ) {
            // Dates have whole seconds.
            clock.advance(by: .seconds(2))
            try? org.edit(kind.object, id: row["Id"]?.stringValue ?? "", values)
            clock.advance(by: .seconds(2))
            return clock.now
        }
    }

    /// Edits a record and pushes it, perhaps without the change that another user made before the last response.
    ///
    /// The push must not overwrite that change.
    ///
    /// - Returns: the change of another user during this push, if any.
    private mutating func editUnaware(
        of interruption: Interruption, _ client: Client, _ name: String
    ) async throws -> Interruption? {
        for kind in records.kinds {
            func isMeant(_ record: JSONValue) -> Bool { records.title(record) == interruption.title }
            guard let field = records.edited.randomElement(using: &pauses),
                let entry = try await client.entries(kind).first(where: { isMeant($0.stored.value) }),
                entry["__local__"] == false
            else { continue }
            count += 1
            try await edit(entry, of: kind, by: client, [field: .string("\(client.name)\(count)")])
            let next = try await syncOnce(client, name).interruption
            guard name != "up OVERWRITE", let row = try rows(kind).first(where: isMeant) else { return next }
            // If the entry had the value of the other user, the edit replaces it on purpose.
            let unknown = interruption.values.members.filter {
                $0.key != field || entry.stored.value[$0.key] != $0.value
            }
            for (name, value) in unknown where row[name]?.stringValue?.hasPrefix("O") != true {
                faults.append("O wrote \(value) into \(name) of \(interruption.title), and has \(row[name] ?? .null)")
            }
            return next
        }
        return nil
    }

    // MARK: - Syncs

    mutating func syncRandomly(_ client: Client) async throws {
        let (up, down) = (pick(modes), pick(modes))
        switch Int.random(in: 0..<6, using: &random) {
        case 0...2:
            try await sync(client, "up \(up.rawValue)")
            if fetchesPushed || Bool.random(using: &random) {
                try await sync(client, "down \(down.rawValue)")
            }
        case 3...4: try await sync(client, "down \(down.rawValue)")
        default: try await cleanGhosts(client, down)
        }
    }

    /// Runs a sync, and in a long history pushes again after each change that another user made before a response.
    @discardableResult
    mutating func sync(_ client: Client, _ name: String) async throws -> Client.Report {
        var (report, interruption) = try await syncOnce(client, name)
        while isLong, let unnoticed = interruption, unnoticed.isAfterCommit {
            interruption = try await editUnaware(of: unnoticed, client, name)
        }
        return report
    }

    /// - Returns: the report, and the change of another user during the run, if any.
    private mutating func syncOnce(
        _ client: Client, _ name: String
    ) async throws -> (report: Client.Report, interruption: Interruption?) {
        let interruption = name.hasPrefix("up") ? try await interruption(of: client) : nil
        if let interruption {
            if interruption.isAfterCommit {
                client.interruption.editAfterCommit.withLock { $0 = interruption.edit }
            } else {
                client.interruption.edit.withLock { $0 = { _ = interruption.edit() } }
            }
        }
        let losesResponse = loseResponse(to: client, name)
        let report = try await client.sync(name)
        org.removeFault()
        knownIds.formUnion(report.created)
        // An interruption that did not come about changed nothing.
        let finished = client.interruption.end() ? interruption : nil
        if let finished {
            let moment = finished.isAfterCommit ? "before the response to" : "before"
            log.append("\(moment) an update, org edits \(finished.title) \(JSONValue.object(finished.values))")
            written.note(finished.values, by: "O", in: finished.title)
        }
        try await noteLostCreations(report, of: client)
        let unsynced = report.unsynced.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
        log.append("\(client.name) \(name): \(report.changes) changes, unsynced \(unsynced) \(report.error)")
        if !report.error.isEmpty, !losesResponse { faults.append("\(client.name) \(name) \(report.error)") }
        return (report, finished)
    }

    private mutating func noteLostCreations(_ report: Client.Report, of client: Client) async throws {
        for kind in records.kinds where !report.lostCreations.isEmpty {
            for entry in try await client.entries(kind) {
                let (key, title) = (Client.Key(soup: kind.soup, id: entry.id), records.title(entry.stored.value))
                guard report.lostCreations.contains(key) else { continue }
                written.noteLostCreation(title)
                if report.unsynced[key]?.hasSuffix("TWO_COPIES") == true { written.noteTwoCopies(title) }
            }
        }
    }

    /// Before some pushes, lets the response to their creations get lost after the org has carried them out.
    ///
    /// - Returns: whether it can get lost.
    private mutating func loseResponse(to client: Client, _ name: String) -> Bool {
        guard isLong, !isEnding, !records.isTree, name.hasPrefix("up"), Int.random(in: 0..<4, using: &pauses) == 0
        else { return false }
        log.append("the response to a creation can get lost")
        hasLostCreations = true
        _ = org.add(OrgFault(.drop(.afterCommit), method: "POST", bodyContains: "\(client.name)'s ", count: 1))
        return true
    }

    @discardableResult
    mutating func cleanGhosts(_ client: Client, _ mode: MergeMode) async throws -> Int {
        let counts = try await client.kit.syncs.cleanResyncGhostsBySoup(named: "down \(mode.rawValue)")
        log.append("\(client.name) cleans \(counts) ghosts of down \(mode.rawValue)")
        return counts.values.reduce(0, +)
    }
}
