// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools

internal import ArgumentParser
internal import SoupKit

/// The command `soup failures`.
struct Failures: SoupCommand {
    static let configuration = CommandConfiguration(
        abstract: "List the local changes that could not be pushed, and why.",
        discussion: """
            The changes are kept, and the next sync up pushes them again. With --json prints \
            {"soup","entryId","id","action","error"} per line; error is {"message","errorCode","fields"}, with \
            "isRetryable": true if another push may succeed without a change of the record.
            """)

    @Argument(help: "The soup; by default all soups.")
    var soup: String?

    @OptionGroup var options: GlobalOptions

    func perform(_ console: Console) async throws {
        let store = try await options.openStore()
        if let soup { try await store.requireSoup(SoupName(soup)) }
        let failures = try await SyncManager.failures(in: store.backend).filter {
            soup == nil || $0.soup.rawValue == soup
        }
        var table = TextTable(["soup", "entry", "id", "change", "code", "fields", "message"], alignRight: [1])
        for failure in failures {
            console.event(failure.json)
            table.add([
                failure.soup.rawValue, String(failure.entryId), failure.id ?? "", failure.action?.rawValue ?? "",
                failure.failure.code, failure.failure.fields.joined(separator: ", "), failure.failure.message,
            ])
        }
        console.table(table, ifEmpty: "no change\(soup.map { " of soup \($0)" } ?? "") was refused")
    }
}

#endif
