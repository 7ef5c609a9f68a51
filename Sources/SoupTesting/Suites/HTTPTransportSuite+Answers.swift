// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import SoupCore

extension HTTPTransportSuite {
    func checkAnswers(_ report: inout SuiteReport) async {
        await trial(&report) { request in
            switch request.path {
            case "/odd": RawReply(status: "404 It's (not) here", body: "no")
            case "/server": RawReply(status: "599 Odd", body: "")
            default: RawReply(fields: ["Content-Type: text/plain"], body: "hello")
            }
        } body: { trial, report in
            let plain = try await trial.send()
            report.require(
                plain.status == 200 && plain.body == Array("hello".utf8)
                    && plain.response.headerFields[.contentType] == "text/plain",
                "the server sent 200 with \"hello\", and send returned \(plain.described): return the response unchanged"
            )
            let odd = try await trial.send(.get, "/odd")
            report.require(
                odd.status == 404 && odd.body == Array("no".utf8),
                "the server sent 404 with its own reason, and send returned \(odd.described): return the response unchanged"
            )
            let server = try await trial.send(.get, "/server")
            report.require(
                server.status == 599 && server.body.isEmpty,
                "the server sent 599, and send returned \(server.described): return a response with any status")
        }
    }

    func checkFields(_ report: inout SuiteReport) async {
        await trial(&report) { request in
            request.path == "/odd"
                ? RawReply(
                    Array("HTTP/1.1 200\r\nX-Name: caf\u{e9}\r\nBad Name: x\r\nContent-Length: 2\r\n\r\nok".utf8))
                : RawReply(fields: ["X-Empty:", "x-a: 1", "X-B: 3", "X-A: 2"], body: "")
        } body: { trial, report in
            let fields = try await trial.send()
            report.require(
                fields.joined("X-A") == "1, 2" && fields.joined("X-B") == "3" && fields.joined("X-Empty") == "",
                "the server sent x-a: 1 and X-A: 2, and send returned \(fields.joined("X-A") ?? "none"): return all "
                    + "fields in their order")
            let odd = try await trial.send(.get, "/odd")
            report.require(
                odd.status == 200 && odd.body == Array("ok".utf8),
                "the server sent a status line without a reason and a field name with a space, and send returned "
                    + "\(odd.described): ignore invalid fields")
        }
    }

    func checkPaths(_ report: inout SuiteReport) async {
        let paths = ["/a/../b/./c", "/a//b", "/a%2Fb/%2e%2e/c", "/a;b=c,d/e:f@g", "/?q=a+b%20c&x=/../y"]
        await trial(&report) { _ in
            RawReply(body: "")
        } body: { trial, report in
            for path in paths { _ = try await trial.send(.get, path) }
            report.require(
                trial.server.requests.map(\.path) == paths,
                "the paths \(paths) arrived as \(trial.server.requests.map(\.path)): send paths unchanged")
        }
    }

    func checkRequests(_ report: inout SuiteReport) async {
        let long = String(repeating: "0123456789abcdef", count: 192 * 1024)
        await trial(&report) { request in
            RawReply(fields: ["Set-Cookie: session=1; Path=/"], body: "\(request.body.count)")
        } body: { trial, report in
            let fields: HTTPFields = [
                .contentType: "application/json", .authorization: "Bearer x", .accept: "text/csv",
            ]
            for (method, path, body) in [
                (HTTPRequest.Method.get, "/a%20b/c?q=1%2B2&r=%C3%A9", nil), (.post, "/post", "{}"),
                (.patch, "/patch", long),
                (.put, "/put", "x"), (.delete, "/delete", nil), (.post, "/empty", ""), (.post, "/none", nil),
                (.init("QUERY") ?? .get, "/own", "q"),
            ] as [(HTTPRequest.Method, String, String?)] {
                let answer = try await trial.send(method, path, fields: fields, body: body)
                guard let seen = trial.server.requests.last else { continue }
                checkRequest(seen, method: method, path: path, body: body, status: answer.status, &report)
            }
            report.require(
                trial.server.requests.count == 8,
                "8 requests were sent, and \(trial.server.requests.count) arrived: send each request once")
        }
    }

    /// Checks a request as it arrived at the server.
    private func checkRequest(
        _ seen: RawRequest, method: HTTPRequest.Method, path: String, body: String?, status: Int,
        _ report: inout SuiteReport
    ) {
        let name = "\(method.rawValue) \(path) with \(body.map { "\($0.utf8.count)" } ?? "no") bytes"
        report.require(
            status == 200 && seen.method == method.rawValue && seen.path == path
                && seen.body == Array((body ?? "").utf8),
            "\(name) arrived as \(seen.line) with \(seen.body.count) bytes: send method, path and body unchanged"
        )
        report.require(
            seen.field("Content-Type").prefix(1) == ["application/json"] && seen.field("Accept") == ["text/csv"]
                && seen.field("Authorization") == ["Bearer x"],
            "\(name) arrived with the head \(seen.head.debugDescription): send all fields unchanged")
        report.require(
            seen.field("Cookie").isEmpty,
            "\(name) sent a cookie that an earlier response had set: send no cookies")
        report.require(
            seen.field("Expect").isEmpty,
            "\(name) waits for 100 Continue: do not wait, because a server may never send it")
        let carries = ["POST", "PUT", "PATCH"].contains(method.rawValue)
        report.require(
            !carries || seen.field("Content-Length") == ["\((body ?? "").utf8.count)"],
            "\(name) arrived with the length \(seen.field("Content-Length")): send the length of the body, even if "
                + "it is 0"
        )
    }

