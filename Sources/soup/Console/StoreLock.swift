// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// Keeps two processes from syncing one store at once: each would take the other's runs for the leftovers of a crash.
///
/// The lock is on a file beside the store, and goes with the process that holds it, however it ends. Where the file
/// cannot be made there is no lock, and nothing is said about it.
struct StoreLock: Sendable {
    private let descriptor: Int32

    private init(_ descriptor: Int32) { self.descriptor = descriptor }

    /// Lets others have it; called once.
    func release() {
        if descriptor >= 0 { close(descriptor) }
    }

    /// Takes the lock, unless another process has it.
    static func attempt(at path: String) -> StoreLock? {
        let descriptor = open(path, O_CREAT | O_RDWR | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { return StoreLock(-1) }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            close(descriptor)
            return nil
        }
        return StoreLock(descriptor)
    }

    /// Waits for the lock.
    ///
    /// - Parameter waiting: called once when another process has it.
    /// - Throws: `CancellationError`.
    static func take(at path: String, waiting: () -> Void) async throws -> StoreLock {
        var isFirst = true
        while true {
            if let lock = attempt(at: path) { return lock }
            if isFirst { waiting() }
            isFirst = false
            try await Task.sleep(for: .milliseconds(50))
        }
    }
}
