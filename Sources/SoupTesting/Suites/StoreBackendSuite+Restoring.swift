// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

extension StoreBackendSuite {
    /// Checks that a store that claims `restoring` stores the entries of another store as they are.
    func checkRestoring(_ store: any StoreBackend, _ report: inout SuiteReport) async {
        let isClaimed = store.capabilities(of: "copies").contains(.restoring)
        let found: Restored
        do {
            found = try await Self.restore(in: store)
        } catch {
            return report.require(
                !isClaimed && (error as? SoupError)?.code == .notSupported,
                isClaimed
                    ? "the store claims restoring, but restoring entries threw \(error.quoted): implement restore(_:in:), or "
                        + "remove the claim"
                    : "the store does not claim restoring, and restoring entries threw \(error.quoted): throw notSupported"
            )
        }
        guard isClaimed else { return report.note("the store restores entries: claim restoring") }
        report.require(
            found.entries == Self.restored,
            "restore(_:in:) stored other entries than those of the call: store their IDs, dates and texts as they are")
        report.require(
            found.named == [7], "a query found other entries by the name of a restored one: update the indexes as well")
        report.require(
            found.dirty == [7], "restored entries with local changes are not among the dirty entries: update the flags")
        report.require(
            found.next.map { $0.id > 7 && $0.version > Self.restored[1].version } == true,
            "an entry that was inserted after a restored one has a lower ID or date: continue after the restored ones")
        report.require(
            found.copies == ["2": "before"],
            "an entry that was restored over one with local changes has another synced copy: keep the copy while the "
                + "entry has local changes, and create none")
        await checkDamagedRestoration(store, &report)
    }

    private struct Restored: Sendable {
        var entries: [SoupEntry]
        var named: [Int64]
        var dirty: [Int64]
        /// The result of an insertion by the following write.
        var next: UpsertResult?
        /// The names in the synced copies, by the ID of their entry.
        var copies: [String: JSONValue]
    }

    /// The entries that the suite restores last, with a date in the future.
    private static let restored = [
        SoupEntry(id: 2, version: 5, stored: JSONText(trusted: Array(#"{"name": "n2","__local__":false}"#.utf8)[...])),
        SoupEntry(
            id: 7, version: 9_000_000_000_000,
            stored: JSONText(trusted: Array(#"{"__local__": true, "name":"n7", "text":"é"}"#.utf8)[...])),
    ]

    private static func restore(in store: any StoreBackend) async throws -> Restored {
        let flag = EntryField.local
        let edited = try JSONText(#"{"name": "edited", "\#(flag)": true}"#)
        let copied = try JSONText(#"{"name": "before", "\#(flag)": false}"#)
        let keepsCopies = store.capabilities(of: "copies").contains(.syncedCopies)
        var found = try await store.write { writer in
            try writer.registerSoup("copies", [IndexSpec("name", .string), IndexSpec(JSONPath(flag), .string)])
            // In descending order, and the second one over the first.
            try writer.restore([SoupEntry(id: 7, version: 3, stored: copied)], in: "copies")
            try writer.restore([SoupEntry(id: 2, version: 4, stored: edited)], in: "copies")
            try writer.setSyncedCopies([2: copied], in: "copies")
            try writer.restore([SoupEntry(id: 2, version: 6, stored: edited)], in: "copies")
            let copies = try writer.syncedCopies(of: [2, 7], in: "copies")
            try writer.restore(restored, in: "copies")
            let after = try writer.syncedCopies(of: [2, 7], in: "copies")
            var found = Restored(
                entries: try writer.retrieve([2, 7], from: "copies"),
                named: try writer.query(.exact("copies", "name", equals: "n7")).entries.map(\.id),
                dirty: try writer.dirtyIds(in: "copies"), copies: [:])
            for (id, copy) in copies { found.copies["\(id)"] = copy.value["name"] }
            for (id, _) in after { found.copies["\(id)"] = "after" }
            if !keepsCopies && found.copies.isEmpty { found.copies = ["2": "before"] }
            return found
        }
        let next = RecordBatch([try JSONText(#"{"name": "next"}"#)])
        found.next = try await store.write { try $0.upsert(next, into: "copies").first }
        return found
    }

    private func checkDamagedRestoration(_ store: any StoreBackend, _ report: inout SuiteReport) async {
        let entries = [
            Self.restored[0], SoupEntry(id: 3, version: 1, stored: JSONText(trusted: Array("[1".utf8)[...])),
        ]
        let rule = "throw json with the position of the entry, and keep nothing"
        do {
            try await store.write { try $0.restore(entries, in: "copies") }
            report.note("the suite restored a text that is not a JSON object, and the store accepted it: \(rule)")
        } catch {
            report.require(
                (error as? SoupError)?.code == .json && (error as? SoupError)?.place?.path == "[1]",
                "the suite restored a text that is not a JSON object, and the store threw \(error.quoted): \(rule)")
        }
    }

    /// Checks that a store that claims `foreignCommits` distinguishes its own commits from those of others.
    func checkForeignCommits(_ store: any StoreBackend, _ report: inout SuiteReport) async {
        let isClaimed = store.capabilities.contains(.foreignCommits)
        do {
            let first = try store.foreignCommits()
            guard isClaimed else { return report.note("the store reports foreign commits: claim foreignCommits") }
            try await store.write { try Self.write(2_001, with: $0) }
            try await store.compact()
            report.require(
                try first != nil && store.foreignCommits() == first,
                "foreignCommits() changed with a write through the store itself, or is nil without a write in progress: "
                    + "count only the commits of others")
            guard let reopen else { return }
            let second = try await reopen(store)
            let number = try second.foreignCommits()
            try await second.write { try $0.registerSoup("foreign", [IndexSpec("name", .string)]) }
            let after = try store.foreignCommits()
            report.require(
                try after != nil && after != first && second.foreignCommits() == number,
                "foreignCommits() did not change when another opened store of the same data had written: count its commits"
            )
            try await second.close()
        } catch {
            report.require(
                !isClaimed && (error as? SoupError)?.code == .notSupported,
                isClaimed
                    ? "the store claims foreignCommits, but the suite got \(error.quoted): implement foreignCommits(), or "
                        + "remove the claim"
                    : "the store does not claim foreignCommits, and foreignCommits() threw \(error.quoted): throw "
                        + "notSupported")
        }
    }
}
