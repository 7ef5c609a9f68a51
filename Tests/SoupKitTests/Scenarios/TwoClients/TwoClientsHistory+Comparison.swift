// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupLocalOrg
import SoupSync
import SoupStore
import SoupCore
import SoupKit
import SoupTesting
import Testing

/// The comparison of the clients with the org.
extension TwoClientsHistory {
    /// Syncs both clients until no run changes anything.
    ///
    /// A sync up can merge a change that waits for its tree, which counts as no change of the run: a child that it
    /// moves to another tree is pushed by the next run. Therefore the entries are compared too.
    mutating func syncUntilStable(_ mode: MergeMode, resolving: Bool = false) async throws {
        log.append("sync until stable, \(mode.rawValue)")
        var before: [[JSONText]] = []
        for _ in 1...10 {
            var changes = 0
            for client in clients {
                clock.advance(by: .seconds(10))
                changes += try await sync(client, "up \(mode.rawValue)").changes
                changes += try await sync(client, "down \(mode.pullMode.rawValue)").changes
                changes += try await removeLost(client)
                guard resolving else { continue }
                let resolved = try await client.resolveConflicts(&random) + client.discardOrphans()
                log.append("\(client.name) resolves \(resolved)")
                changes += resolved
            }
            let entries = try await entries()
            if changes == 0, entries == before { return }
            before = entries
        }
        faults.append("the syncs do not become stable")
    }

    /// Removes the rows that are deleted, or that left the conditions, of all sync downs of a client: a row is removed
    /// only if no sync down owns it any more.
    ///
    /// - Returns: the number of changes.
    private mutating func removeLost(_ client: Client) async throws -> Int {
        var changes = 0
        if records.isIncremental {
            for other in modes { changes += try await sync(client, "down \(other.rawValue)").changes }
        } else {
            for other in MergeMode.allCases { changes += try await cleanGhosts(client, other) }
        }
        return changes
    }

    /// The texts of the entries of each client and kind.
    private func entries() async throws -> [[JSONText]] {
        var entries: [[JSONText]] = []
        for client in clients {
            for kind in records.kinds { entries.append(try await client.entries(kind).map(\.stored)) }
        }
        return entries
    }

    func rows(_ kind: SharedRecords.Kind) throws -> [JSONValue] {
        try org.state(of: kind.object).filter { $0["IsDeleted"] != true }
    }

    /// Returns the rows that the sync downs return: those of trees whose root is not hidden.
    func visibleRows(_ kind: SharedRecords.Kind) throws -> [JSONValue] {
        let tops = try rows(records.top).filter { ($0[SharedRecords.hidden] ?? .null) == .null }
        let ids = Set(tops.compactMap { $0["Id"]?.stringValue })
        return kind.parent == nil ? tops : try rows(kind).filter { ids.contains(tree($0, kind)) }
    }

    /// Checks that every store is equal to the org except for listed entries and entries that wait for them in the same
    /// tree, that no record is duplicated, and that no record has values that were written into another one.
    mutating func compare(_ mode: MergeMode, isDecided: Bool = false) async throws {
        for kind in records.kinds {
            check(try rows(kind), of: kind, in: "the org", isDecided: true)
            // Also if it was deleted and recreated, each record of the org has one creation that a client reported.
            for row in try org.state(of: kind.object) where !knownIds.contains(row["Id"]?.stringValue ?? "") {
                if mayBeUnreported(records.title(row)) { continue }
                faults.append("the org has \(row), which no client reported as created")
            }
        }
        for client in clients {
            let unsynced = try await sync(client, "up \(mode.rawValue)").unsynced
            // Entries that MERGE does not push are listed as conflicts, or are deletions that wait for such an entry,
            // which was moved to another tree; OVERWRITE lists nothing.
            let held = unsynced.filter { !mode.mergesChanges || !isDecided && $0.value.hasSuffix(" MOVED_CHILDREN") }
            let listed = try await client.conflicts().union(held.keys)
            let waiting = isDecided ? [] : try await trees(of: listed, client)
            for kind in records.kinds {
                let entries = try await client.entries(kind)
                check(entries.map(\.stored.value), of: kind, in: client.name, isDecided: isDecided)
                var missing: [String: JSONValue] = [:]
                for row in try visibleRows(kind) { missing[row["Id"]?.stringValue ?? ""] = row }
                for entry in entries {
                    let record = entry.stored.value
                    let row = missing.removeValue(forKey: record["Id"]?.stringValue ?? "")
                    // No sync fetches a child without a parent.
                    if let row, tree(row, kind).isEmpty { continue }
                    // A created record that was never fetched stays while it exists.
                    if row == nil, record["__local__"] == false, record["__sync_id__"] == nil,
                        try rows(kind).contains(where: { $0["Id"] == record["Id"] })
                    {
                        continue
                    }
                    // A child whose parent was removed locally is a failure until the user decides.
                    if !isDecided, record["__last_error__"]?.stringValue?.contains("NO_PARENT") == true { continue }
                    let isDirty = record["__local__"] == true
                    if isDirty { undecidedCount += 1 }
                    let isWaiting =
                        waiting.contains(tree(record, kind)) || row.map { waiting.contains(tree($0, kind)) } == true
                    let isSame = row.map { records.line($0, kind) } == records.line(record, kind)
                    let isRight = isWaiting && (isDirty || records.isTree) || isSame && !isDirty
                    if !isRight {
                        faults.append(
                            "\(client.name) has \(record), the org \(row ?? .null); listed \(listed.sorted())")
                    }
                }
                for row in missing.values where !tree(row, kind).isEmpty && !waiting.contains(tree(row, kind)) {
                    faults.append("\(client.name) lacks \(row)")
                }
            }
        }
    }

