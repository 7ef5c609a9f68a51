// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import SoupCore
internal import Synchronization

/// The part of a streamed body between the thread of the transport and the reader.
///
/// The thread calls ``isFull()`` before it adds bytes, and stops reading from the connection if the pipe is full. The
/// pipe requests more bytes when the reader has taken the available ones.
final class BodyPipe: Sendable {
    /// The number of bytes at which the pipe is full; one step of decompression may exceed it.
    static let capacity = 512 * 1024

    /// The next bytes of the body; nil at its end.
    private typealias Piece = Result<[UInt8]?, any Error>

    private struct State {
        var bytes: [UInt8] = []
        /// The calls that wait for bytes; empty while there are any.
        var readers: [Promise<Piece>] = []
        var end: Piece?
        /// Whether the thread waits until the pipe has room.
        var isAwaited = false
        var largest = 0
    }

    private let beginning = Promise<Result<HTTPResponse, any Error>>()
    private let state = Mutex(State())
    private let onDemand: @Sendable () -> Void

    /// - Parameter onDemand: called when a pipe that was full has room again.
    init(onDemand: @escaping @Sendable () -> Void) { self.onDemand = onDemand }

    /// The maximum number of bytes that the pipe has held.
    var largest: Int { state.withLock { $0.largest } }

    func begin(_ head: HTTPResponse) { beginning.resolve(.success(head)) }

    /// Waits for the head of the response.
    ///
    /// - Throws: the error of ``end(_:)``, if the exchange ends before.
    func head() async throws -> HTTPResponse { try await beginning.waitUncancelled().get() }

    /// Returns whether the thread must wait; if so, `onDemand` is called when the pipe has room.
    func isFull() -> Bool {
        state.withLock { state in
            state.isAwaited = state.bytes.count >= Self.capacity
            return state.isAwaited
        }
    }

    func add(_ bytes: UnsafeRawBufferPointer) {
        guard !bytes.isEmpty else { return }
        let reader = state.withLock { state -> Promise<Piece>? in
            guard state.readers.isEmpty else { return state.readers.removeFirst() }
            state.bytes.append(contentsOf: bytes)
            state.largest = max(state.largest, state.bytes.count)
            return nil
        }
        reader?.resolve(.success(Array(bytes)))
    }

    /// Ends the body; nil if it is complete.
    ///
    /// The reader receives the remaining bytes before the error. Only the first end counts.
    func end(_ error: (any Error)?) {
        let (readers, end) = state.withLock { state in
            let end = state.end ?? error.map { .failure($0) } ?? .success(nil)
            state.end = end
            defer { state.readers = [] }
            return (state.readers, end)
        }
        beginning.resolve(.failure(error ?? CancellationError()))
        for reader in readers { reader.resolve(end) }
    }

    /// Waits for bytes, and returns all that are available; nil at the end.
    func next() async throws -> [UInt8]? {
        let piece = Promise<Piece>()
        // Resolving it inside the lock resumes no task, because no task waits for it yet.
        let isAwaited = state.withLock { state in
            defer { state.isAwaited = false }
            if !state.bytes.isEmpty {
                piece.resolve(.success(state.bytes))
                state.bytes = []
            } else if let end = state.end {
                piece.resolve(end)
            } else {
                state.readers.append(piece)
            }
            return state.isAwaited
        }
        if isAwaited { onDemand() }
        return try await piece.waitUncancelled().get()
    }
}

/// Reads a pipe, and ends its exchange when it is released or its task is cancelled.
final class BodyPipeReader: Sendable {
    private let pipe: BodyPipe
    private let cancel: @Sendable () -> Void

    init(_ pipe: BodyPipe, cancel: @escaping @Sendable () -> Void) {
        self.pipe = pipe
        self.cancel = cancel
    }

    deinit { cancel() }

    func next() async throws -> [UInt8]? {
        try Task.checkCancellation()
        return try await withTaskCancellationHandler {
            try await pipe.next()
        } onCancel: {
            cancel()
        }
    }
}
