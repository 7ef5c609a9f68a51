// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import SoupCore
import Synchronization
import SoupTesting
import Testing

@testable import SoupBridge

@Suite struct NetworkServiceTests {
    @Test func `A request is sent with authorization`() async throws {
        let world = try await BridgeWorld()
        let answer = try await world.call(
            BridgeWorld.network, "pgSendRequest",
            with:
                #"{"endPoint":"/services/data","path":"/v66.0/query","method":"GET","queryParams":{"q":"SELECT Name FROM Account WHERE Name = 'x & y'"}}"#
        )
        #expect(try BridgeWorld.value(answer)["totalSize"] == 0)
        let created = try await world.call(
            BridgeWorld.network, "pgSendRequest",
            with:
                #"{"endPoint":"/services/data","path":"/v66.0/sobjects/account","method":"POST","queryParams":"{\"Name\":\"Neu\"}"}"#
        )
        let id = try #require(try BridgeWorld.value(created)["id"]?.stringValue)
        let path = #""endPoint":"/services/data","path":"/v66.0/sobjects/Account/\#(id)""#
        #expect(
            try await world.call(BridgeWorld.network, "pgSendRequest", with: #"{\#(path),"method":"DELETE"}"#) == "ok -"
        )
        let missing = try await world.call(BridgeWorld.network, "pgSendRequest", with: #"{\#(path),"method":"GET"}"#)
        #expect(missing.hasPrefix("error \"{\\\"response\\\":{"))
        let text = try #require(try JSONText(String(missing.dropFirst(6))).string)
        let error = try JSONValue(parsing: Array(text.utf8))
        #expect(error["response"]?["statusCode"] == 404)
    }

    @Test(arguments: ["V%2F1", "50%25", "a%2525b", "%C3%89va", "%25zz"])
    func `A path can contain encoded characters`(value: String) async throws {
        let transport = ScriptedTransport { _ in HTTPAnswer(HTTPResponse(status: .ok)) }
        let world = try await BridgeWorld { _ in transport }
        let path = "/services/data/v60.0/sobjects/Visit__c/External_Id__c/\(value)"
        _ = try await world.call(BridgeWorld.network, "pgSendRequest", with: #"{"path":"\#(path)","method":"PATCH"}"#)
        #expect(transport.requests.map(\.request.path) == [path])
    }

    @Test func `Secrets that the server repeats do not reach the page`() async throws {
        let mask = SecretMask(["00Dsecret!TOKEN"])
        let body = Mutex(Array(#"{"auth":"Bearer 00Dsecret!TOKEN","a":1}"#.utf8))
        let world = try await BridgeWorld { _ in
            MaskingTransport(secretMask: mask) { _ in
                HTTPAnswer(
                    HTTPResponse(
                        status: .badRequest, headerFields: [.location: "/x?token=00Dsecret%21TOKEN"]),
                    body: body.withLock { $0 })
            }
        }
        func send(_ more: String = "") async throws -> String {
            try await world.call(BridgeWorld.network, "pgSendRequest", with: #"{"path":"/services/data/x"\#(more)}"#)
        }
        let answer = try await send()
        #expect(answer.contains("***") && !answer.contains("TOKEN"), "\(answer)")
        body.withLock { $0 = [0xFF] + Array("00Dsecret!TOKEN".utf8) }
        #expect(try await send(#","returnBinary":true"#).contains("contains a secret of the session"))
    }

    @Test func `A binary body is returned in Base64`() async throws {
        let world = try await BridgeWorld { _ in
            ScriptedTransport { _ in
                HTTPAnswer(HTTPResponse(status: .ok, headerFields: [.contentType: "image/png"]), body: [0, 255])
            }
        }
        let answer = try await world.call(
            BridgeWorld.network, "pgSendRequest",
            with: #"{"path":"/services/data/x","method":"GET","returnBinary":true}"#)
        #expect(answer == #"ok {"encodedBody":"AP8=","contentType":"image/png"}"#)
    }

    @Test(
        arguments: [
            #""path":"https://example.org/services/data""#, #""path":"/etc/passwd""#,
            #""path":"//example.org/services/""#,
            #""path":"/services/../admin""#, #""path":"/services/%2E%2e/admin""#, #""path":"/services/a b""#,
            #""path":"/services/oauth2/singleaccess","method":"POST""#, #""path":"/services/%6Fauth2/token""#,
            #""path":"/services//oauth2/token""#, #""path":"/services/data%2f..%2foauth2""#,
            #""path":"/services/..;/admin""#, #""path":"/services/%252e%252e/admin""#,
            #""path":"/services/data/%zz%2f..%2f..%2fsecur""#,
            #""path":"/services/data/%c0%ae%c0%ae/x""#, #""path":"/services/data/%25zz%252f..%252fx""#,
            #""path":"/services/data/%2525252525""#,
            #""path":"/services/x%0d%0aX-Evil:1""#, #""path":"/services/data;/x""#,
            #""path":"/services/Soap/u/60.0""#,
            #""path":"/services/AUTH/x""#,
            #""path":"/services/a\\..\\b""#, #""path":"/services/a#b""#, #""path":"""#, #""path":7"#,
            #""path":"/services/x","method":"CONNECT""#, #""path":"/services/x","queryParams":"{""#,
            #""path":"/services/x","queryParams":[1]"#,
            #""path":"/services/x","fileParams":{"f":{"fileUrl":"/etc/passwd"}}"#,
            #""path":"/services/x","headerParams":{"a b":"c"}"#,
        ]
    )
    func `Any other request is refused`(arguments: String) async throws {
        let transport = ScriptedTransport([])
        let world = try await BridgeWorld { _ in transport }
        let answer = try await world.call(BridgeWorld.network, "pgSendRequest", with: "{\(arguments)}")
        #expect(answer.hasPrefix("error \""))
        let text = try #require(try JSONText(String(answer.dropFirst(6))).string)
        let error = try JSONValue(parsing: Array(text.utf8))
        #expect([error["response"]?["statusCode"], error["response"]?["body"]] == [0, ""])
        #expect(error["error"]?.stringValue?.isEmpty == false)
        #expect(transport.requests.isEmpty)
    }

    @Test func `A page cannot set the header fields of the bridge`() async throws {
        let transport = ScriptedTransport { _ in HTTPAnswer(HTTPResponse(status: .ok)) }
        let world = try await BridgeWorld { _ in transport }
        _ = try await world.call(
            BridgeWorld.network, "pgSendRequest",
            with: #"{"path":"/services/x","headerParams":{"Authorization":"x","host":"y","Cookie":"z","X-Own":"1"}}"#)
        let request = try #require(transport.requests.first)
        #expect(request.request.headerFields[.authorization] == nil && request.request.headerFields[.cookie] == nil)
        #expect(request.request.headerFields[HTTPField.Name("X-Own")!] == "1")
    }
}
