// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupKit

/// Prints what a run tells.
struct RunReport: Sendable {
    private let console: Console

    init(_ console: Console) { self.console = console }

    /// Prints every event, to the end of the run.
    func follow(_ events: AsyncStream<SyncEvent>) async {
        var bar = ProgressLine(console)
        var counts: [String: Int] = [:]
        var last: SyncState?
        for await event in events {
            switch event {
            case .state(let state):
                console.event(["event": "state", "sync": state.json])
                bar.show(state)
                last = state
            case .outcome(let outcome):
                var object: JSONObject = ["event": "outcome"]
                for (key, value) in outcome.json.objectValue?.members ?? [] { object[key] = value }
                console.event(.object(object))
                counts["\(outcome.action.rawValue) \(outcome.result.rawValue)", default: 0] += 1
                guard outcome.result == .failed || outcome.result == .unknown else { continue }
                bar.clear()
                console.say(Self.line(outcome))
            }
        }
        bar.clear()
        if let last { console.say(Self.summary(of: last, counts)) }
    }

    /// The error of a run that came to its end without all of its records.
    func shortfall(of result: SyncResult, name: String) -> SoupError {
        guard result.state.status == .done else {
            return SoupError(
                "syncStopped", "sync \"\(name)\" was stopped", hint: "Run it again: it goes on where it was.")
        }
        let refused = result.failed == 0 ? nil : "\(result.failed) failed"
        let lost = result.unknown == 0 ? nil : "of \(result.unknown) nobody knows whether the server has them"
        let retried = "Each outcome says why; what failed stays dirty and is tried again with the next run."
        let resolved = "soup resolve lists what nobody knows, and settles it."
        return SoupError(
            "recordsFailed",
            "sync \"\(name)\": \([refused, lost].compactMap { $0 }.joined(separator: ", "))",
            hint: [refused.map { _ in retried }, lost.map { _ in resolved }].compactMap { $0 }.joined(separator: " "))
    }

    private static func line(_ outcome: RecordOutcome) -> String {
        let id = outcome.id.map { " (\($0))" } ?? ""
        let error = outcome.error.map { ": \($0.code) \($0.message)" } ?? ""
        return
            "  \(outcome.action.rawValue) of \(outcome.soup) \(outcome.entryId)\(id): \(outcome.result.rawValue)\(error)"
    }

    private static func summary(of state: SyncState, _ counts: [String: Int]) -> String {
        let records = counts.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", ")
        let size = state.totalSize < 0 ? "" : ", \(state.totalSize) records"
        return "\(state.name ?? "sync \(state.id)"): \(state.status.rawValue)\(size)"
            + (records.isEmpty ? "" : " (\(records))")
    }
}