    /// Returns whether no client may have reported the creation of a record whose response was lost.
    ///
    /// The creation is sent again if another user has deleted the record since. If another user has changed it, a
    /// creation with an external ID becomes an update, because the ID may belong to another record.
    private func mayBeUnreported(_ title: String) -> Bool {
        hasLostCreations && written.mayBeDeleted(title)
            || written.wasLost(title) && (written.hadTwoCopies(title) || records.hasExternalIds)
    }

    /// Checks that no title is duplicated, unless several clients recreated a deleted record or the user must decide
    /// between two entries, and that every value was written into its record.
    private mutating func check(
        _ all: [JSONValue], of kind: SharedRecords.Kind, in place: String, isDecided: Bool
    ) {
        for (title, rows) in Dictionary(grouping: all, by: records.title) {
            let mayBeTwo = written.mayBeDeleted(title) || !isDecided && written.hadTwoCopies(title)
            if rows.count > 1, !mayBeTwo {
                faults.append("\(place) has \(kind.object) \(title) \(rows.count) times")
            }
            for row in rows {
                for name in records.edited where !written.contains(row[name], of: name, in: title) {
                    faults.append(
                        "\(place) has \(row[name] ?? .null) in \(name) of \(title), which was not written there")
                }
            }
        }
    }

    /// Checks that created records exist, and that a field with only one author has the author's last value, in the
    /// client's own store or in the org.
    ///
    /// With OVERWRITE, the last push replaces the values of other authors.
    mutating func compareWritten() async throws {
        var titles: [String: Set<String>] = [:]
        for kind in records.kinds {
            var own = ["O": try rows(kind)]
            for client in clients { own[client.name] = try await client.entries(kind).map(\.stored.value) }
            for (author, all) in own {
                titles[author, default: []].formUnion(all.map(records.title))
                if neverOverwrites { checkKept(all, of: author) }
            }
        }
        for (title, author) in written.creators where !written.mayBeAbsent(title) {
            if titles[author]?.contains(title) != true { faults.append("\(author) created \(title), and lacks it") }
        }
    }

    private mutating func checkKept(_ own: [JSONValue], of author: String) {
        for record in own {
            let title = records.title(record)
            guard !written.mayBeDeleted(title), !written.hadTwoCopies(title) else { continue }
            for (name, value) in written.lastOnly(by: author, in: title, of: records.edited).members {
                checkedFieldCount += 1
                if record[name] != value {
                    faults.append("\(author) wrote \(value) into \(name) of \(title), and has \(record[name] ?? .null)")
                }
            }
        }
    }

    // MARK: - Trees

    /// Returns the ID of the root of a record's tree.
    func tree(_ record: JSONValue, _ kind: SharedRecords.Kind) -> String {
        record[kind.parent ?? "Id"]?.stringValue ?? ""
    }

    /// Returns the trees of entries, in the store and in the org.
    private func trees(of keys: Set<Client.Key>, _ client: Client) async throws -> Set<String> {
        var trees: Set<String> = []
        for kind in records.kinds {
            let remote = Dictionary(
                uniqueKeysWithValues: try rows(kind).map { ($0["Id"]?.stringValue, tree($0, kind)) })
            for entry in try await client.entries(kind) where keys.contains(Client.Key(soup: kind.soup, id: entry.id)) {
                trees.insert(tree(entry.stored.value, kind))
                if let tree = remote[entry["Id"]?.stringValue] { trees.insert(tree) }
            }
        }
        return trees
    }
}