    /// Responses whose bodies end in different ways, with their bodies.
    private static var framedReplies: [(path: String, reply: RawReply, body: String)] {
        [
            ("/chunked", RawReply(chunked("5\r\nhello\r\n6;x=y\r\n world\r\n0\r\n\r\n")), "hello world"),
            ("/close", RawReply("HTTP/1.1 200 OK\r\n\r\nuntil the end", then: .close), "until the end"),
            ("/old", RawReply("HTTP/1.0 200 OK\r\nContent-Length: 3\r\n\r\nold", then: .close), "old"),
            ("/204", RawReply("HTTP/1.1 204 No Content\r\n\r\n"), ""),
            ("/304", RawReply("HTTP/1.1 304 Not Modified\r\nContent-Length: 10\r\n\r\n"), ""),
            ("/zero", RawReply(body: ""), ""),
            (
                "/interim",
                RawReply(
                    "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nX-A: early\r\n\r\n"
                        + "HTTP/1.1 200 OK\r\nX-A: final\r\nContent-Length: 4\r\n\r\nbody"), "body"
            ),
        ]
    }

    func checkFraming(_ report: inout SuiteReport) async {
        let replies = Self.framedReplies
        await trial(&report) { request in
            if request.method == "HEAD" { return RawReply("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n") }
            return replies.first { $0.path == request.path }?.reply ?? RawReply(body: "next")
        } body: { trial, report in
            for (path, _, body) in replies {
                let answer = try await trial.send(.get, path)
                report.require(
                    answer.body == Array(body.utf8),
                    "GET \(path) has the body \(body.debugDescription), and send returned \(answer.described): find the end "
                        + "of the body as HTTP defines it")
                report.require(
                    path != "/interim" || (answer.status == 200 && answer.joined("X-A") == "final"),
                    "after two interim responses, send returned \(answer.described), X-A: \(answer.joined("X-A") ?? "none"): "
                        + "ignore interim responses and their fields")
            }
            let head = try await trial.send(.head, "/head")
            report.require(
                head.status == 200 && head.body.isEmpty && head.response.headerFields[.contentLength] == "1000",
                "HEAD returned \(head.described), Content-Length: \(head.joined("Content-Length") ?? "none"): "
                    + "return the head without a body")
            let next = try await trial.send()
            report.require(
                next.body == Array("next".utf8),
                "the request after HEAD returned \(next.described): do not read a body after HEAD")
        }
    }

    func checkTrailers(_ report: inout SuiteReport) async {
        await trial(&report) { _ in
            RawReply(Self.chunked("5\r\nhello\r\n0\r\nX-A: late\r\nX-Checksum: 1\r\n\r\n", fields: "X-A: early\r\n"))
        } body: { trial, report in
            for _ in 0..<2 {
                let answer = try await trial.send()
                report.require(
                    answer.body == Array("hello".utf8) && answer.joined("X-A") == "early"
                        && answer.joined("X-Checksum") == nil,
                    "the trailers X-A and X-Checksum followed the body, and send returned \(answer.described), X-A: "
                        + "\(answer.joined("X-A") ?? "none"): ignore trailers")
            }
        }
    }

    /// An incomplete response, and how the connection ended.
    typealias Broken = (situation: String, bytes: String, ending: RawReply.Ending)

    static var brokenBodies: [Broken] {
        let known = "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n"
        let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        return [
            ("5 of 100 bytes arrived", known + "hello", .close),
            ("the connection was reset after 5 of 100 bytes", known + "hello", .reset),
            ("none of 100 bytes arrived", known, .close),
            ("the connection closed between two chunks", chunked + "5\r\nhello\r\n", .close),
            ("the connection closed inside a chunk", chunked + "5\r\nhe", .close),
            ("the length of a chunk was not a number", chunked + "5\r\nhello\r\nxyz\r\n", .close),
        ]
    }

    static var brokenHeads: [Broken] {
        [
            ("the connection closed without a response", "", .close),
            ("the connection was reset without a response", "", .reset),
            ("the connection closed inside the status line", "HTTP/1.1 20", .close),
            ("the connection closed inside the head", "HTTP/1.1 200 OK\r\nContent-Type: text/pl", .close),
            ("the connection closed after a field", "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n", .close),
            ("the server spoke another protocol", "SSH-2.0-OpenSSH_9.6\r\n", .close),
            ("only an interim response arrived", "HTTP/1.1 100 Continue\r\n\r\n", .close),
        ]
    }

    func checkBroken(_ replies: [Broken], _ report: inout SuiteReport) async {
        await trial(&report) { request in
            let reply = replies[Int(request.path.dropFirst()) ?? 0]
            return RawReply(reply.bytes, then: reply.ending)
        } body: { trial, report in
            for (number, reply) in replies.enumerated() {
                await trial.requireNetworkError(
                    .unknown, sending: .get, "/\(number)", when: reply.situation, report: &report)
                await trial.requireNetworkError(
                    .unknown, sending: .post, "/\(number)", body: "{}", when: reply.situation, report: &report)
            }
        }
    }

    /// Returns a response with a chunked body.
    private static func chunked(_ chunks: String, fields: String = "") -> String {
        "HTTP/1.1 200 OK\r\n\(fields)Transfer-Encoding: chunked\r\n\r\n\(chunks)"
    }
}

extension HTTPAnswer {
    /// The response as part of a sentence.
    var described: String {
        "status \(status) with \(body.count) bytes (\(String(decoding: body.prefix(40), as: UTF8.self).debugDescription))"
    }

    /// Returns the values of a field, joined in one text; nil without the field.
    func joined(_ name: String) -> String? { HTTPField.Name(name).flatMap { response.headerFields[$0] } }
}
