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
                    .notSent, method, at: authority, body: method == .post ? "{}" : nil, when: "no server listened",
                    &report)
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
                    report.note("\(url) returned \(answer.described): a request needs an http or https URL")
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
                    .notSent, .get, at: unresolvable, body: nil, when: "the name of the server could not be resolved",
                    &report)
                do {
                    let answer = try await trial.transport.send(trial.request(.get), body: nil)
                    report.require(
                        answer.status == 200,
                        "behind a name that could not be resolved, another request returned \(answer.described): "
                            + "a failure must not affect later requests")
                } catch {
                    report.note(
                        "behind a name that could not be resolved, another request threw \(error.quoted): "
                            + "a failure must not affect later requests")
                }
            }
        }
    }

    func checkRedirects(_ report: inout SuiteReport) async {
        let other: RawServer
        do { other = try RawServer { _ in RawReply(body: "other") } } catch {
            return report.note("a check threw \(error.quoted): return the answer of the server")
        }
        defer { other.stop() }
        let elsewhere = other.authority
        await trial(&report) { request in
            func moved(_ status: String, _ location: String) -> RawReply {
                RawReply(status: status, fields: ["Location: \(location)"], body: "moved")
            }
            switch request.path {
            case "/302": return moved("302 Found", "/here?a=b")
            case "/308": return moved("308 Permanent Redirect", "http://\(request.field("Host").first ?? "")/here")
            case "/relative/301": return moved("301 Moved", "../here")
            case "/away": return moved("302 Found", "http://\(elsewhere)/here")
            case "/scheme": return moved("302 Found", "https://\(request.field("Host").first ?? "")/here")
            case "/loop": return moved("302 Found", "/loop")
            default: return RawReply(body: "here")
            }
        } body: { trial, report in
            let fields: HTTPFields = [.authorization: "Bearer secret"]
            for path in ["/302", "/308", "/relative/301"] {
                let answer = try await trial.send(.get, path, fields)
                report.require(
                    answer.body == Array("here".utf8),
                    "GET \(path) was redirected on its server and returned \(answer.described): follow it")
                let head = try await trial.send(.head, path, fields)
                report.require(head.status == 200, "HEAD \(path) returned \(head.described): follow it")
            }
            for (method, path) in [
                (HTTPRequest.Method.get, "/away"), (.get, "/scheme"), (.post, "/302"), (.post, "/308"),
                (.delete, "/302"), (.patch, "/308"), (.post, "/away"),
            ] {
                let answer = try await trial.send(method, path, fields, body: method == .get ? nil : "{}")
                report.require(
                    answer.body == Array("moved".utf8),
                    "\(method.rawValue) \(path) returned \(answer.described): a redirect of a request that writes, or to "
                        + "another server, is the answer")
            }
            report.require(
                other.requests.isEmpty,
                "a redirect to another server was followed with \(other.requests.map(\.head)): never follow it")
            _ = await trial.error(.get, "/loop", when: "a server redirected without end", &report)
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
                    "GET \(path) returned \(answer.described): a redirect without a location, to a file, or with a user "
                        + "in its URL is the answer")
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
                "\(names), one after the other, used \(trial.server.connectionCount) connections: reuse one")
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
                    let what =
                        "the connection ended after \(method.rawValue) with \(body.map { "\($0.count)" } ?? "no") bytes"
                    await trial.requireNetworkError(.unknown, method, "/write", body: body, when: what, &report)
                    let count = trial.server.requests.count { $0.path == "/write" }
                    report.require(
                        count == 1,
                        "\(what), and the server received it \(count) times: never repeat a request that writes")
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
            report.require(wrong.isEmpty, "60 exchanges at a time mixed their answers: \(wrong)")
        }
    }
}
