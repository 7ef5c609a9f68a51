// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import Dispatch
internal import SoupCore
internal import Synchronization

/// The two stores of a ``LayeredStore``, and whether the front one can be used.
final class Layers: Sendable {
    let front: any StoreBackend
    let back: any StoreBackend
    private let contents: FrontContents

    private let turn = AsyncSemaphore(permits: 1)
    private let writing = DispatchQueue(label: "SoupKit.LayeredStore.write")
    /// The number of foreign commits of the back store that the front store contains; nil while the front store cannot
    /// be used, because it lacks changes or because a write is being committed.
    private let filledAt = Mutex<Int64?>(nil)

    init(front: any StoreBackend, back: any StoreBackend, contents: FrontContents) {
        self.front = front
        self.back = back
        self.contents = contents
    }

    /// - Throws: ``SoupError`` with `notSupported`.
    func check() throws {
        for capability in [StoreCapability.composable, .restoring] where !front.capabilities.contains(capability) {
            throw SoupError(
                .notSupported, "the front store does not claim the capability \(capability.rawValue)",
                hint: "Use the backend memory as the front store.")
        }
        guard !front.capabilities.contains(.durable) else {
            throw SoupError(
                .notSupported, "the front store is durable, but it is filled again whenever the store is opened",
                hint: "Use the backend memory as the front store, and the durable one as the back store.")
        }
        for capability in [StoreCapability.composable, .foreignCommits]
        where !back.capabilities.contains(capability) {
            throw SoupError(
                .notSupported, "the back store does not claim the capability \(capability.rawValue)",
                hint: "Use a backend that claims it, such as sqlite.")
        }
    }

    // MARK: Reads

    /// Runs a body on the front store.
    ///
    /// - Returns: nil if the front store is outdated, if it does not have something that the body reads, or if the body
    ///   fails: then the caller runs the body on the back store.
    func readFront<T: Sendable>(_ body: @escaping @Sendable (any StoreReader) throws -> T) async -> T? {
        guard isUsable else { return nil }
        return try? await front.quickRead { [contents] reader in try FrontReader.run(body, on: reader, with: contents) }
    }

    /// Whether the front store contains all writes that have returned and all foreign commits.
    private var isUsable: Bool {
        guard let known = filledAt.withLock({ $0 }), let number = try? back.foreignCommits() else { return false }
        if number == known { return true }
        filledAt.withLock { if $0 == known { $0 = nil } }
        return false
    }

    // MARK: Writes

    func write<T: Sendable>(_ body: @escaping @Sendable (any StoreWriter) throws -> T) async throws -> T {
        try await turn.wait()
        defer { turn.signal() }
        return try await writing.run { try self.runWrite(at: nil, body) }
    }

    func writeBlocking<T>(at now: Int64?, _ body: (any StoreWriter) throws -> T) throws -> T {
        turn.waitBlocking()
        defer { turn.signal() }
        return try runWrite(at: now, body)
    }

    /// The caller has the turn to write.
    private func runWrite<T>(at now: Int64?, _ body: (any StoreWriter) throws -> T) throws -> T {
        let known = filledAt.withLock { $0 }
        // Read before the transaction: a foreign commit in between makes the front store outdated again.
        let number = (try? back.foreignCommits()) ?? nil
        let isOutdated = known == nil || (number != nil && number != known)
        if isOutdated { filledAt.withLock { $0 = nil } }
        var result: T?
        var fillsAt = known
        do {
            try front.writeBlocking(at: nil) { front in
                result = try back.writeBlocking(at: now) { back in
                    let writer = LayeredWriter(back, contents)
                    let result = try body(writer)
                    if isOutdated {
                        fillsAt = number
                        if number != nil { try contents.fill(front, from: back) }
                    } else if contents.isAffected(by: writer.changes) {
                        try contents.apply(writer.changes, to: front, from: back)
                        // Reads use the back store until both stores are committed.
                        filledAt.withLock { $0 = nil }
                    }
                    return result
                }
            }
        } catch {
            // The front store failed after the commit of the back store: it is outdated, and the write is durable.
            if let result { return result }
            throw error
        }
        filledAt.withLock { $0 = fillsAt }
        guard let result else { throw CancellationError() }
        return result
    }

    /// Fills the front store when the store is opened.
    func fill() async throws {
        try await turn.wait()
        defer { turn.signal() }
        try await writing.run { [self] in
            guard let number = try back.foreignCommits() else { return }
            try front.writeBlocking(at: nil) { front in
                try back.readBlocking(cancellation: CancellationFlag()) { try contents.fill(front, from: $0) }
            }
            filledAt.withLock { $0 = number }
        }
    }

    func close() async throws {
        // Closing also completes in a cancelled task.
        try await Task {
            try await turn.wait()
            defer { turn.signal() }
            var failure: (any Error)?
            for store in [back, front] {
                do { try await store.close() } catch { failure = failure ?? error }
            }
            if let failure { throw failure }
        }.value
    }
}
