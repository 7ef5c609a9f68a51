// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools

internal import Dispatch
internal import Foundation

/// Cancels a task when the process receives SIGINT, SIGTERM, or SIGHUP, the signal of a terminal that is closed.
enum Interruption {
    /// Runs `body` in a task that these signals cancel, and waits for it; the second signal ends the process.
    ///
    /// SIGHUP stays ignored if the process was started so: `nohup soup ...`.
    ///
    /// `body` starts after the signal handlers are installed. A signal that arrives earlier ends the process, which
    /// then has nothing to clean up.
    static func run<T: Sendable>(_ body: @escaping @Sendable () async throws -> T) async throws -> T {
        let (listening, listens) = AsyncStream.makeStream(of: Void.self)
        let numbers = [SIGINT, SIGTERM] + (isIgnored(SIGHUP) ? [] : [SIGHUP])
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
                // On Darwin a dispatch source does not replace the signal's default action; on Linux it does.
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

    private static func isIgnored(_ number: Int32) -> Bool {
        var action = sigaction()
        sigaction(number, nil, &action)
        #if canImport(Darwin)
        let handler = action.__sigaction_u.__sa_handler
        #else
        let handler = action.__sigaction_handler.sa_handler
        #endif
        return unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
    }

    /// Ends the process by the default action of a signal.
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
