// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import Synchronization

/// The part of a streamed body between the thread of the transport and the reader.
///
/// The thread calls ``isFull()`` before it adds bytes, and stops reading from the connection if the pipe is full. The
/// pipe requests more bytes when the reader has taken the available ones.
final class BodyPipe: Sendable {
    /// The number of bytes at which the pipe is full; one step of decompression may exceed it.
    static let capacity = 512 * 1024

    private struct State {
        var head: CheckedContinuation<HTTPResponse, any Error>?
        var bytes: [UInt8] = []
        var readers: [CheckedContinuation<[UInt8]?, any Error>] = []
        var end: Result<[UInt8]?, any Error>?
        /// Whether the thread waits until the pipe has room.
        var isAwaited = false
        var largest = 0
    }

    private let state = Mutex(State())
    private let onDemand: @Sendable () -> Void

    /// - Parameter onDemand: called when a pipe that was full has room again.
    init(onDemand: @escaping @Sendable () -> Void) { self.onDemand = onDemand }

    /// The maximum number of bytes that the pipe has held.
    var largest: Int { state.withLock { $0.largest } }

    func waitForHead(_ continuation: CheckedContinuation<HTTPResponse, any Error>) {
        state.withLock { $0.head = continuation }
    }

    func begin(_ head: HTTPResponse) {
        let continuation = state.withLock { state in
            defer { state.head = nil }
            return state.head
        }
        continuation?.resume(returning: head)
    }

    /// Returns whether the thread must wait; if so, `onDemand` is called when the pipe has room.
    func isFull() -> Bool {
        state.withLock { state in
            state.isAwaited = state.bytes.count >= Self.capacity
            return state.isAwaited
        }
    }

    func add(_ bytes: UnsafeRawBufferPointer) {
        guard !bytes.isEmpty else { return }
        let reader = state.withLock { state -> CheckedContinuation<[UInt8]?, any Error>? in
            guard state.readers.isEmpty else { return state.readers.removeFirst() }
            state.bytes.append(contentsOf: bytes)
            state.largest = max(state.largest, state.bytes.count)
            return nil
        }
        reader?.resume(returning: Array(bytes))
    }

    /// Ends the body; nil if it is complete.
    ///
    /// The reader receives the remaining bytes before the error. Only the first end counts.
    func end(_ error: (any Error)?) {
        let (head, readers, end) = state.withLock { state in
            let end = state.end ?? error.map { .failure($0) } ?? .success(nil)
            state.end = end
            defer { (state.head, state.readers) = (nil, []) }
            return (state.head, state.readers, end)
        }
        head?.resume(throwing: error ?? CancellationError())
        for reader in readers { reader.resume(with: end) }
    }

    /// Waits for bytes, and returns all that are available; nil at the end.
    func next() async throws -> [UInt8]? {
        try await withCheckedThrowingContinuation { continuation in
            let (result, isAwaited) = state.withLock { state -> (Result<[UInt8]?, any Error>?, Bool) in
                defer { state.isAwaited = false }
                guard state.bytes.isEmpty else {
                    defer { state.bytes = [] }
                    return (.success(state.bytes), state.isAwaited)
                }
                if state.end == nil { state.readers.append(continuation) }
                return (state.end, state.isAwaited)
            }
            if isAwaited { onDemand() }
            if let result { continuation.resume(with: result) }
        }
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
