// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// A place where something under test waits until the test lets it go on.
final class Gate: Sendable {
    private let arrivals: AsyncStream<Void>
    private let arrive: AsyncStream<Void>.Continuation
    private let openings: AsyncStream<Void>
    private let opening: AsyncStream<Void>.Continuation

    init() {
        (arrivals, arrive) = AsyncStream.makeStream()
        (openings, opening) = AsyncStream.makeStream()
    }

    /// Waits until ``open()``; throws when the task is cancelled.
    func pass() async throws {
        arrive.yield()
        for await _ in openings { return }
        try Task.checkCancellation()
    }

    /// Waits until ``open()``, whether the task is cancelled or not.
    func passUninterrupted() async {
        arrive.yield()
        let openings = openings
        await Task { for await _ in openings { return } }.value
    }

    /// Returns when somebody waits.
    func arrived() async { for await _ in arrivals { return } }

    func open() { opening.yield() }
}
