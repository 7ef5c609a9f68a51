// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

// Threads whose stack size can be chosen are in Foundation only.
internal import Foundation

/// A thread with a stack of 256 KiB, for tests of code that reads nested input.
///
/// Apple's pool threads have 512 KiB, and the callers of a reader need a part of it. A reader that recurses on its
/// input ends the process there, although the same test passes on the main thread.
public enum SmallStack {
    /// The size of the stack in bytes.
    public static let size = 256 * 1024

    /// Runs `body` on such a thread and returns its result.
    ///
    /// Release nested values inside `body`: releasing them needs stack as well. The caller cannot cancel `body`.
    ///
    /// - Throws: the error that `body` throws.
    public static func run<T: Sendable>(_ body: @escaping @Sendable () throws -> T) async throws -> T {
        try await withCheckedThrowingContinuation { continuation in
            let thread = Thread { continuation.resume(with: Result { try body() }) }
            thread.stackSize = size
            thread.start()
        }
    }
}
