// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import SoupSalesforce
internal import SoupCore

/// A transport that sends only requests that cannot change the server.
struct ReadOnlyTransport: HTTPTransport {
    /// The code of the error for a request that is not sent.
    static let refusal: SoupError.Code = "notReadOnly"

    private let transport: any HTTPTransport

    init(over transport: any HTTPTransport) { self.transport = transport }

    var secretMask: SecretMask? { transport.secretMask }

    func send(_ request: HTTPRequest, body: [UInt8]?) async throws -> HTTPAnswer {
        try check(request)
        return try await transport.send(request, body: body)
    }

    func send(
        _ request: HTTPRequest, body: [UInt8]?, showing beginning: @escaping @Sendable (HTTPAnswer) -> Void
    ) async throws -> HTTPAnswer {
        try check(request)
        return try await transport.send(request, body: body, showing: beginning)
    }

    func stream(_ request: HTTPRequest, body: [UInt8]?) async throws -> HTTPAnswerStream {
        try check(request)
        return try await transport.stream(request, body: body)
    }

    private func check(_ request: HTTPRequest) throws {
        guard !request.isSafe else { return }
        let path = (request.path ?? "").prefix { $0 != "?" }
        throw SoupError(
            Self.refusal, "the sync sends \(request.method.rawValue) \(path), which can change the server",
            hint: "Run the sync to check it.")
    }
}
