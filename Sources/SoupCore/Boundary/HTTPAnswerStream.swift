// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes

/// A response whose head has arrived and whose body is read in pieces.
public struct HTTPAnswerStream: Sendable {
    /// The head: status and header fields, as in ``HTTPAnswer/response``.
    public var response: HTTPResponse
    /// The decompressed bytes of the body, which can be read once.
    public var body: HTTPAnswerBody

    /// Creates a response; for transports and for tests that simulate a server.
    public init(_ response: HTTPResponse, body: HTTPAnswerBody) {
        self.response = response
        self.body = body
    }

    /// Whether the status is 200 to 299; a redirect does not count as success.
    public var isSuccess: Bool { response.status.kind == .successful }

    /// Reads the rest of the body into memory.
    ///
    /// - Throws: the errors of reading ``body``.
    public func answer() async throws -> HTTPAnswer {
        var bytes: [UInt8] = []
        for try await piece in body { bytes += piece }
        return HTTPAnswer(response, body: bytes)
    }
}

/// The body of a response as a sequence of pieces, none of them empty.
///
/// All iterators share one body: each piece goes to one of them. If the body does not arrive completely, the iteration
/// throws the errors of ``HTTPTransport/send(_:body:)``; a body that ends without an error is complete.
public struct HTTPAnswerBody: AsyncSequence, Sendable {
    /// A function that returns the next piece, or nil at the end.
    public typealias Next = @Sendable () async throws -> [UInt8]?

    private let next: Next

    /// Creates a body from a function that returns its pieces one after another.
    public init(next: @escaping Next) { self.next = next }

    /// Returns a body with the same pieces and with each error transformed.
    public func mapErrors(_ transform: @escaping @Sendable (any Error) -> any Error) -> HTTPAnswerBody {
        HTTPAnswerBody { [next] in
            do { return try await next() } catch { throw transform(error) }
        }
    }

    /// Returns an iterator over the pieces that have not been read yet.
    public func makeAsyncIterator() -> Iterator { Iterator(next: next) }

    /// An iterator that reads the body.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let next: Next

        /// Waits for the next piece.
        public mutating func next() async throws -> [UInt8]? { try await next() }
    }
}

extension HTTPAnswer {
    /// The response as a stream with one piece.
    public var stream: HTTPAnswerStream {
        let rest = SinglePiece(body)
        return HTTPAnswerStream(response, body: HTTPAnswerBody { await rest.take() })
    }
}

/// A body that is already in memory.
private actor SinglePiece {
    private var piece: [UInt8]?

    init(_ body: [UInt8]) { piece = body.isEmpty ? nil : body }

    func take() -> [UInt8]? {
        defer { piece = nil }
        return piece
    }
}
