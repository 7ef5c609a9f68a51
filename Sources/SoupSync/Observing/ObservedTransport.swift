// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import SoupCore
internal import Synchronization

/// A transport that reports each request to an observer.
struct ObservedTransport: HTTPTransport {
    private let base: any HTTPTransport
    private let observation: SyncObservation
    private let connection: String?
    private let name: PluginName?

    /// - Parameters:
    ///   - name: the name of the transport that the connection uses.
    ///   - connection: the name of the connection; `nil` for the standard one.
    init(_ base: any HTTPTransport, _ observation: SyncObservation, name: PluginName?, connection: String?) {
        (self.base, self.observation, self.name, self.connection) = (base, observation, name, connection)
    }

    var secretMask: SecretMask? { base.secretMask }

    func send(_ request: HTTPRequest, body: [UInt8]?) async throws -> HTTPAnswer {
        try await measuring(request, body, sending: { try await base.send(request, body: body) }) { answer, result in
            result.status = answer.status
            result.bytesReceived = answer.body.count
        }
    }

    func send(
        _ request: HTTPRequest, body: [UInt8]?, showing beginning: @escaping @Sendable (HTTPAnswer) -> Void
    ) async throws -> HTTPAnswer {
        let send = { try await base.send(request, body: body, showing: beginning) }
        return try await measuring(request, body, sending: send) { answer, result in
            result.status = answer.status
            result.bytesReceived = answer.body.count
        }
    }

    func stream(_ request: HTTPRequest, body: [UInt8]?) async throws -> HTTPAnswerStream {
        var stream = try await measuring(request, body, sending: { try await base.stream(request, body: body) }) {
            $1.status = $0.response.status.code
        }
        stream.body = counted(stream.body, method: request.method.rawValue)
        return stream
    }

    private func measuring<R>(
        _ request: HTTPRequest, _ body: [UInt8]?, sending send: () async throws -> R,
        describe: (R, inout SyncActivityResult) -> Void
    ) async throws -> R {
        let retries = RequestRetries()
        return try await Optional(observation).measuring(.request) {
            configure(&$0, method: request.method.rawValue)
        } _: {
            try await RequestRetries.$current.withValue(retries) { try await send() }
        } describe: { answer, result in
            result.retries = retries.count
            result.bytesSent = body?.count ?? 0
            if case .success(let answer) = answer { describe(answer, &result) }
        }
    }

    private func configure(_ activity: inout SyncActivity, method: String) {
        activity.method = method
        activity.connection = connection
        activity.transport = name
    }

    /// Returns a body that reports its size at its end.
    private func counted(_ body: HTTPAnswerBody, method: String) -> HTTPAnswerBody {
        let count = ByteCount()
        let observation = observation
        let pieces = BodyPieces(body)
        return HTTPAnswerBody {
            let piece: Result<[UInt8]?, any Error>
            do { piece = .success(try await pieces.next()) } catch { piece = .failure(error) }
            if case .success(let bytes?) = piece {
                count.add(bytes.count)
            } else if let total = count.end() {
                try? await Optional(observation).measuring(.streamedBody) {
                    configure(&$0, method: method)
                } _: {
                    _ = try piece.get()
                } describe: {
                    $1.bytesReceived = total
                }
            }
            return try piece.get()
        }
    }
}

/// The size of a body, which is reported once.
private final class ByteCount: Sendable {
    private let bytes = Mutex<Int?>(0)

    func add(_ count: Int) { bytes.withLock { $0 = $0.map { $0 + count } } }

    /// Returns the size at the first call, and `nil` at later ones.
    func end() -> Int? {
        bytes.withLock { bytes in
            defer { bytes = nil }
            return bytes
        }
    }
}

/// The pieces of a body; its iterators share one position, so each call can make a new one.
private struct BodyPieces: Sendable {
    private let body: HTTPAnswerBody

    init(_ body: HTTPAnswerBody) { self.body = body }

    func next() async throws -> [UInt8]? {
        var iterator = body.makeAsyncIterator()
        return try await iterator.next()
    }
}
