// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import SoupCore
internal import Synchronization

extension HTTPTransportSuite {
    func checkCompression(_ report: inout SuiteReport) async {
        let text = Array(#"{"records": ["\#(String(repeating: "abc ", count: 40_000))"]}"#.utf8)
        let packed = GzipText.stored(text)
        await trial(&report) { request in
            switch request.path {
            case "/empty": RawReply(fields: ["Content-Encoding: gzip"], body: "")
            default: RawReply(fields: ["Content-Encoding: gzip", "X-A: kept"], body: packed)
            }
        } body: { trial, report in
            let answer = try await trial.send()
            report.require(
                trial.server.requests.first?.field("Accept-Encoding").joined().contains("gzip") == true,
                "the request does not accept gzip: send gzip in Accept-Encoding")
            report.require(
                answer.body == text && answer.joined("X-A") == "kept",
                "a body that was compressed from \(text.count) bytes returned \(answer.described): decompress it")
            report.require(
                answer.response.headerFields[.contentEncoding] == nil
                    && answer.response.headerFields[.contentLength] == nil,
                "a decompressed response still has the fields of the compressed body: remove Content-Encoding and "
                    + "Content-Length")
            let empty = try await trial.send(.get, "/empty")
            report.require(empty.body.isEmpty, "an empty body returned \(empty.described): accept an empty body")
        }
    }

    func checkGzipMembers(_ report: inout SuiteReport) async {
        let rows = ["id,name\n", "1,a\n", "", "2,b\n"]
        let packed = rows.flatMap { GzipText.stored(Array($0.utf8)) }
        await trial(&report) { _ in
            RawReply(fields: ["Content-Encoding: gzip"], body: packed)
        } body: { trial, report in
            let answer = try await trial.send()
            report.require(
                answer.body == Array(rows.joined().utf8),
                "a body of four gzip members returned \(answer.described): decompress all of them")
        }
    }

    func checkDamagedCompression(_ report: inout SuiteReport) async {
        let packed = GzipText.stored(Array("id,name\n1,a\n2,b\n".utf8))
        var wrong = packed
        wrong[packed.count - 6] ^= 1
        let bodies: [(situation: String, bytes: [UInt8])] = [
            ("a compressed body ended inside its rows", Array(packed.prefix(packed.count - 12))),
            ("a compressed body ended before its checksum", Array(packed.prefix(packed.count - 8))),
            ("the checksum of a compressed body was wrong", wrong),
            ("a body that is not compressed was announced as gzip", Array("id,name\n".utf8)),
        ]
        await trial(&report) { request in
            RawReply(fields: ["Content-Encoding: gzip"], body: bodies[Int(request.path.dropFirst()) ?? 0].bytes)
        } body: { trial, report in
            for (number, body) in bodies.enumerated() {
                await trial.requireNetworkError(
                    .unknown, sending: .get, "/\(number)", when: body.situation, report: &report)
            }
        }
    }

    func checkBodyLimit(_ report: inout SuiteReport) async {
        let limit = 100_000
        let bytes = [UInt8](repeating: 97, count: limit + 1)
        let limits = TransportLimits(idleTimeout: .seconds(30), totalTimeout: .seconds(120), maximumAnswerBytes: limit)
        await trial(&report, limits: limits) { request in
            switch request.path {
            case "/announced": RawReply(body: bytes, then: .close)
            case "/chunked":
                RawReply("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", then: .close)
                    .followed(by: Array("400\r\n".utf8) + bytes.prefix(0x400) + Array("\r\n".utf8), times: 100_000)
            case "/close": RawReply("HTTP/1.1 200 OK\r\n\r\n", then: .close).followed(by: bytes, times: 1000)
            default: RawReply(body: Array(bytes.dropLast()))
            }
        } body: { trial, report in
            let whole = try await trial.send()
            report.require(
                whole.body.count == limit, "a body as long as the limit returned \(whole.described): return it")
            for path in ["/announced", "/chunked", "/close"] {
                let situation = "a body above the limit of \(limit) bytes arrived (\(path))"
                guard let error = await trial.error(sending: .get, path, when: situation, report: &report) else {
                    continue
                }
                report.require(
                    error.code == .answerTooLong && error.delivery == .unknown,
                    "\(situation), and send threw \(error.quoted): throw SoupError.answerTooLong")
            }
        }
    }

    func checkDecompressedLimit(_ report: inout SuiteReport) async {
        let limit = 100_000
        let bomb = GzipText.repeating(97, count: 50 * limit)
        let limits = TransportLimits(
            idleTimeout: .seconds(30), totalTimeout: .seconds(120), maximumAnswerBytes: 10 * limit,
            maximumDecompressedBytes: limit)
        await trial(&report, limits: limits) { _ in
            // The rest never arrives: a transport that counts only complete bodies ends by its timeout.
            RawReply(
                Array(
                    "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: \(bomb.count + 1_000_000)\r\n\r\n"
                        .utf8)
                    + bomb, then: .hold)
        } body: { trial, report in
            let situation = "\(bomb.count) compressed bytes became \(50 * limit) with a limit of \(limit)"
            guard let error = await trial.error(when: situation, report: &report) else { return }
            report.require(
                error.code == .answerTooLong,
                "\(situation), and send threw \(error.quoted): count decompressed bytes while they arrive, and throw "
                    + "SoupError.answerTooLong")
        }
    }

    func checkHeadLimit(_ report: inout SuiteReport) async {
        await trial(&report) { request in
            let start = RawReply("HTTP/1.1 200 OK\r\n", then: .close)
            return request.path == "/one"
                ? start.followed(by: Array("X-A: ".utf8) + [UInt8](repeating: 97, count: 2 << 20), times: 1)
                : start.followed(by: Array("X-A: \(String(repeating: "a", count: 1000))\r\n".utf8), times: 2000)
        } body: { trial, report in
            for path in ["/many", "/one"] {
                let situation = "the head of a response had 2 MB (\(path))"
                guard let error = await trial.error(sending: .get, path, when: situation, report: &report) else {
                    continue
                }
                report.require(
                    error.code == .answerTooLong && error.delivery == .unknown,
                    "\(situation), and send threw \(error.quoted): throw SoupError.answerTooLong")
            }
        }
    }

    func checkBeginnings(_ report: inout SuiteReport) async {
        let text = Array(String(repeating: "0123456789", count: 1000).utf8)
        let shown = Mutex<[HTTPAnswer]>([])
        await trial(&report) { request in
            switch request.path {
            case "/moved": RawReply(status: "302 Found", fields: ["Location: /long"], body: text)
            default: RawReply(status: "500 Broken", fields: ["X-A: b"], body: text)
            }
        } body: { trial, report in
            for path in ["/long", "/moved"] {
                shown.withLock { $0 = [] }
                let answer = try await trial.transport.send(trial.request(.get, path), body: nil) { beginning in
                    shown.withLock { $0.append(beginning) }
                }
                let beginnings = shown.withLock { $0 }
                report.require(
                    beginnings.map(\.body) == [Array(text.prefix(HTTPAnswer.beginningBytes))]
                        && beginnings.map(\.response) == [answer.response],
                    "GET \(path) passed \(beginnings.map(\.described)) to showing: pass the head and the first "
                        + "\(HTTPAnswer.beginningBytes) bytes of the returned response, once")
            }
        }
    }
}
