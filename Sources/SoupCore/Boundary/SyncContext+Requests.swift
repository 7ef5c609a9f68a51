// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes

extension SyncContext {
    /// Sends a GET request for a path of the session's server, or for an absolute URL.
    ///
    /// - Parameter path: percent-encoded, query included; ``URLText`` encodes the parts.
    /// - Throws: ``SoupError``: `network`, or `server` for a response that is not 2xx, with the beginning of its body.
    public func get(_ path: String, headers: HTTPFields = [:]) async throws -> HTTPAnswer {
        let answer = try await transport.send(Self.request(.get, path: path, headers: headers), body: nil)
        guard answer.isSuccess else { throw answer.failure(of: "GET", path) }
        return answer
    }

    /// Sends JSON, and returns the server's response, whatever its status.
    ///
    /// - Parameters:
    ///   - path: percent-encoded, query included; ``URLText`` encodes the parts.
    ///   - beginning: called with the beginning of the response, see ``HTTPTransport``.
    /// - Throws: ``SoupError`` with `network` if no response arrived; its ``SoupError/delivery`` reports whether the
    ///   server may have carried out the request. `CancellationError`.
    public func send(
        _ method: HTTPRequest.Method, _ path: String, json body: JSONText? = nil, headers: HTTPFields = [:],
        showing beginning: (@Sendable (HTTPAnswer) -> Void)? = nil
    ) async throws -> HTTPAnswer {
        var headers = headers
        if body != nil { headers[.contentType] = "application/json" }
        let (request, body) = (Self.request(method, path: path, headers: headers), body.map { Array($0.bytes) })
        guard let beginning else { return try await transport.send(request, body: body) }
        return try await transport.send(request, body: body, showing: beginning)
    }

    static func request(_ method: HTTPRequest.Method, path: String, headers: HTTPFields) -> HTTPRequest {
        // A path or a query can contain the separator too, for example in a cursor that the server chose.
        guard let scheme = path.firstRange(of: "://"), isScheme(path[..<scheme.lowerBound]) else {
            return HTTPRequest(method: method, scheme: nil, authority: nil, path: path, headerFields: headers)
        }
        let rest = path[scheme.upperBound...]
        let end = rest.unicodeScalars.firstIndex { $0 == "/" || $0 == "?" } ?? rest.endIndex
        let target = rest[end...]
        return HTTPRequest(
            method: method, scheme: String(path[..<scheme.lowerBound]), authority: String(rest[..<end]),
            path: target.unicodeScalars.first == "/" ? String(target) : "/" + target, headerFields: headers)
    }

    /// Whether a text is the scheme of a URL (RFC 3986): letters, digits and a few signs.
    private static func isScheme(_ text: Substring) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte & 0xDF) || "+-.".utf8.contains(byte)
            }
    }
}

extension HTTPAnswer {
    /// Returns the error for an unexpected response.
    public func failure(of method: String, _ path: String) -> SoupError {
        let text = String(decoding: body.prefix(2000), as: UTF8.self).excerpt(500)
        return SoupError(
            .server,
            "\(method) \(path.excerpt(200)) returned HTTP \(status)" + (text.isEmpty ? "" : ": \(text)"))
    }
}

extension RecordPage {
    /// Creates a page from the response of a server that pages through JSON.
    ///
    /// - Parameters:
    ///   - recordsAt: the path to the array of records; empty if the body is the array.
    ///   - nextAt: the path to the cursor of the next page; if its value is absent, null or empty, this is the last
    ///     page.
    ///   - totalAt: the path to the number of all records.
    ///   - totalIsExact: whether that number, on the last page, is exactly the number of records on all pages of the
    ///     run. If so, the page gets an ``expectedCount``, and the engine fails a run with another number.
    /// - Throws: ``SoupError`` with `json` if the body is not such a page.
    public init(
        _ answer: HTTPAnswer, recordsAt: JSONPath, nextAt: JSONPath? = nil, totalAt: JSONPath? = nil,
        totalIsExact: Bool = false
    ) throws {
        let paths = [nextAt, totalAt].compactMap { $0 }
        let scan: JSONPageScan
        do {
            scan = try JSONScanner.page(answer.body, recordsAt: recordsAt, envelope: paths)
        } catch {
            throw SoupError(
                .json, "the server's page does not have the expected JSON structure: \(error)", cause: error)
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
