// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools

internal import ArgumentParser
internal import SoupKit

/// The command `soup status`.
struct Status: SoupCommand {
    static let configuration = CommandConfiguration(
        abstract: "Tell how the syncs stand.",
        discussion: """
            A sync that another process runs is not disturbed. Records that the last run did not get through have columns \
            of their own: failed (soup failures says why), unknown (their answers were lost: sync again, and what stays unknown \
            then, soup resolve lists and settles), conflicted (soup conflicts) and skipped.

            With --json prints rows of syncs_soup.
            """)

    @Argument(help: "Only this sync.")
    var name: String?

    @OptionGroup var options: GlobalOptions

    func perform(_ console: Console) async throws {
        let store = try await options.openStore()
        // Takes note of runs that a crash cut off, and of syncs that are new in the files.
        // Files that do not allow it do not keep anybody from looking.
        if store.backend.capabilities.contains(.readOnly) {
            console.remark("The store can only be read: runs that a crash cut off are shown as RUNNING.")
        } else {
            do {
                let kit = try await options.open()
                for problem in kit.drift { console.report(problem, in: kit.configuration) }
            } catch {
                console.fail(error)
            }
        }
        let states = try await SyncManager.states(in: store.backend)
        let known = states.compactMap(\.name)
        if let name, !known.contains(name) {
            throw options.unknownSync(name, among: known, in: configuration())
        }
        let shown = states.filter { name == nil || $0.name == name }
        let counts = Self.counts(in: shown)
        var table = Table(
            ["sync", "type", "soup", "status", "%", "records"] + counts + ["last end"],
            alignRight: Set(4..<6 + counts.count))
        var errors: [String] = []
        for state in shown {
            console.event(state.json)
            let left = state.leftBehind.counts.filter { counts.contains($0.name) }
            table.add(
                [
                    state.name ?? "(\(state.id))", state.definition.type.rawValue, state.definition.soup.rawValue,
                    Self.text(of: state), String(state.progress), state.totalSize < 0 ? "" : String(state.totalSize),
                ] + left.map { $0.count > 0 ? String($0.count) : "" } + [
                    state.endTime > 0 ? Timestamp.format(state.endTime, zone: "Z") : "never"
                ])
            if state.isWaitingForLogin {
                errors.append("\(state.name ?? "(\(state.id))"): the session is over; log in and run it again")
            }
            if !state.error.isEmpty { errors.append("\(state.name ?? "(\(state.id))"): \(state.error)") }
        }
        console.table(table, orSay: "there are no syncs; \(options.scope.syncsFile) is where they are made")
        for error in errors { console.say(error) }
    }

    /// The columns for what did not get through: those that some sync has something in.
    private static func counts(in states: [SyncState]) -> [String] {
        SyncState.LeftBehind().counts.map(\.name).filter { name in
            states.contains { $0.leftBehind.counts.contains { $0.name == name && $0.count > 0 } }
        }
    }

    /// The status, and whether it is a login that the sync waits for.
    private static func text(of state: SyncState) -> String {
        state.status.rawValue + (state.isWaitingForLogin ? " (login)" : "")
    }
}

#endif
