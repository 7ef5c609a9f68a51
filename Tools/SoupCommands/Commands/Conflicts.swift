// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools

internal import ArgumentParser
internal import SoupKit

/// The command `soup conflicts`.
struct Conflicts: SoupCommand {
    static let configuration = CommandConfiguration(
        abstract: "List the records that were changed both locally and on the server.",
        discussion: """
            A sync with the merge mode MERGE merges changes by field. If the changes of a record cannot be merged, the \
            record keeps its local changes and is not sent. It is listed with the code CONFLICT until soup resolve or a \
            conflict resolver resolves the conflict. A sync up with LEAVE_IF_CHANGED does not send a record that is newer \
            on the server (NEWER_ON_SERVER) or deleted there (DELETED_ON_SERVER). Such a record is listed with all its \
            locally changed fields, and so is one whose parent was deleted on the server (PARENT_DELETED_ON_SERVER). Use \
            soup resolve or soup discard to resolve them.

            With --json prints {"soup","entryId","id","code","fields","base","local","remote"} per line: base is the \
            last version that both sides had; a side that deleted the record is null.
            """)

    @Argument(help: "The soup; by default all soups.")
    var soup: String?

    @Argument(help: "The entry; by default all entries.")
    var id: Int64?

    @OptionGroup var options: GlobalOptions

    func perform(_ console: Console) async throws {
        let store = try await options.openStore()
        if let soup { try await store.requireSoup(SoupName(soup)) }
        let all = try await SyncManager.conflicts(in: store.backend)
        let found = all.filter {
            (soup == nil || $0.soup.rawValue == soup) && (id == nil || $0.entryId == id)
        }
        var table = TextTable(["soup", "entry", "id", "code", "field", "base", "local", "server"], alignRight: [1])
        for conflict in found {
            console.event(conflict.json)
            var lead = [conflict.soup.rawValue, String(conflict.entryId), conflict.serverId ?? "", conflict.code]
            for row in Self.rows(of: conflict) {
                table.add(lead + row)
                lead = ["", "", "", ""]
            }
        }
        let subject = [soup.map { " of soup \($0)" }, id.map { " with the ID \($0)" }].compactMap { $0 }.joined()
        console.table(table, ifEmpty: "no entry\(subject) is in conflict")
        guard !found.isEmpty else { return }
        console.print("Resolve one with: soup resolve SOUP ENTRY --keep local (or remote), or with --merged FILE.")
        console.print("Undo the local changes with: soup discard SOUP ENTRY.")
    }

    /// Returns whether the fields of the server's version equal those of the base: another record of the tree is newer.
    private static func isUnchangedOnServer(_ conflict: RecordConflict) -> Bool {
        guard let remote = conflict.remote?.members, let base = conflict.base?.members, !remote.isEmpty else {
            return false
        }
        return remote.allSatisfy { member in
            base.contains { $0.key == member.key && $0.value.value == member.value.value }
        }
    }

    /// Returns a row for each field with its three values; if one side has no record, a row for the record first.
    private static func rows(of conflict: RecordConflict) -> [[String]] {
        func text(_ record: JSONText?, _ field: String, else absent: String = "") -> String {
            guard let record else { return "unknown" }
            return record.members?.first { $0.key == field }?.value.description ?? absent
        }
        guard let local = conflict.local else {
            return [["(the record)", "", "deleted", isUnchangedOnServer(conflict) ? "unchanged" : "changed"]]
        }
        if conflict.remote == nil, conflict.base == nil, conflict.serverId.map(LocalId.isLocal) ?? true {
            return [["(the record)", "", "created", "no parent"]]
        }
        guard let remote = conflict.remote else {
            // Also list the local changes that would be lost with the record.
            let base = conflict.base.flatMap(\.members) ?? []
            let changed =
                base.isEmpty ? [] : (local.members ?? []).filter { text(conflict.base, $0.key) != $0.value.description }
            return [["(the record)", "", "changed", "deleted"]]
                + changed.map { [$0.key, text(conflict.base, $0.key), $0.value.description, ""] }
        }
        guard !conflict.fields.isEmpty else { return [["(the record)", "", "changed", "changed"]] }
        return conflict.fields.map {
            [$0, text(conflict.base, $0), text(local, $0), text(remote, $0, else: "not returned")]
        }
    }
}

#endif
