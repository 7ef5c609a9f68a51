// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools

internal import SoupKit

/// Prints the events and the result of a run.
struct RunPrinter: Sendable {
    private let console: Console
    private let log: WatchLog?

    /// - Parameter log: the lines of earlier runs of a watch, which are not printed again.
    init(_ console: Console, skippingRepetitionsIn log: WatchLog? = nil) { (self.console, self.log) = (console, log) }

    /// Prints a line; during a watch only if it is not a repetition.
    ///
    /// - Parameters:
    ///   - key: lines with the same key are repetitions of each other; nil for the line itself.
    ///   - always: whether the line is printed even if it is a repetition.
    private func printLine(_ line: String, key: String? = nil, always: Bool = false) {
        guard log?.shouldPrint(key ?? line, always: always) ?? true else { return }
        console.print(line)
    }

    /// Prints the error that ended a run; during a watch without `--json` only if it is not a repetition.
    func print(_ error: SoupError) {
        if console.isJSON || log?.shouldPrint("\(error)") ?? true { console.report(error) }
    }

    /// Prints every event until the run ends.
    func printEvents(_ events: AsyncStream<SyncEvent>) async {
        var bar = ProgressLine(console)
        for await event in events {
            switch event {
            case .state(let state):
                console.event(["event": "state", "sync": state.json])
                bar.show(state)
            case .outcome(let outcome):
                if outcome.result != .ok { bar.clear() }
                print(outcome)
            }
        }
        bar.clear()
    }

    /// Prints the outcome of a record as an event, and as a line if it was not successful.
    func print(_ outcome: RecordOutcome) {
        var object: JSONObject = ["event": "outcome"]
        for (key, value) in outcome.json.objectValue?.members ?? [] { object[key] = value }
        console.event(.object(object))
        if outcome.result != .ok { printLine(Self.line(outcome)) }
    }

    /// Returns the error of a sync down or a ghost cleaning that left out entries because of their IDs.
    static func leftOutError(_ count: Int, of name: String) -> SoupError {
        SoupError(
            "recordsFailed",
            "sync \"\(name)\": \(count) \(count == 1 ? "entry was" : "entries were") left out, because the ID cannot be one of "
                + "the server's",
            hint:
                "Write the whole entry with the correct ID to the standard input of soup upsert, which replaces the entry with "
                + "the same _soupEntryId, or remove the entry with soup delete --now.")
    }

    /// Prints the result of a run as one line.
    func print(_ result: SyncResult) {
        let isDown = result.state.definition.type == .syncDown
        let soups = result.savedBySoup.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
        let saved = soups.count > 1 ? "saved (\(soups.joined(separator: ", ")))" : "saved"
        let counts: [(Int, String)] =
            isDown
            ? [
                (result.saved, saved), (result.replaced, "of them over local changes"),
                (result.merged, "merged with local changes"), (result.conflicted, "in conflict with local changes"),
                (result.unchanged, "unchanged"),
                (result.ghosts, "removed locally because the server no longer returns them"),
                (result.skipped, "skipped because of local changes"), (result.failed, "left out because of their IDs"),
            ]
            : [
                (result.created, "created"), (result.updated, "updated"), (result.deleted, "deleted"),
                (result.skipped, "skipped"), (result.conflicted, "in conflict"),
                (result.failed - result.waiting, "failed"), (result.waiting, "waiting for other records"),
                (result.unknown, "unknown"),
            ]
        var parts = counts.filter { $0.0 > 0 }.map { "\($0) \($1)" }
        if parts.isEmpty, result.state.status == .done { parts = ["nothing to \(isDown ? "fetch" : "push")"] }
        if !result.omittedFields.isEmpty {
            parts.append("without \(result.omittedFields.sorted().joined(separator: ", ")), which cannot be written")
        }
        switch result.bulkQuery {
        case .used?: parts.append("read by a bulk job")
        case .lost?: parts.append("read page by page, because the bulk job was lost")
        case nil: break
        }
        let name = result.state.name ?? "sync \(result.state.id)"
        if let job = result.bulkQuery {
            console.event(["event": "job", "name": .string(name), "job": .string(job.rawValue)])
        }
        let moved = [result.created, result.updated, result.deleted, result.saved, result.merged, result.ghosts]
        // Runs that change nothing are repetitions of each other, however many records they compare.
        let isComplete = result.isComplete && result.skipped == 0
        printLine(
            "\(name): \(([result.state.status.rawValue] + parts).joined(separator: ", "))",
            key: isComplete ? "\(name) is complete" : nil, always: moved.contains { $0 > 0 })
    }

    /// Returns the error of a run that was stopped, or that ended without all of its records.
    static func incompleteRunError(_ result: SyncResult, name: String) -> SoupError {
        guard result.state.status == .done else {
            return SoupError(
                "syncStopped", "sync \"\(name)\" was stopped",
                hint: "Run it again to continue from the last saved position.")
        }
        if result.state.definition.type == .syncDown, result.failed > 0, result.conflicted == 0 {
            return leftOutError(result.failed, of: name)
        }
        let failed = result.failed == result.waiting ? nil : "\(result.failed - result.waiting) failed"
        let waiting = result.waiting == 0 ? nil : "\(result.waiting) waiting for other records"
        let unknown = result.unknown == 0 ? nil : "\(result.unknown) with an unknown outcome"
        let conflicted = result.conflicted == 0 ? nil : "\(result.conflicted) in conflict"
        let failedHint =
            "Run soup failures to see the reasons; the next run retries the failed changes, and soup discard undoes them. "
            + "A damaged entry (ENTRY_DAMAGED) cannot be restored: replace it with soup upsert, or remove it with "
            + "soup delete --now."
        let waitingHint = "Run the sync ups of the other records together with this one: soup sync orders them."
        let unknownHint =
            "Run the sync again to check the unknown outcomes on the server. If creates stay unknown, run soup failures to "
            + "see the reasons, and soup resolve to resolve them."
        let conflictHint = "Run soup conflicts to see the changes of both sides, and soup resolve to resolve them."
        let hints = [
            failed.map { _ in failedHint }, waiting.map { _ in waitingHint }, unknown.map { _ in unknownHint },
            conflicted.map { _ in conflictHint },
        ]
        return SoupError(
            "recordsFailed",
            "sync \"\(name)\": \([failed, waiting, unknown, conflicted].compactMap { $0 }.joined(separator: ", "))",
            hint: hints.compactMap { $0 }.joined(separator: " "))
    }

    private static func line(_ outcome: RecordOutcome) -> String {
        let id = outcome.id.map { " (\($0))" } ?? ""
        let error = outcome.error.map { ": \($0.code) \($0.message)" } ?? ""
        let result = outcome.error?.waitsForRecord == true ? "waiting" : outcome.result.rawValue
        return "  \(outcome.action.rawValue) of \(outcome.soup) \(outcome.entryId)\(id): \(result)\(error)"
    }
}

#endif
