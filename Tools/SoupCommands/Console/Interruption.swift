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
        let numbers = [SIGINT, SIGTERM]
        let task = Task {
            var waiting = numbers.count
            for await _ in listening {
                waiting -= 1
                if waiting == 0 { break }
            }
            try Task.checkCancellation()
            return try await body()
        }
        let sources = numbers.map { number in
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setRegistrationHandler {
                #if canImport(Darwin)
                // There a source only looks on; elsewhere it takes the place of what the signal does.
                signal(number, SIG_IGN)
                #endif
                listens.yield()
            }
            source.setEventHandler {
                if task.isCancelled { endProcess(by: number) }
                task.cancel()
            }
            source.resume()
            return source
        }
        defer { for source in sources { source.cancel() } }
        return try await task.value
    }

    /// Lets a signal do what it does to who does not listen.
    private static func endProcess(by number: Int32) {
        signal(number, SIG_DFL)
        var mask = sigset_t()
        sigemptyset(&mask)
        sigaddset(&mask, number)
        pthread_sigmask(SIG_UNBLOCK, &mask, nil)
        raise(number)
    }
}

#endif
