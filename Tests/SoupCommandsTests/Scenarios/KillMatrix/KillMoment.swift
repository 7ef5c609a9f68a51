// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools && Server

import Foundation
import SoupLocalOrg
import SoupTesting
import Testing

/// The moment at which a process is killed.
enum KillMoment: Sendable, CustomStringConvertible {
    /// When the org has received its n-th request, which the org then ignores.
    case before(request: Int)
    /// When the org has received its n-th request, which the org then processes.
    case after(request: Int)
    /// When the process has printed a number of lines.
    case line(Int)
    /// When a time has passed since its start.
    case time(Duration)

    var description: String {
        switch self {
        case .before(let number): "before request \(number)"
        case .after(let number): "after request \(number)"
        case .line(let number): "at line \(number)"
        case .time(let duration): "after \(duration)"
        }
    }

    /// The kind of the moment, for the counts.
    var kind: String {
        switch self {
        case .before: "before a request"
        case .after: "after a request"
        case .line: "at a line"
        case .time: "at a time"
        }
    }
}

/// The requests, lines and duration of an uninterrupted command: the moments at which it can be killed.
struct KillRange: Sendable {
    var requests: Int
    var lines: Int
    var duration: Duration

    /// Returns a random moment.
    ///
    /// - Parameter byTime: whether the moment can be a time; two runs with the same seed can then differ.
    func moment(byTime: Bool, _ random: inout SeededRandom) -> KillMoment {
        switch Int.random(in: 0..<(byTime ? 8 : 6), using: &random) {
        case 0...1 where requests > 0: .before(request: .random(in: 1...requests, using: &random))
        case 2...4 where requests > 0: .after(request: .random(in: 1...requests, using: &random))
        case 0...5: .line(.random(in: 1...max(1, lines), using: &random))
        default: .time(duration * Double.random(in: 0...1, using: &random))
        }
    }
}

extension KillWorld {
    /// Runs `soup` and kills it.
    ///
    /// - Parameter moment: nil for a run to its end.
    /// - Returns: whether it was killed before it ended, and its requests, lines and duration.
    func run(_ arguments: [String], killing moment: KillMoment?) async throws -> (wasKilled: Bool, range: KillRange) {
        let before = org.journal.last?.number ?? 0
        let start = ContinuousClock.now
        // The org may receive the request before `start` returns the process.
        let (started, continuation) = AsyncStream.makeStream(of: RunningSoup.self)
        clock.atNextPause {
            for await running in started {
                running.kill(SIGKILL)
                break
            }
        }
        addFaults(for: moment)
        let running = try SoupTool.start(
            arguments + ["--config", folder.path, "--json"], environment: served.environment)
        continuation.yield(running)
        try running.write("")
        var killer: Task<Void, any Error>?
        if case .time(let duration) = moment {
            killer = Task {
                try await Task.sleep(for: duration)
                running.kill(SIGKILL)
            }
        }
        var lines = 0
        for await _ in running.output {
            lines += 1
            if case .line(lines) = moment { running.kill(SIGKILL) }
        }
        let status = await running.end()
        killer?.cancel()
        continuation.finish()
        await removeFaults(since: before)
        clock.atNextPause(nil)
        let requests = (org.journal.last?.number ?? 0) - before
        return (
            status == -SIGKILL, KillRange(requests: requests, lines: lines, duration: ContinuousClock.now - start)
        )
    }

    /// Lets the org pause at the request of a moment, and drop it if the process is killed before the request.
    private func addFaults(for moment: KillMoment?) {
        switch moment {
        case .before(let number):
            org.add(OrgFault(.latency(.milliseconds(1)), id: "pause", nth: [number]))
            org.add(OrgFault(.drop(.beforeHeaders), id: "drop", nth: [number]))
        case .after(let number): org.add(OrgFault(.latency(.milliseconds(1)), id: "pause", nth: [number]))
        default: break
        }
    }

    /// Removes the faults after the org has processed the request at which it paused.
    ///
    /// The next command then runs after that request.
    private func removeFaults(since number: Int) async {
        while org.faults.contains(where: { $0.fault.id == "pause" && $0.fired > 0 }),
            !org.journal.contains(where: { $0.number > number && $0.faults.contains("pause") })
        {
            await Task.yield()
        }
        org.removeFault()
    }
}

#endif
