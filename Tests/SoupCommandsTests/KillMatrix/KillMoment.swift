// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools && Server

import Foundation
import SoupLocalOrg
import SoupTesting
import Testing

/// When a process is killed.
enum KillMoment: Sendable, CustomStringConvertible {
    /// When its n-th request has come and nothing was done about it, nor ever is.
    case before(request: Int)
    /// When its n-th request has come; it is carried out, and nobody is there to hear the answer.
    case after(request: Int)
    /// When it has printed so many lines.
    case line(Int)
    /// So long after its start.
    case time(Duration)

    var description: String {
        switch self {
        case .before(let number): "before request \(number)"
        case .after(let number): "after request \(number)"
        case .line(let number): "at line \(number)"
        case .time(let duration): "after \(duration)"
        }
    }

    /// What kind of moment it is, for the counts.
    var kind: String {
        switch self {
        case .before: "before a request"
        case .after: "after a request"
        case .line: "at a line"
        case .time: "at a time"
        }
    }
}

/// What a whole run of a command takes: the moments at which it can be killed.
struct KillRange: Sendable {
    var requests: Int
    var lines: Int
    var duration: Duration

    /// - Parameter byTime: whether times are among the moments: then two runs are never quite the same.
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
    /// - Parameter moment: nil lets it run to its end.
    /// - Returns: whether it was killed before it ended, and what it took.
    func run(_ arguments: [String], killing moment: KillMoment?) async throws -> (wasKilled: Bool, took: KillRange) {
        let before = org.journal.last?.number ?? 0
        let start = ContinuousClock.now
        // The request may be there before anybody here knows the process.
        let (started, tell) = AsyncStream.makeStream(of: RunningSoup.self)
        clock.atNextPause {
            for await running in started {
                running.kill(SIGKILL)
                break
            }
        }
        switch moment {
        case .before(let number):
            org.add(OrgFault(.latency(1), id: "pause", nth: [number]))
            org.add(OrgFault(.drop(.beforeHeaders), id: "drop", nth: [number]))
        case .after(let number): org.add(OrgFault(.latency(1), id: "pause", nth: [number]))
        default: break
        }
        let running = try SoupTool.start(
            arguments + ["--config", folder.path, "--json"], environment: served.environment)
        tell.yield(running)
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
        tell.finish()
        // The org goes on with what it was asked, and what comes next is to find it done.
        while org.faults.contains(where: { $0.fault.id == "pause" && $0.fired > 0 }),
            !org.journal.contains(where: { $0.number > before && $0.faults.contains("pause") })
        {
            await Task.yield()
        }
        org.removeFault()
        clock.atNextPause(nil)
        let requests = (org.journal.last?.number ?? 0) - before
        return (
            status == -SIGKILL, KillRange(requests: requests, lines: lines, duration: ContinuousClock.now - start)
        )
    }
}

#endif
