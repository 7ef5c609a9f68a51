// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import HTTPTypes
internal import SoupLocalOrg
internal import SoupCore
internal import SoupTesting

/// The local org: requests to every endpoint, including the administration, and some of them over a connection.
///
/// One org serves the whole run, so a memory leak of its requests becomes visible.
///
/// An input is a request as text: a line with method and path, lines with headers, an empty line, and the body. The
/// keys of the seed `tiny` in braces are replaced by IDs.
actor OrgKind: FuzzKind {
    nonisolated let name = "org"
    /// More time than for other kinds, because requests are slower and there are many endpoints.
    nonisolated let share = 14
    nonisolated let words = [
        "GET ", "POST ", "PATCH ", "PUT ", "DELETE ", "HEAD ", "/services/data/v60.0/", "/services/data/v66.0/",
        "sobjects/", "Account", "Contact", "Visit__c", "External_Id__c", "/describe", "/layouts", "/updated",
        "/deleted",
        "query?q=", "queryAll/?q=", "SELECT+Id+FROM+Account", "search?q=", "FIND+%7BAcme%7D", "composite", "/tree/",
        "/batch",
        "/graph", "/sobjects", "jobs/query", "jobs/ingest", "/batches", "/results", "ui-api/", "recent", "limits",
        "connect/briefcase/priming-records", "/services/oauth2/token", "/services/async/60.0/job", "/_emu/", "faults",
        "{acc1}", "{con1}", "{vis1}", "{delAcc}", "?fields=Name", "&start=", "&", "=", "%00", "%zz", "%E9", "%2F", "..",
        "Content-Type: application/json\n", "Content-Type: text/csv\n", "Content-Encoding: gzip\n",
        "Sforce-Query-Options: batchSize=200\n", "If-Modified-Since: Mon, 15 Jan 2024 12:00:00 GMT\n",
        "X-PrettyPrint: 1\n", "Authorization: Bearer bad\n", "X-Emu-Fault: {\"kind\":\"garbage\",\"bytes\":9}\n",
        "\n\n",
        "\"attributes\":{\"type\":\"Account\"}", "\"allOrNone\":true", "\"records\":[", "\"referenceId\":\"a\"",
        "@{a.id}", "@{a.records[0].Id}", "@{", "\"Id\":", "null", "true", "1e400", "9223372036854775807", "-1", "'",
        "\"",
        "{\"kind\":\"http\"}", "\r\n", ",", "{", "}", "[", "]", "<", "</", "<!DOCTYPE", "&amp;", "\u{0301}", "\0",
    ]

    private let org: LocalOrg
    /// A valid access token.
    private var token: String
    /// The port of the served org; nil before the first request over a connection.
    private var port: Int?
    private var requestCount = 0
    private let startMemory: Int

    /// The number of requests after which the org is reset, which limits the number of created rows.
    private static let lifetime = 2000
    /// The interval of requests that are sent over a connection.
    private static let connectionInterval = 16
    /// The maximum growth of the process's memory since the start, in bytes.
    private static let maximumGrowth = 1 << 30

    init() throws {
        org = try LocalOrg(seed: .tiny, clock: InstantClock(), options: Self.options)
        token = org.accessToken
        startMemory = Self.memory
    }

    private static var options: OrgOptions {
        var options = OrgOptions()
        options.admin = true
        return options
    }

    func check(_ input: [UInt8]) async throws -> String {
        let input = filled(input)
        guard let (request, body) = request(input) else { return "no request" }
        if Self.makesMany(request, body) { return "many rows" }
        requestCount += 1
        // A seed can have other objects, and a request can have removed some.
        if requestCount % Self.lifetime == 0 || org.id(of: "acc1") == nil { try org.reset(to: .tiny) }
        if requestCount % 100 == 0 {
            let grown = Self.memory - startMemory
            try require(grown < Self.maximumGrowth, "\(grown) bytes more than at the start")
        }
        defer {
            org.removeFault()
            org.setOptions { $0 = Self.options }
        }
        if requestCount % Self.connectionInterval == 0 {
            return try await connect(input, hasBody: request.method != .head)
        }
        return try await send(request, body)
    }

    private func send(_ request: HTTPRequest, _ body: [UInt8]) async throws -> String {
        var request = request
        if request.headerFields[.authorization] == nil { request.headerFields[.authorization] = "Bearer \(token)" }
        let answer: HTTPAnswer
        do {
            answer = try await org.transport.send(request, body: body)
        } catch let error as SoupError where error.code == .network {
            return "interrupted: \(error.delivery)"
        }
        try require((200..<600).contains(answer.status), "the status is \(answer.status)")
        // A requested fault decides the response itself.
        let isFault = request.headerFields.contains { $0.name.canonicalName == "x-emu-fault" }
        let isHead = request.method == .head || isFault
        try require(answer.status < 500 || isHead || !answer.body.isEmpty, "\(answer.status) without a body")
        let start = String(decoding: answer.body.prefix(400), as: UTF8.self)
        try require(
            Data(answer.body).range(of: Data("The local org failed".utf8)) == nil, "the org failed: \(start)")
        if answer.status == 401 { try await renewToken() }
        let path = (request.path ?? "").prefix { $0 != "?" }.split(separator: "/").prefix(4)
        let place = path.joined(separator: "/").prefix(60)
        if answer.status >= 400 { return "\(request.method) \(place) \(answer.status) \(outline("", start))" }
        return "\(request.method) \(place) \(answer.status)"
    }

    /// Gets a new token after the old one was revoked.
    private func renewToken() async throws {
        org.removeFault()
        org.setOptions { $0 = Self.options }
        let text = "grant_type=client_credentials&client_id=emu-client&client_secret=emu-secret"
        for _ in 0..<2 {
            let answer = try await org.transport.send(
                HTTPRequest(method: .post, scheme: nil, authority: nil, path: "/services/oauth2/token"),
                body: Array(text.utf8))
            if let token = try JSONValue(parsing: answer.body)["access_token"]?.stringValue {
                self.token = token
                return
            }
            // The org has a seed with other clients.
            try org.reset(to: .tiny)
        }
        throw Violation("the org returns no token")
    }

    /// Returns whether a request fills the org with very many rows, which takes long and tests no damaged input.
    private static func makesMany(_ request: HTTPRequest, _ body: [UInt8]) -> Bool {
        guard (request.path?.removingPercentEncoding ?? "/_emu/reset").contains("_emu/reset") else { return false }
        let text = String(decoding: body, as: UTF8.self)
        if text.firstMatch(of: /"seed"\s*:\s*"large/) != nil { return true }
        return text.matches(of: /"count"\s*:\s*([0-9.eE+-]+)/).contains { (Double($0.1) ?? .infinity) > 1000 }
    }

    // MARK: Connections

    /// Sends an input unchanged, with the headers that a connection needs.
    private func connect(_ input: [UInt8], hasBody: Bool) async throws -> String {
        #if Server
            let end = Data(input).range(of: Data("\n\n".utf8))
            let body = end.map { Array(input[$0.upperBound...]) } ?? []
            var lines = input[..<(end?.lowerBound ?? input.count)].split(separator: 0x0A)
            guard !lines.isEmpty else { return "no request" }
            var head = Array(lines.removeFirst()) + Array(" HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n".utf8)
            for line in lines { head += Array(line) + Array("\r\n".utf8) }
            head += Array("Authorization: Bearer \(token)\r\nContent-Length: \(body.count)\r\n\r\n".utf8)
            let answer = try await RawConnection.send(head + body, to: try await servedPort(), endsInput: true)
            return "connection \(try OrgResponse.status(of: answer, hasBody: hasBody))"
        #else
            return "no server"
        #endif
    }

    #if Server
        private func servedPort() async throws -> Int {
            if let port { return port }
            let (urls, ready) = AsyncStream.makeStream(of: String.self)
            Task { [org] in
                defer { ready.finish() }
                try await org.serve { ready.yield($0) }
            }
            for await url in urls {
                port = url.split(separator: ":").last.flatMap { Int($0) }
                break
            }
            guard let port else { throw Violation("the org is not served") }
            return port
        }
    #endif

    /// Returns the request of an input; nil if no client could send it.
    private func request(_ input: [UInt8]) -> (HTTPRequest, [UInt8])? {
        var rest = input[...]
        func line() -> [UInt8]? {
            guard let end = rest.firstIndex(of: 0x0A) else { return nil }
            defer { rest = rest[(end + 1)...] }
            return Array(rest[..<end])
        }
        guard let first = line() else { return nil }
        let parts = first.split(separator: 0x20, maxSplits: 1)
        guard parts.count == 2, let method = HTTPRequest.Method(String(decoding: parts[0], as: UTF8.self)) else {
            return nil
        }
        var request = HTTPRequest(
            method: method, scheme: nil, authority: nil, path: String(decoding: parts[1], as: UTF8.self))
        while let header = line(), !header.isEmpty {
            let parts = header.split(separator: UInt8(ascii: ":"), maxSplits: 1)
            guard parts.count == 2, let name = HTTPField.Name(String(decoding: parts[0], as: UTF8.self)) else {
                continue
            }
            request.headerFields.append(
                HTTPField(name: name, value: String(decoding: parts[1].drop { $0 == 0x20 }, as: UTF8.self)))
        }
        return (request, Array(rest))
    }

    /// Returns the input with IDs instead of keys.
    private func filled(_ input: [UInt8]) -> [UInt8] {
        var output: [UInt8] = []
        var rest = input[...]
        while let open = rest.firstIndex(of: UInt8(ascii: "{")) {
            output += rest[..<open]
            rest = rest[open...]
            let name = rest.dropFirst().prefix(8).prefix { $0 != UInt8(ascii: "}") }
            let close = rest.startIndex + 1 + name.count
            if close < rest.endIndex, rest[close] == UInt8(ascii: "}"),
                let id = org.id(of: String(decoding: name, as: UTF8.self))
            {
                output += id.utf8
                rest = rest[(close + 1)...]
            } else {
                output.append(rest.removeFirst())
            }
        }
        return output + rest
    }

    /// The memory of the process, in bytes; 0 if the system does not report it.
    private static var memory: Int {
        let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
        return (text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) * 4096
    }
}

/// A clock with a fixed time, whose sleeps return immediately.
private struct InstantClock: SoupClock {
    let now = Date(timeIntervalSince1970: 1_705_320_300)

    func sleep(for duration: Duration) async throws {}
}
