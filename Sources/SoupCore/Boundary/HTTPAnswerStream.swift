// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes

/// An answer whose head has arrived and whose body is read piece by piece.
public struct HTTPAnswerStream: Sendable {
    /// The head: status and header fields, as in ``HTTPAnswer/response``.
    public var response: HTTPResponse
    /// The decompressed bytes of the body, to be read once.
    public var body: HTTPAnswerBody

    /// Made by transports, and by tests that play a server.
    public init(_ response: HTTPResponse, body: HTTPAnswerBody) {
        self.response = response
        self.body = body
    }

    /// Whether the status is 200 to 299; a redirect is no success.
    public var isSuccess: Bool { response.status.kind == .successful }

    /// Reads the rest of the body into memory.
    ///
    /// - Throws: as reading ``body`` does.
    public func answer() async throws -> HTTPAnswer {
        var bytes: [UInt8] = []
        for try await piece in body { bytes += piece }
        return HTTPAnswer(response, body: bytes)
    }
}

/// The body of an answer as a sequence of pieces, none of them empty.
///
/// There is one body: iterators share it, and each piece goes to one of them. The iteration throws what
/// ``HTTPTransport/send(_:body:)`` throws if the body does not arrive completely; a body that ends without an error is
/// complete.
public struct HTTPAnswerBody: AsyncSequence, Sendable {
    /// Returns the next piece; nil at the end.
    public typealias Next = @Sendable () async throws -> [UInt8]?

    private let next: Next

    /// Makes a body of a function that returns its pieces one after another.
    public init(next: @escaping Next) { self.next = next }

    /// The same pieces, with other errors.
    public func mapErrors(_ transform: @escaping @Sendable (any Error) -> any Error) -> HTTPAnswerBody {
        HTTPAnswerBody { [next] in
            do { return try await next() } catch { throw transform(error) }
        }
    }

    /// Returns an iterator over the pieces that were not read yet.
    public func makeAsyncIterator() -> Iterator { Iterator(next: next) }

    /// Reads the body.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let next: Next

        /// Waits for the next piece.
        public mutating func next() async throws -> [UInt8]? { try await next() }
    }
}

extension HTTPAnswer {
    /// The answer as a stream with one piece.
    public var stream: HTTPAnswerStream {
        let rest = SinglePiece(body)
        return HTTPAnswerStream(response, body: HTTPAnswerBody { await rest.take() })
    }
}

/// A body that is in memory already.
private actor SinglePiece {
    private var piece: [UInt8]?

    init(_ body: [UInt8]) { piece = body.isEmpty ? nil : body }

    func take() -> [UInt8]? {
        defer { piece = nil }
        return piece
    }
}
