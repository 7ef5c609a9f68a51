// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import Dispatch

/// The queues for the file work of a store, outside Swift's thread pool, whose threads must not wait for a disk.
///
/// Reads run concurrently; changes of the folder run one after the other, so that few threads wait for its lock.
struct FileQueues: Sendable {
    private let reads = DispatchQueue(label: "SoupKit.KeyValueStore.reads", attributes: .concurrent)
    private let changes = DispatchQueue(label: "SoupKit.KeyValueStore.changes")

    /// Runs a read.
    ///
    /// - Throws: `CancellationError` before the work begins; work that has begun is not interrupted.
    func read<T: Sendable>(_ work: @escaping @Sendable () throws -> T) async throws -> T {
        try await Self.run(work, on: reads)
    }

    /// Runs a change.
    ///
    /// - Throws: the errors of ``read(_:)``.
    func change<T: Sendable>(_ work: @escaping @Sendable () throws -> T) async throws -> T {
        try await Self.run(work, on: changes)
    }

    private static func run<T: Sendable>(
        _ work: @escaping @Sendable () throws -> T, on queue: DispatchQueue
    ) async throws -> T {
        try Task.checkCancellation()
        return try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Result(catching: work)) }
        }
    }
}
