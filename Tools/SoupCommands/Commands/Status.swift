// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools

internal import ArgumentParser
internal import SoupKit

/// The command `soup status`.
struct Status: SoupCommand {
    static let configuration = CommandConfiguration(
        abstract: "Print the states of the syncs.",
        discussion: """
            Does not affect a sync that another process runs. Columns count the records that the last run did not complete: \
            failed (soup failures lists the reasons), unknown (their responses were lost: sync again, and if the outcome is \
            still unknown, use soup resolve), conflicted (soup conflicts) and skipped.

            With --json prints the public members of the rows of syncs_soup.
            """)

    @Argument(help: "The sync; by default all syncs.")
    var name: String?

    @OptionGroup var options: GlobalOptions

    func perform(_ console: Console) async throws {
        let store = try await options.openStore()
        if store.backend.capabilities.contains(.readOnly) {
            console.info("The store is read-only: runs that a crash interrupted are shown as RUNNING.")
        } else {
            await updateStates(console)
        }
        let states = try await SyncManager.states(in: store.backend)
        let known = states.compactMap(\.name)
        if let name, !known.contains(name) {
            throw options.unknownSync(name, among: known, in: configuration())
        }
        let shown = states.filter { name == nil || $0.name == name }
        for state in shown { console.event(state.json) }
        console.table(
            Self.table(of: shown), ifEmpty: "the store has no syncs; define them in \(options.scope.syncsFile)")
        for error in shown.flatMap(Self.errors) { console.print(error) }
    }

    /// Opens the syncs, which marks runs that a crash interrupted and adds the new syncs of the files.
    ///
    /// An error in the files is reported, and the states are printed nevertheless.
    private func updateStates(_ console: Console) async {
        do {
            let kit = try await options.open()
            for problem in kit.drift { console.report(problem, in: kit.configuration) }
        } catch {
            console.report(error)
        }
    }

    private static func table(of states: [SyncState]) -> TextTable {
        let counts = counts(in: states)
        var table = TextTable(
            ["sync", "type", "soup", "status", "%", "records"] + counts + ["last end"],
            alignRight: Set(4..<6 + counts.count))
        for state in states {
            let left = state.unsynced.counts.filter { counts.contains($0.name) }
            table.add(
                [
                    state.name ?? "(\(state.id))", state.definition.type.rawValue, state.definition.soup.rawValue,
                    text(of: state), String(state.progress), state.totalSize < 0 ? "" : String(state.totalSize),
                ] + left.map { $0.count > 0 ? String($0.count) : "" } + [
                    state.endTime.map { DateText.format($0, zone: "Z") } ?? "never"
                ])
        }
        return table
    }

    /// Returns the errors of a sync, as they are printed below the table.
    private static func errors(of state: SyncState) -> [String] {
        let name = state.name ?? "(\(state.id))"
        let paused = state.pausedAtUsage.map { "\(name): paused: \($0) are used; run it again later" }
        return (state.isWaitingForLogin ? ["\(name): the session has expired; log in and run it again"] : [])
            + [paused].compactMap { $0 }
            + (state.error.isEmpty ? [] : ["\(name): \(state.error)"])
    }

    /// Returns the columns of records that were not completed, except columns that are empty for all syncs.
    private static func counts(in states: [SyncState]) -> [String] {
        SyncState.UnsyncedCounts().counts.map(\.name).filter { name in
            states.contains { $0.unsynced.counts.contains { $0.name == name && $0.count > 0 } }
        }
    }

    /// Returns the status, and whether the sync waits for a login or for requests.
    private static func text(of state: SyncState) -> String {
        state.status.rawValue + (state.isWaitingForLogin ? " (login)" : "")
            + (state.pausedAtUsage != nil ? " (limit)" : "")
    }
}

#endif
