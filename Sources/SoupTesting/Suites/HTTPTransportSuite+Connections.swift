// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import SoupCore

extension HTTPTransportSuite {
    func checkRefusals(_ report: inout SuiteReport) async {
        await trial(&report) { _ in
            RawReply(body: "")
        } body: { trial, report in
            let holder = try RawSocket.reserved()
            let authority = "127.0.0.1:\(try holder.port())"
            for method in [HTTPRequest.Method.get, .post, .delete] {
                await trial.requireNetworkError(
                    .notSent, sending: method, to: authority, body: method == .post ? "{}" : nil,
                    when: "no server listened", report: &report)
            }
            let bad: [HTTPRequest] = [
                HTTPRequest(method: .get, scheme: nil, authority: nil, path: "/"),
                HTTPRequest(method: .get, scheme: "http", authority: "", path: "/"),
                HTTPRequest(method: .get, scheme: "file", authority: "localhost", path: "/etc/passwd"),
            ]
            for request in bad {
                let url = "\(request.scheme ?? "")://\(request.authority ?? "")\(request.path ?? "")"
                do {
                    let answer = try await trial.transport.send(request, body: nil)
                    report.note(
                        "\(url) returned \(answer.described): throw badConfiguration, because the URL is not an http or https "
                            + "URL")
                } catch let error as SoupError {
                    report.require(
                        error.code == .badConfiguration || error.delivery == .notSent,
                        "\(url) threw \(error.quoted): throw badConfiguration")
                } catch {
                    report.note("\(url) threw \(error.quoted): throw badConfiguration")
                }
            }
        }
    }

    func checkUnknownNames(_ report: inout SuiteReport) async {
        await trial(&report) { _ in
            RawReply(body: "")
        } body: { trial, report in
            // Longer than a DNS label may be, so that no resolver queries the network for it.
            let unresolvable = String(repeating: "x", count: 64) + ".invalid"
            for _ in 1...2 {
                await trial.requireNetworkError(
                    .notSent, sending: .get, to: unresolvable, body: nil,
                    when: "the name of the server could not be resolved", report: &report)
                do {
                    let answer = try await trial.transport.send(trial.request(.get), body: nil)
                    report.require(
                        answer.status == 200,
                        "after a name that could not be resolved, another request returned \(answer.described): "
                            + "do not let a failure affect later requests")
                } catch {
                    report.note(
                        "after a name that could not be resolved, another request threw \(error.quoted): "
                            + "do not let a failure affect later requests")
                }
            }
        }
    }

    private static func redirect(_ request: RawRequest, elsewhere: String) -> RawReply {
        func moved(_ status: String, _ location: String) -> RawReply {
            RawReply(status: status, fields: ["Location: \(location)"], body: "moved")
        }
        let server = request.field("Host").first ?? ""
        return switch request.path {
        case "/302": moved("302 Found", "/here?a=b")
        case "/308": moved("308 Permanent Redirect", "http://\(server)/here")
        case "/relative/301": moved("301 Moved", "../here")
        case "/away": moved("302 Found", "http://\(elsewhere)/here")
        case "/scheme": moved("302 Found", "https://\(server)/here")
        case "/loop": moved("302 Found", "/loop")
        default: RawReply(body: "here")
        }
    }

    func checkRedirects(_ report: inout SuiteReport) async {
        let other: RawServer
        do { other = try RawServer { _ in RawReply(body: "other") } } catch {
            return report.note("a check threw \(error.quoted): return the server's response")
        }
        defer { other.stop() }
        let elsewhere = other.authority
        await trial(&report) { request in
            Self.redirect(request, elsewhere: elsewhere)
        } body: { trial, report in
            let fields: HTTPFields = [.authorization: "Bearer secret"]
            for path in ["/302", "/308", "/relative/301"] {
                let answer = try await trial.send(.get, path, fields: fields)
                report.require(
                    answer.body == Array("here".utf8),
                    "GET \(path) was redirected to the same server and returned \(answer.described): follow the redirect"
                )
                let head = try await trial.send(.head, path, fields: fields)
                report.require(
                    head.status == 200,
                    "HEAD \(path) was redirected to the same server and returned \(head.described): follow the redirect"
                )
            }
            for (method, path) in [
                (HTTPRequest.Method.get, "/away"), (.get, "/scheme"), (.post, "/302"), (.post, "/308"),
                (.delete, "/302"), (.patch, "/308"), (.post, "/away"),
            ] {
                let answer = try await trial.send(method, path, fields: fields, body: method == .get ? nil : "{}")
                report.require(
                    answer.body == Array("moved".utf8),
                    "\(method.rawValue) \(path) returned \(answer.described): return the redirect itself if the request "
                        + "writes, or if the redirect leads to another server")
            }
            report.require(
                other.requests.isEmpty,
                "a redirect to another server was followed with \(other.requests.map(\.head)): return the redirect itself"
            )
            _ = await trial.error(sending: .get, "/loop", when: "a server redirected in a loop", report: &report)
        }
    }

