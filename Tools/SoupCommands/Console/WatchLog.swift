// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools

internal import SoupKit
internal import Synchronization

/// What `soup sync --watch` says: when a round begins and ends, and of its runs only what is news.
///
/// A line that was said in the round before is not said again, unless something was changed here since: whoever edits
/// what was refused wants to hear that it was refused again. A round in which there is nothing to say is passed over.
/// Scripts get every round.
final class WatchLog: Sendable {
    private struct State {
        var round = WatchRound(number: 1, startTime: 0)
        /// The lines that belong to this round and to the one before, said or not.
        var lines: Set<String> = []
        var before: Set<String> = []
        var hasBegun = false
        /// The number of the last round of which something was said.
        var lastSaid = 0
    }

    private let console: Console
    private let state = Mutex(State())

    init(_ console: Console) { self.console = console }

    /// Takes note of the beginning and of the end of a round.
    @Sendable func note(_ round: WatchRound) {
        var event: JSONObject = [
            "event": "round", "number": .int(Int64(round.number)), "startTime": .int(round.startTime),
            "hasChanges": .bool(round.hasChanges),
        ]
        event["endTime"] = round.endTime.map { .int($0) }
        console.event(.object(event))
        let hasSaid = state.withLock { state in
            defer { state.round = round }
            guard round.endTime == nil else { return state.hasBegun }
            (state.before, state.lines, state.hasBegun) = (round.hasChanges ? [] : state.lines, [], false)
            return false
        }
        guard hasSaid, let end = round.endTime else { return }
        console.say("round \(round.number) ended at \(Timestamp.format(end, zone: "Z"))")
    }

    /// Whether a line is to be said, which the round before did not have.
    ///
    /// The first such line of a round lets the round begin, and that is said in front of it.
    ///
    /// - Parameter inAnyCase: whether the line is news even so.
    func isNew(_ line: String, inAnyCase: Bool = false) -> Bool {
        let (isNew, header) = state.withLock { state -> (Bool, String?) in
            state.lines.insert(line)
            guard inAnyCase || !state.before.contains(line) else { return (false, nil) }
            guard !state.hasBegun else { return (true, nil) }
            state.hasBegun = true
            let number = state.round.number
            let quiet = number - state.lastSaid - 1
            state.lastSaid = number
            let pause = quiet == 0 ? "" : ", after \(quiet) without news"
            return (true, "round \(number) began at \(Timestamp.format(state.round.startTime, zone: "Z"))\(pause)")
        }
        if let header { console.say(header) }
        return isNew
    }
}

#endif
