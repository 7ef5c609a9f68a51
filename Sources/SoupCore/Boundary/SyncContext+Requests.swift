// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes

extension SyncContext {
    /// GETs a path of the session's server, or an absolute URL.
    ///
    /// - Parameter path: percent-encoded, query included; ``URLText`` encodes the pieces.
    /// - Throws: ``SoupError``: `network`, or `server` for an answer that is not 2xx, with the beginning of its body.
    public func get(_ path: String, headers: HTTPFields = [:]) async throws -> HTTPAnswer {
        let answer = try await transport.send(Self.request(.get, path, headers), body: nil)
        guard answer.isSuccess else { throw answer.failure(of: "GET", path) }
        return answer
    }

    /// Sends JSON and returns whatever the server answers, errors included.
    ///
    /// - Parameters:
    ///   - path: percent-encoded, query included; ``URLText`` encodes the pieces.
    ///   - beginning: shown the beginning of the answer, see ``HTTPTransport``.
    /// - Throws: ``SoupError`` with `network` when no answer came; its ``SoupError/delivery`` tells whether the request
    ///   may have been carried out. `CancellationError`.
    public func send(
        _ method: HTTPRequest.Method, _ path: String, json body: JSONText? = nil, headers: HTTPFields = [:],
        showing beginning: (@Sendable (HTTPAnswer) -> Void)? = nil
    ) async throws -> HTTPAnswer {
        var headers = headers
        if body != nil { headers[.contentType] = "application/json" }
        let (request, body) = (Self.request(method, path, headers), body.map { Array($0.bytes) })
        guard let beginning else { return try await transport.send(request, body: body) }
        return try await transport.send(request, body: body, showing: beginning)
    }

    static func request(_ method: HTTPRequest.Method, _ path: String, _ headers: HTTPFields) -> HTTPRequest {
        guard let scheme = path.firstRange(of: "://") else {
            return HTTPRequest(method: method, scheme: nil, authority: nil, path: path, headerFields: headers)
        }
        let rest = path[scheme.upperBound...]
        let slash = rest.unicodeScalars.firstIndex(of: "/") ?? rest.endIndex
        return HTTPRequest(
            method: method, scheme: String(path[..<scheme.lowerBound]), authority: String(rest[..<slash]),
            path: slash == rest.endIndex ? "/" : String(rest[slash...]), headerFields: headers)
    }
}

extension HTTPAnswer {
    /// The error for an answer that was not wanted.
    public func failure(of method: String, _ path: String) -> SoupError {
        let text = String(decoding: body.prefix(2000), as: UTF8.self).excerpt(500)
        return SoupError(
            .server,
            "\(method) \(path.excerpt(200)) was answered with HTTP \(status)" + (text.isEmpty ? "" : ": \(text)"))
    }
}

extension Page {
    /// Cuts the answer of a server that pages through JSON.
    ///
    /// - Parameters:
    ///   - recordsAt: the path to the array of records; empty when the body is the array.
    ///   - nextAt: the path to the cursor of the next page; absent, null or empty there means that this is the last
    ///     one.
    ///   - totalAt: the path to the number of all records.
    ///   - totalIsExact: whether that number, as the last page has it, is exactly the number of records on all pages of
    ///     the run: then the page gets an ``expectedCount``, and the engine fails a run with another number.
    /// - Throws: ``SoupError`` with `json` when the body is not such a page.
    public init(
        _ answer: HTTPAnswer, recordsAt: JSONPath, nextAt: JSONPath? = nil, totalAt: JSONPath? = nil,
        totalIsExact: Bool = false
    ) throws {
        let paths = [nextAt, totalAt].compactMap { $0 }
        let scan: JSONPageScan
        do {
            scan = try JSONScanner.page(answer.body, recordsAt: recordsAt, envelope: paths)
        } catch {
            throw SoupError(.json, "the server's page is not the JSON expected: \(error)", cause: error)
        }
        guard scan.foundRecords else {
            throw SoupError(.json, "the server's page has no array at \"\(recordsAt)\"")
        }
        func value(_ path: JSONPath?) -> JSONValue? {
            guard let path, let index = paths.firstIndex(of: path) else { return nil }
            return JSONText.text(of: scan.envelope[index], in: answer.body[...])?.value
        }
        let next: String? =
            switch value(nextAt) {
            case .string(let text)?: text
            case .int(let number)?: String(number)
            case .number(let number)?: number.text
            default: nil
            }
        self.init(
            RecordBatch(bytes: answer.body, scan: scan),
            next: next.flatMap { $0.isEmpty ? nil : PageCursor($0) },
            totalSize: value(totalAt)?.intValue.flatMap { Int(exactly: $0) }, serverTime: answer.serverTime)
        guard totalIsExact, let totalAt else { return }
        guard let total = totalSize, total >= 0 else {
            throw SoupError(
                .json, "the server's page has no number of records at \"\(totalAt)\"",
                hint: "Check \"totalAt\", or look for a proxy that changes the server's responses.")
        }
        expectedCount = total...total
    }
}
