// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools

internal import ArgumentParser
internal import SoupKit

/// The command `soup conflicts`.
struct Conflicts: SoupCommand {
    static let configuration = CommandConfiguration(
        abstract: "List the records that were changed here and on the server.",
        discussion: """
            A sync with the merge mode MERGE merges changes by field. A record whose changes do not go together keeps \
            what was changed here, is not sent, and stands in this list until soup resolve settles it, or a conflict \
            resolver does: its code is CONFLICT. A sync up with LEAVE_IF_CHANGED does not send what is newer on the \
            server, NEWER_ON_SERVER, or gone there, DELETED_ON_SERVER: that is listed too, with all fields that were \
            changed here, and soup discard settles it as well. So is what has lost its parent there, \
            PARENT_DELETED_ON_SERVER.

            With --json prints {"soup","entryId","id","code","fields","base","local","remote"} a line: base is the \
            record as both sides had it last; a side that deleted the record is null.
            """)

    @Argument(help: "Only this soup.")
    var soup: String?

    @Argument(help: "Only this entry.")
    var id: Int64?

    @OptionGroup var options: GlobalOptions

    func perform(_ console: Console) async throws {
        let store = try await options.openStore()
        if let soup { try await store.requireSoup(SoupName(soup)) }
        let all = try await SyncManager.conflicts(in: store.backend)
        let found = all.filter {
            (soup == nil || $0.soup.rawValue == soup) && (id == nil || $0.entryId == id)
        }
        var table = Table(["soup", "entry", "id", "code", "field", "base", "here", "server"], alignRight: [1])
        for conflict in found {
            console.event(conflict.json)
            var lead = [conflict.soup.rawValue, String(conflict.entryId), conflict.serverId ?? "", conflict.code]
            for row in Self.rows(of: conflict) {
                table.add(lead + row)
                lead = ["", "", "", ""]
            }
        }
        let subject = [soup.map { " of soup \($0)" }, id.map { " with the id \($0)" }].compactMap { $0 }.joined()
        console.table(table, orSay: "no entry\(subject) is in conflict")
        guard !found.isEmpty else { return }
        console.say("Settle one with: soup resolve SOUP ENTRY --keep local (or remote), or with --merged FILE.")
        console.say("soup discard SOUP ENTRY takes back what was changed here.")
    }

    /// Whether what is known of the server's version is what both sides had last: another one of its tree is newer.
    private static func isAsItWas(_ conflict: RecordConflict) -> Bool {
        guard let remote = conflict.remote?.members, let base = conflict.base?.members, !remote.isEmpty else {
            return false
        }
        return remote.allSatisfy { member in
            base.contains { $0.key == member.key && $0.value.value == member.value.value }
        }
    }

    /// One row a field, with its three values; where one side has no record, a row for the record first.
    private static func rows(of conflict: RecordConflict) -> [[String]] {
        func text(_ record: JSONText?, _ field: String, else absent: String = "") -> String {
            guard let record else { return "not known" }
            return record.members?.first { $0.key == field }?.value.description ?? absent
        }
        guard let local = conflict.local else {
            return [["(the record)", "", "deleted", isAsItWas(conflict) ? "as it was" : "changed"]]
        }
        if conflict.remote == nil, conflict.base == nil, conflict.serverId.map(LocalId.isLocal) ?? true {
            return [["(the record)", "", "created", "no parent"]]
        }
        guard let remote = conflict.remote else {
            // Below the record what would be lost with it.
            let base = conflict.base.flatMap(\.members) ?? []
            let changed =
                base.isEmpty ? [] : (local.members ?? []).filter { text(conflict.base, $0.key) != $0.value.description }
            return [["(the record)", "", "changed", "deleted"]]
                + changed.map { [$0.key, text(conflict.base, $0.key), $0.value.description, ""] }
        }
        guard !conflict.fields.isEmpty else { return [["(the record)", "", "changed", "changed"]] }
        return conflict.fields.map {
            [$0, text(conflict.base, $0), text(local, $0), text(remote, $0, else: "not told")]
        }
    }
}

#endif
