// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import SoupCore
import SoupTesting
import Testing

@Suite struct ScriptedTransportTests {
    private func get(_ path: String) -> HTTPRequest {
        HTTPRequest(method: .get, scheme: nil, authority: nil, path: path)
    }

    @Test func `A script that is followed has no violations`() async throws {
        let transport = ScriptedTransport([.answer(to: "GET /a?q=b c", "1"), .answer("2"), .fail(.notSent)])
        #expect(try await transport.send(get("/a?q=b%20c"), body: nil).body == [0x31])
        #expect(try await transport.send(get("/x"), body: Array("{}".utf8)).body == [0x32])
        let error = await #expect(throws: SoupError.self) { try await transport.send(get("/y"), body: nil) }
        #expect(error?.delivery == .notSent)
        #expect(transport.violations == [])
        #expect(transport.dump == ["GET /a?q=b c", "GET /x {}", "GET /y"])
    }

    @Test func `Unexpected and missing requests are recorded`() async throws {
        let transport = ScriptedTransport([.answer(to: "GET /a", "1"), .answer(to: "GET /b", "2")])
        _ = try await transport.send(get("/x"), body: nil)
        #expect(transport.violations == ["expected GET /a\n     but got GET /x", "not requested: GET /b"])
        _ = try await transport.send(get("/b"), body: nil)
        #expect(try await transport.send(get("/c"), body: nil).status == 599)
        #expect(transport.violations.last == "after the end of the script: GET /c")
    }

    @Test func `A recorded request returns its decoded parts`() {
        let url = HTTPRequest(
            method: .post, scheme: "https", authority: "h", path: "/p?a=1%2B1&b=x+y&c", headerFields: [.accept: "x"])
        let request = RecordedRequest(url, body: Array(#"{"k":[1]}"#.utf8))
        #expect(request.pathWithoutQuery == "/p")
        #expect(request.pathAndQuery == "/p?a=1%2B1&b=x+y&c")
        #expect(request[parameter: "a"] == "1+1")
        #expect(request[parameter: "b"] == "x y")
        #expect(request[parameter: "c"] == "")
        #expect(request.header("ACCEPT") == "x")
        #expect(request.json?["k"]?[0] == 1)
        #expect(request.description == #"POST https://h/p?a=1+1&b=x y&c= {"k":[1]}"#)
    }

    @Test func `Each fault affects the request with its number`() async throws {
        let server = ScriptedTransport { _ in HTTPAnswer("0123456789") }
        let faults: [FaultyTransport.Fault?] = [
            nil, .notSent, .lostRequest, .lostAnswer, .truncated, .status(503), .cancelled,
        ]
        let transport = FaultyTransport(server) { number, _ in faults[number] }
        var results: [String] = []
        for _ in faults {
            do {
                let answer = try await transport.send(get("/"), body: nil)
                results.append("\(answer.status) \(answer.body.count)")
            } catch let error as SoupError {
                results.append(error.delivery.rawValue)
            } catch {
                results.append("\(type(of: error))")
            }
        }
        #expect(results == ["200 10", "notSent", "unknown", "unknown", "200 5", "503 2", "CancellationError"])
        #expect(server.requests.count == 4)
    }
}
