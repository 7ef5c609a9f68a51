// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import SoupCore
internal import Synchronization

/// A transport that notes requests, and sends none.
final class PreviewTransport: HTTPTransport {
    private let noted = Mutex<[SyncPreview.Request]>([])
    let secretMask: SecretMask?

    /// - Parameter transport: the transport of the real requests, whose secrets do not occur in the noted ones.
    init(instead transport: any HTTPTransport) { secretMask = transport.secretMask }

    /// The requests so far.
    var requests: [SyncPreview.Request] { noted.withLock { $0 } }

    /// - Throws: ``SoupError`` with `network`: the request has certainly not reached the server.
    func send(_ request: HTTPRequest, body: [UInt8]?) async throws -> HTTPAnswer {
        let mask = secretMask ?? SecretMask()
        let server = request.authority.map { "\(request.scheme ?? "https")://\($0)" } ?? ""
        let headers = request.headerFields.map { (name: $0.name.rawName, value: $0.value) }
            .filter { mask.masked($0.value) == $0.value }
        let noted = SyncPreview.Request(
            method: request.method.rawValue, path: mask.masked(server + (request.path ?? "")), headers: headers,
            body: body.flatMap { String(validating: $0, as: UTF8.self) }.map { mask.masked($0) })
        self.noted.withLock { $0.append(noted) }
        throw SoupError.network(.notSent, "the request is only previewed")
    }
}
