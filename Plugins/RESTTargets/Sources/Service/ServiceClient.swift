// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import SoupCore

/// The only place that sends requests: adds the host, the headers and the interval between requests.
struct ServiceClient: Sendable {
    let service: Service
    let context: SyncContext

    /// The path of the list, with the prefix of the connection.
    var listPath: String { prefix + service.listPath }

    private var prefix: String { service.connection == nil ? "" : context.basePath }

    /// Returns the path of a record.
    func itemPath(_ id: String) -> String { path(service.item) { $0 == .id ? id : nil } }

    /// Returns the path of a template, with the prefix of the connection.
    func path(_ template: Template, _ value: (TemplateVariable) -> String?) -> String {
        prefix + (template.text(in: .path, value) ?? "/")
    }

    /// Sends a GET request; returns the response whatever its status is.
    ///
    /// - Throws: `network`; `CancellationError`.
    ///
    /// A cache on the way is asked for a current response.
    func get(_ path: String) async throws -> HTTPAnswer {
        var headers: HTTPFields = [:]
        if service.headers[.cacheControl] == nil { headers[.cacheControl] = "no-cache" }
        let answer = try await send(.get, path, headers: headers)
        guard answer.status != 206 else {
            throw SoupError(
                .incompleteAnswer, "the response to GET \(path.excerpt(200)) is a part of the whole (HTTP 206)",
                hint: SoupError.changedResponsesHint)
        }
        return answer
    }

    /// Sends a request for a path, which is percent-encoded and may contain a query.
    ///
    /// - Throws: `network`, whose delivery is `notSent` if the push was stopped before; `CancellationError`.
    func send(
        _ method: HTTPRequest.Method, _ path: String, body: JSONText? = nil, headers: HTTPFields = [:]
    ) async throws -> HTTPAnswer {
        try await pause()
        var fields = service.headers
        if body != nil, fields[.contentType] == nil { fields[.contentType] = "application/json" }
        for field in headers { fields[field.name] = field.value }
        // The request is created here, because `SyncContext.send` reads a "://" in a query as an absolute URL.
        let parts = service.origin?.split(separator: "://", maxSplits: 1).map(String.init)
        let request = HTTPRequest(
            method: method, scheme: parts?.first, authority: parts?.last, path: path, headerFields: fields)
        return try await context.transport.send(request, body: body.map { Array($0.bytes) })
    }

    /// Waits for the interval between requests; a raised stop signal ends the wait of a push.
    private func pause() async throws {
        guard service.minInterval > .zero else { return }
        let (clock, interval) = (context.clock, service.minInterval)
        do {
            try await StopSignal.interruptible { try await clock.sleep(for: interval) }
        } catch  where StopSignal.isRaised {
            throw SoupError.network(.notSent, "the sync was stopped before the request")
        }
    }
}