    func checkOddRedirects(_ report: inout SuiteReport) async {
        await trial(&report) { request in
            let server = request.field("Host").first ?? ""
            switch request.path {
            case "/file": return RawReply(status: "302 Found", fields: ["Location: file:///etc/passwd"], body: "moved")
            case "/user":
                return RawReply(status: "302 Found", fields: ["Location: http://a:b@\(server)/"], body: "moved")
            case "/nowhere": return RawReply(status: "302 Found", body: "moved")
            default: return RawReply(body: "here")
            }
        } body: { trial, report in
            for path in ["/file", "/user", "/nowhere"] {
                let answer = try await trial.send(.get, path)
                report.require(
                    answer.status == 302 && answer.body == Array("moved".utf8),
                    "GET \(path) returned \(answer.described): return a redirect itself if it has no location, leads to a "
                        + "file, or has a user in its URL")
            }
        }
    }

    func checkReuse(_ methods: [HTTPRequest.Method], _ report: inout SuiteReport) async {
        await trial(&report) { request in
            request.method == "HEAD"
                ? RawReply("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n") : RawReply(body: "hello")
        } body: { trial, report in
            for method in methods {
                _ = try await trial.send(method, body: [.post, .patch].contains(method) ? "{}" : nil)
            }
            let names = methods.map(\.rawValue).joined(separator: ", ")
            report.require(
                trial.server.connectionCount == 1,
                "\(names), one after the other, used \(trial.server.connectionCount) connections: use one connection")
        }
    }

    func checkWritesOnce(_ report: inout SuiteReport) async {
        for ending in [RawReply.Ending.close, .reset] {
            for (method, body) in [
                (HTTPRequest.Method.post, "{}"), (.post, nil), (.delete, nil),
                (.patch, String(repeating: "x", count: 100_000)),
                (.put, ""),
            ] as [(HTTPRequest.Method, String?)] {
                await trial(&report) { request in
                    // The server carries out the request, and the response is lost.
                    request.path == "/write" ? RawReply("", then: ending) : RawReply(body: "ready")
                } body: { trial, report in
                    _ = try await trial.send()
                    let situation =
                        "the connection ended after \(method.rawValue) with \(body.map { "\($0.count)" } ?? "no") bytes"
                    await trial.requireNetworkError(
                        .unknown, sending: method, "/write", body: body, when: situation, report: &report)
                    let count = trial.server.requests.count { $0.path == "/write" }
                    report.require(
                        count == 1,
                        "\(situation), and the server received the request \(count) times: do not repeat a request that writes"
                    )
                }
            }
        }
    }

    func checkConcurrency(_ report: inout SuiteReport) async {
        await trial(&report) { request in
            RawReply(body: "answer to \(request.path)")
        } body: { trial, report in
            let wrong = try await withThrowingTaskGroup { group in
                for number in 0..<60 {
                    group.addTask {
                        let answer = try await trial.send(number % 3 == 0 ? .post : .get, "/\(number)")
                        return answer.body == Array("answer to /\(number)".utf8)
                            ? nil : "/\(number): \(answer.described)"
                    }
                }
                return try await group.reduce(into: []) { wrong, text in wrong += text.map { [$0] } ?? [] }
            }
            report.require(
                wrong.isEmpty,
                "60 concurrent exchanges mixed their responses, \(wrong): return to each request its own response")
        }
    }
}
