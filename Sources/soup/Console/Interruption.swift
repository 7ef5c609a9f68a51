// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools

internal import Dispatch
internal import Foundation

/// Cancels a task when the process is told to end.
enum Interruption {
    /// Runs `body` in a task that SIGINT and SIGTERM cancel, and waits for it; the second signal ends the process.
    ///
    /// `body` does not begin before signals are listened to. Until then they end the process as they always do, and
    /// there is nothing to tidy up.
    static func run<T: Sendable>(_ body: @escaping @Sendable () async throws -> T) async throws -> T {
        let (listening, listens) = AsyncStream.makeStream(of: Void.self)
        let (signals, arrives) = AsyncStream.makeStream(of: Void.self)
        let numbers = [SIGINT, SIGTERM]
        let sources = numbers.map { number in
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setRegistrationHandler {
                #if canImport(Darwin)
                    // There the source only looks on; elsewhere it takes the place of what the signal does.
                    signal(number, SIG_IGN)
                #endif
                listens.yield()
            }
            source.setEventHandler { arrives.yield() }
            source.resume()
            return source
        }
        defer { for source in sources { source.cancel() } }
        var waiting = numbers.count
        for await _ in listening {
            waiting -= 1
            if waiting == 0 { break }
        }
        let task = Task { try await body() }
        let watch = Task {
            for await _ in signals {
                if task.isCancelled { exit(1) }
                task.cancel()
            }
        }
        defer { watch.cancel() }
        return try await task.value
    }
}

#endif
