// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools

internal import ArgumentParser
internal import SoupKit

/// The command `soup sessions`.
struct Sessions: SoupCommand {
    static let configuration = CommandConfiguration(
        abstract: "List who is logged in: the kept sessions, without their tokens.",
        discussion: """
            Sends no request, so a listed session may have ended at the server: soup doctor checks it. Exits 1 if a \
            session cannot be read; `soup logout --user` or `soup login` replaces it.

            With --json prints {"account","username"?,"server","isRenewable","savedAt"} per line.
            """)

    @OptionGroup var options: GlobalOptions

    func perform(_ console: Console) async throws {
        let store = try LoginTarget(options).store
        var table = TextTable(["account", "user", "server", "saved"])
        var isComplete = true
        for account in try await store.accounts() {
            do {
                guard let session = try await store.session(of: account) else { continue }
                let server = session.instanceURL ?? session.tokenURL
                let time = DateText.format(session.savedAt, zone: "Z")
                var event: JSONObject = ["account": .string(account.key)]
                event["username"] = session.username.map { .string($0) }
                event["server"] = .string(server)
                event["isRenewable"] = .bool(session.refreshToken != nil)
                event["savedAt"] = .string(time)
                console.event(.object(event))
                table.add(["\(account)", session.username ?? "", server, time])
            } catch let error as SoupError where error.code == .credentialsUnusable {
                console.report(error)
                isComplete = false
            }
        }
        if isComplete || !table.isEmpty { console.table(table, ifEmpty: "no user is logged in") }
        if !isComplete { throw ExitCode(1) }
    }
}

#endif
