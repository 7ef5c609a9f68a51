// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore
internal import Synchronization

/// A mark on the body of a write, which holds the exclusive access that every other write waits for.
final class WriteMark: Sendable {
    @TaskLocal private static var current: WriteMark?

    /// A task that the body started also has the mark, and may continue after the write.
    private let isOver = Atomic(false)

    /// Runs the body of a write.
    static func marking<T>(_ body: () throws -> T) rethrows -> T {
        let mark = WriteMark()
        defer { mark.isOver.store(true, ordering: .releasing) }
        return try $current.withValue(mark, operation: body)
    }

    /// Checks that the current code is not the body of a write.
    ///
    /// - Throws: ``SoupError`` with `insideWrite` in the body of a write.
    static func check() throws {
        guard let current, !current.isOver.load(ordering: .acquiring) else { return }
        throw SoupError(
            .insideWrite, "a blocking method was called in the body of a write, which it would wait for",
            hint: "Use the writer that the body receives, or call the method after the write has returned.")
    }
}

extension SoupError.Code {
    /// A waiting method was called where the store waits for the caller.
    public static let insideWrite: Self = "insideWrite"
}
