// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools

internal import ArgumentParser
internal import Foundation
internal import SoupKit

/// The command `soup rewind`.
struct Rewind: SoupCommand {
    static let configuration = CommandConfiguration(
        abstract: "Let the next run of a sync down fetch the changes since a time again.",
        discussion: """
            Entries and local changes stay as they are; other syncs are not affected. A sync never goes forward: if its mark is \
            earlier than the time, it stays. A target that continues with a token of the server fetches everything again.

            soup sync NAME --since TIME rewinds the sync and runs it. soup sync NAME --renew starts it again completely.

            With --json prints the row of syncs_soup; maxTimeStamp is the mark.
            """)

    @Argument(help: "The name of the sync down.")
    var name: String

    @Argument(help: ArgumentHelp("\(TimeArgument.help).", valueName: "time"))
    var time: TimeArgument

    @OptionGroup var options: GlobalOptions

    func perform(_ console: Console) async throws {
        let kit = try await options.open()
        options.reportDrift(of: kit, for: [name], console)
        try await options.requireSync(named: name, in: kit)
        let state = try await options.retryingWhileSyncsRun(console) {
            try await kit.syncs.rewind(named: name, to: time.time)
        }
        console.event(state.json)
        let from = state.maxTimeStamp.map { "the changes since \(DateText.format($0, zone: "Z"))" } ?? "everything"
        console.print("\(name): the next run fetches \(from)")
    }
}

#endif
