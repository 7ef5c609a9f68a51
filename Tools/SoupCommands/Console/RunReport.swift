// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools

internal import SoupKit

/// Prints what a run tells.
struct RunReport: Sendable {
    private let console: Console
    private let log: WatchLog?

    /// - Parameter log: knows what was said of earlier runs, and is not to be said again.
    init(_ console: Console, remembering log: WatchLog? = nil) { (self.console, self.log) = (console, log) }

    /// Says a line, and while syncs are watched only when it is news.
    ///
    /// - Parameter meaning: lines with the same one say the same; nil for the line itself.
    private func say(_ line: String, meaning: String? = nil, isNews: Bool = false) {
        guard log?.isNew(meaning ?? line, inAnyCase: isNews) ?? true else { return }
        console.say(line)
    }

    /// Reports the error that a run ended with.
    func fail(_ error: SoupError) {
        if console.isJSON || log?.isNew("\(error)") ?? true { console.fail(error) }
    }

    /// Prints every event, to the end of the run.
    func follow(_ events: AsyncStream<SyncEvent>) async {
        var bar = ProgressLine(console)
        for await event in events {
            switch event {
            case .state(let state):
                console.event(["event": "state", "sync": state.json])
                bar.show(state)
            case .outcome(let outcome):
                if outcome.result != .ok { bar.clear() }
                tell(outcome)
            }
        }
        bar.clear()
    }

    /// Reports what became of one record: as an event, and as a line when it did not go through.
    func tell(_ outcome: RecordOutcome) {
        var object: JSONObject = ["event": "outcome"]
        for (key, value) in outcome.json.objectValue?.members ?? [] { object[key] = value }
        console.event(.object(object))
        if outcome.result != .ok { say(Self.line(outcome)) }
    }

    /// The error of a sync down, or of a cleaning of ghosts, that left entries out because of their IDs.
    static func leftOut(_ count: Int, of name: String) -> SoupError {
        SoupError(
            "recordsFailed",
            "sync \"\(name)\": \(count) \(count == 1 ? "entry was" : "entries were") left out, because the ID cannot be one of "
                + "the server's",
            hint:
                "To correct an ID, write the whole entry with the right one to the standard input of soup upsert, which replaces "
                + "the entry with the same _soupEntryId. To remove an entry, use soup delete --now.")
    }

    /// Says in one line what a run has done.
    func conclude(_ result: SyncResult) {
        let isDown = result.state.definition.type == .syncDown
        let soups = result.savedBySoup.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
        let saved = soups.count > 1 ? "saved (\(soups.joined(separator: ", ")))" : "saved"
        let counts: [(Int, String)] =
            isDown
            ? [
                (result.saved, saved), (result.replaced, "of them over local changes"),
                (result.merged, "merged with local changes"), (result.conflicted, "in conflict with local changes"),
                (result.unchanged, "unchanged"),
                (result.ghosts, "removed here because the server no longer gives them"),
                (result.skipped, "kept out by local changes"), (result.failed, "left out because of their ids"),
            ]
            : [
                (result.created, "created"), (result.updated, "updated"), (result.deleted, "deleted"),
                (result.skipped, "skipped"), (result.conflicted, "in conflict"), (result.failed, "failed"),
                (result.unknown, "unknown"),
            ]
        var parts = counts.filter { $0.0 > 0 }.map { "\($0) \($1)" }
        if parts.isEmpty, result.state.status == .done { parts = ["nothing to \(isDown ? "bring" : "push")"] }
        switch result.job {
        case .used?: parts.append("read by a bulk job")
        case .lost?: parts.append("read page by page, because the bulk job was lost")
        case nil: break
        }
        let name = result.state.name ?? "sync \(result.state.id)"
        if let job = result.job {
            console.event(["event": "job", "name": .string(name), "job": .string(job.rawValue)])
        }
        let moved = [result.created, result.updated, result.deleted, result.saved, result.merged, result.ghosts]
        // That nothing was to be done is no news, however many records were looked at.
        let isWell = result.isComplete && result.skipped == 0
        say(
            "\(name): \(([result.state.status.rawValue] + parts).joined(separator: ", "))",
            meaning: isWell ? "\(name) is well" : nil, isNews: moved.contains { $0 > 0 })
    }

    /// The error of a run that came to its end without all of its records.
    func shortfall(of result: SyncResult, name: String) -> SoupError {
        guard result.state.status == .done else {
            return SoupError(
                "syncStopped", "sync \"\(name)\" was stopped", hint: "Run it again: it goes on where it was.")
        }
        if result.state.definition.type == .syncDown, result.failed > 0, result.conflicted == 0 {
            return Self.leftOut(result.failed, of: name)
        }
        let refused = result.failed == 0 ? nil : "\(result.failed) failed"
        let lost = result.unknown == 0 ? nil : "\(result.unknown) with an unknown outcome"
        let open = result.conflicted == 0 ? nil : "\(result.conflicted) in conflict"
        let retried =
            "What failed is tried again with the next run; soup failures says why, soup discard takes the change back. "
            + "It cannot restore a damaged entry (ENTRY_DAMAGED): write that one whole with soup upsert, or remove it "
            + "with soup delete --now."
        let resolved =
            "The next run asks the server. Creations that stay unknown are settled by soup resolve: soup failures says why."
        let shown = "soup conflicts shows what was changed on both sides, and soup resolve settles it."
        let hints = [refused.map { _ in retried }, lost.map { _ in resolved }, open.map { _ in shown }]
        return SoupError(
            "recordsFailed",
            "sync \"\(name)\": \([refused, lost, open].compactMap { $0 }.joined(separator: ", "))",
            hint: hints.compactMap { $0 }.joined(separator: " "))
    }

    private static func line(_ outcome: RecordOutcome) -> String {
        let id = outcome.id.map { " (\($0))" } ?? ""
        let error = outcome.error.map { ": \($0.code) \($0.message)" } ?? ""
        return
            "  \(outcome.action.rawValue) of \(outcome.soup) \(outcome.entryId)\(id): \(outcome.result.rawValue)\(error)"
    }
}

#endif
