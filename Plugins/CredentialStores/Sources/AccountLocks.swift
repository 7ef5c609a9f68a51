// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Android)
    internal import Android
#endif

/// The turns of the callers of `exclusively`: locks on empty files of a folder, one for each account.
///
/// The system releases a lock when the process ends, for any reason. A file is never removed: otherwise a process that
/// opened it before and a process that creates it again could both get a lock.
struct AccountLocks: Sendable {
    let folder: SessionFolder
    let clock: any SoupClock

    /// The number of milliseconds after which a caller stops waiting.
    static let longestWait: Int64 = 120_000

    func exclusively<Result: Sendable>(
        for account: SessionAccount, _ body: @Sendable () async throws -> Result
    ) async throws -> Result {
        let lock = try await acquire(account)
        // Closing the only descriptor of the file releases the lock.
        defer { close(lock) }
        return try await body()
    }

    /// Returns the descriptor of a locked file.
    private func acquire(_ account: SessionAccount) async throws -> Int32 {
        let start = clock.milliseconds
        var pause: Int64 = 5
        while true {
            try Task.checkCancellation()
            if let lock = try folder.tryLock(account.key + ".lock") { return lock }
            guard clock.milliseconds - start < Self.longestWait else {
                throw SoupError(
                    .credentialsUnusable,
                    "another process has used the session of the \(account) for more than two minutes",
                    hint: "Continue or end that process, and try again.")
            }
            try await clock.sleep(milliseconds: pause)
            pause = min(2 * pause, 100)
        }
    }
}
