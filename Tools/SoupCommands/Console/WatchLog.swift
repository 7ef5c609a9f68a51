// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools

internal import Foundation
internal import SoupKit
internal import Synchronization

/// Decides which lines `soup sync --watch` prints: the start and end of a round, and lines that are not repetitions.
///
/// A line of the previous round is not printed again, unless a record was changed locally since then: a user who edits
/// a refused record must see if it is refused again. A round without lines to print is omitted. With `--json`, every
/// round is printed.
final class WatchLog: Sendable {
    private struct State {
        var round = WatchRound(number: 1, startTime: Date(timeIntervalSince1970: 0))
        /// The lines of this round and of the previous one, whether or not they were printed.
        var lines: Set<String> = []
        var previousLines: Set<String> = []
        var hasPrintedStart = false
        /// The number of the last round that was printed.
        var lastPrinted = 0
    }

    private let console: Console
    private let state = Mutex(State())

    init(_ console: Console) { self.console = console }

    /// Records the start or the end of a round.
    @Sendable func note(_ round: WatchRound) {
        var event: JSONObject = [
            "event": "round", "number": .int(Int64(round.number)),
            "startTime": .int(round.startTime.millisecondsSince1970),
            "hasChanges": .bool(round.hasChanges),
        ]
        event["endTime"] = round.endTime.map { .int($0.millisecondsSince1970) }
        console.event(.object(event))
        let hasPrintedStart = state.withLock { state in
            defer { state.round = round }
            guard round.endTime == nil else { return state.hasPrintedStart }
            (state.previousLines, state.lines, state.hasPrintedStart) = (round.hasChanges ? [] : state.lines, [], false)
            return false
        }
        guard hasPrintedStart, let end = round.endTime else { return }
        console.print("round \(round.number) ended at \(DateText.format(end.millisecondsSince1970, zone: "Z"))")
    }

    /// Returns whether to print a line: it was not in the previous round.
    ///
    /// Before the first such line of a round, prints that the round began.
    ///
    /// - Parameter always: whether to print the line even if it was in the previous round.
    func shouldPrint(_ line: String, always: Bool = false) -> Bool {
        let (shouldPrint, header) = state.withLock { state -> (Bool, String?) in
            state.lines.insert(line)
            guard always || !state.previousLines.contains(line) else { return (false, nil) }
            guard !state.hasPrintedStart else { return (true, nil) }
            state.hasPrintedStart = true
            let number = state.round.number
            let omitted = number - state.lastPrinted - 1
            state.lastPrinted = number
            let gap = omitted == 0 ? "" : ", after \(omitted) without changes"
            return (
                true,
                "round \(number) began at \(DateText.format(state.round.startTime.millisecondsSince1970, zone: "Z"))\(gap)"
            )
        }
        if let header { console.print(header) }
        return shouldPrint
    }
}

#endif
