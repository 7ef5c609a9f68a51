// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import SoupLocalOrg
import SoupCore
import Testing

/// Fields that contain bytes: attachments, and fields of a seed's own objects.
@Suite struct BlobTests {
    private static let seed = #"""
        {"freeze": "2030-01-01T00:00:00Z", "objects": {"File__c": {"attachments": true, "fields": {
          "Data__c": {"type": "base64"}, "Kind__c": {"type": "string"}}}},
         "seed": [{"object": "Account", "key": "acme", "values": {"Name": "Acme"}},
           {"object": "File__c", "key": "f", "values": {"Name": "f", "Data__c": "AP8="}},
           {"object": "File__c", "key": "none", "values": {"Name": "none"}}]}
        """#
    private let client: OrgClient

    init() throws {
        var options = OrgOptions()
        options.admin = true
        client = try OrgClient(try OrgSeed(json: Array(Self.seed.utf8)), options: options)
    }

    private func id(_ key: String) -> String { client.org.id(of: key) ?? "" }

    /// All 256 bytes, so that no byte is taken for text.
    private let bytes = Array(UInt8.min...UInt8.max)

    private func attach(_ more: JSONObject = [:]) async throws -> JSONValue {
        var record: JSONObject = [
            "ParentId": .string(id("acme")), "Name": "all.bin", "Body": .string(Data(bytes).base64EncodedString()),
        ]
        for (key, value) in more.members { record[key] = value }
        return try await client.json(.post, "sobjects/Attachment", body: .object(record))
    }

    @Test func `Base64 is read back as bytes`() async throws {
        let created = try await attach(["ContentType": "image/png"])
        let path = "\(client.version)/sobjects/Attachment/\(created.id?.stringValue ?? "")"
        let row = try await client.json(.get, path)
        #expect(row.Body == .string("\(path)/Body") && row.BodyLength == 256)
        let answer = try await client.send(.get, row.Body?.stringValue ?? "")
        #expect(answer.status == 200 && answer.body == bytes && answer.header("Content-Type") == "image/png")
        let head = try await client.send(.head, "\(path)/body")
        #expect(head.status == 200 && head.body.isEmpty)
        #expect(try await client.send(.delete, "\(path)/Body").status == 405)
        // With another version the URL contains that version, in a query and in a record.
        let other = try await client.json(
            .get, "/services/data/v58.0/query?q=SELECT+Body,Parent.Name+FROM+Attachment")
        let record = other.records?[0]
        #expect(record?.Body?.stringValue?.hasPrefix("/services/data/v58.0/sobjects/Attachment/") == true)
        #expect(record?.Parent?["Name"] == "Acme")
    }

    @Test func `Bytes are not changed, whatever their type`() async throws {
        let type = "application/json;charset=UTF-8"
        let created = try await attach(["ContentType": .string(type), "Body": "eyJhIjoxfQ=="])
        let answer = try await client.send(
            .get, "sobjects/Attachment/\(created.id?.stringValue ?? "")/Body",
            headers: [try #require(HTTPField.Name("X-PrettyPrint")): "1"])
        #expect(answer.text == #"{"a":1}"# && answer.header("Content-Type") == type)
        let plain = try await attach()
        let other = try await client.send(.get, "sobjects/Attachment/\(plain.id?.stringValue ?? "")/Body")
        #expect(other.header("Content-Type") == "application/octet-stream")
    }

    @Test func `A field without bytes is null`() async throws {
        let path = "sobjects/File__c/\(id("none"))"
        #expect(try await client.json(.get, path).Data__c == .null)
        #expect(try await client.send(.get, "\(path)/Data__c").status == 404)
        #expect(try await client.send(.get, "sobjects/File__c/\(id("f"))/Data__c").body == [0, 0xFF])
        #expect(try await client.send(.patch, path, body: ["Data__c": "AQ=="]).status == 204)
        #expect(try await client.send(.get, "\(path)/Data__c").body == [1])
        #expect(try await client.send(.patch, path, body: ["Data__c": nil]).status == 204)
        #expect(try await client.send(.get, "\(path)/Data__c").status == 404)
        #expect(try await client.send(.get, "sobjects/File__c/\(id("f"))/Kind__c").status == 404)
        #expect(
            client.code(
                try await client.json(
                    .post, "sobjects/Attachment", body: ["Name": "x", "ParentId": .string(id("acme"))]))
                == "REQUIRED_FIELD_MISSING")
    }

    @Test(arguments: ["no base64!", "A", "AA=A"])
    func `Malformed Base64 is rejected`(_ text: String) async throws {
        let before = try client.state([("File__c", ["Name", "Data__c"])])
        let path = "sobjects/File__c/\(id("f"))"
        #expect(
            client.code(try await client.json(.patch, path, body: ["Data__c": .string(text)])) == "JSON_PARSER_ERROR")
        #expect(client.code(try await client.json(.patch, path, body: ["Data__c": 5])) == "JSON_PARSER_ERROR")
        #expect(try client.state([("File__c", ["Name", "Data__c"])]) == before)
    }

    @Test func `Records may be multipart bodies`() async throws {
        let type = "multipart/form-data; boundary=\"cut here\""
        func body(_ json: String) -> [UInt8] {
            Array(
                ("--cut here\r\nContent-Disposition: form-data;name=entity_attachment\r\n"
                    + "Content-Type: application/json\r\n\r\n\(json)\r\n--cut here\r\n"
                    + "Content-Disposition: form-data; name=\"Body\"; filename=\"all.bin\"\r\n"
                    + "Content-Type: application/octet-stream\r\n\r\n").utf8)
                + bytes + Array("\r\n--cut here--\r\n".utf8)
        }
        let json = #"{"Name": "all.bin", "ParentId": "\#(id("f"))"}"#
        let answer = try await client.send(
            .post, "sobjects/Attachment", bytes: body(json), headers: ["Content-Type": type])
        #expect(answer.status == 201)
        let created = try JSONValue(parsing: answer.body).id?.stringValue ?? ""
        #expect(try await client.send(.get, "sobjects/Attachment/\(created)/Body").body == bytes)
        let patched = try await client.send(
            .patch, "sobjects/Attachment/\(created)", bytes: body(#"{"Name": "renamed"}"#),
            headers: ["Content-Type": type])
        #expect(patched.status == 204)
        #expect(try await client.values("SELECT Name FROM Attachment") == ["renamed"])
        let before = try client.state([("Attachment", ["Name", "BodyLength"])])
        for bad in [
            body("{"), body("[]"), Array("--cut here--".utf8), Array("nothing".utf8), Array(body(json).dropLast(20)),
        ] {
            let refused = try await client.send(
                .post, "sobjects/Attachment", bytes: bad, headers: ["Content-Type": type])
            #expect(refused.status == 400)
        }
        let elsewhere = try await client.send(
            .post, "composite", bytes: body(json), headers: ["Content-Type": type])
        #expect(elsewhere.status == 415)
        #expect(try client.state([("Attachment", ["Name", "BodyLength"])]) == before)
    }

    @Test(arguments: [
        ("SELECT Id FROM Attachment WHERE Body != null", "INVALID_FIELD"),
        ("SELECT Id FROM Attachment ORDER BY Body", "INVALID_FIELD"),
        ("SELECT COUNT_DISTINCT(Body) FROM Attachment", "MALFORMED_QUERY"),
        ("SELECT Body, COUNT(Id) FROM Attachment GROUP BY Body", "MALFORMED_QUERY"),
    ])
    func `Queries do not filter by bytes`(_ query: String, _ code: String) async throws {
        let answer = try await client.query(query)
        #expect([code, "INVALID_FIELD"].contains(client.code(answer)), "\(answer)")
    }

    /// A response with JSON cannot contain a body that is not JSON.
    @Test func `Composite requests reject byte responses`() async throws {
        let id = try await attach().id?.stringValue ?? ""
        let job: JSONValue = ["operation": "query", "query": "SELECT Id FROM Account"]
        let jobId = try await client.json(.post, "jobs/query", body: job).id?.stringValue ?? ""
        for path in ["sobjects/Attachment/\(id)/Body", "jobs/query/\(jobId)/results"] {
            let request: JSONValue = [
                "method": "GET", "url": .string("\(client.version)/\(path)"), "referenceId": "r",
            ]
            let composite = try await client.json(.post, "composite", body: ["compositeRequest": [request]])
            #expect(composite.compositeResponse?[0]?.httpStatusCode == 400)
            #expect(composite.compositeResponse?[0]?.body?[0]?.errorCode == "INVALID_INPUT")
            let batch = try await client.json(.post, "composite/batch", body: ["batchRequests": [request]])
            #expect(batch.results?[0]?.statusCode == 400)
        }
    }

    @Test func `Bulk queries reject byte fields`() async throws {
        let job: JSONValue = ["operation": "query", "query": "SELECT Id, Body FROM Attachment"]
        #expect(client.code(try await client.json(.post, "jobs/query", body: job)) != nil)
    }

    @Test func `Attachments are deleted with their parent`() async throws {
        _ = try await attach()
        _ = try await attach(["ParentId": .string(id("f"))])
        try client.org.delete("Account", id: id("acme"))
        #expect(try await client.values("SELECT Parent.Name FROM Attachment").count == 1)
        let describe = try await client.json(.get, "sobjects/Attachment/describe")
        let fields = describe.fields?.arrayValue ?? []
        let body = fields.first { $0["name"] == "Body" }
        #expect(body?.type == "base64" && body?.soapType == "xsd:base64Binary" && body?.filterable == false)
        let parents = fields.first { $0["name"] == "ParentId" }?.referenceTo?.arrayValue ?? []
        #expect(parents.contains("File__c") && parents.contains("Account"))
    }

    @Test func `Snapshots and state files keep bytes`() async throws {
        #expect(try await client.send(.post, "/_emu/snapshot").status == 200)
        let path = "sobjects/File__c/\(id("f"))"
        _ = try await client.send(.patch, path, body: ["Data__c": "AQID"])
        #expect(try await client.send(.post, "/_emu/restore").status == 200)
        #expect(try await client.send(.get, "\(path)/Data__c").body == [0, 0xFF])
        let folder = FileManager.default.temporaryDirectory.appending(path: "blobs-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        var options = OrgOptions()
        options.stateFile = folder.appending(path: "org.db")
        do {
            let first = try OrgClient(try OrgSeed(json: Array(Self.seed.utf8)), options: options)
            _ = try await first.send(.patch, path, body: ["Data__c": "AQID"])
        }
        let second = try OrgClient(.tiny, options: options)
        #expect(try await second.send(.get, "\(path)/Data__c").body == [1, 2, 3])
    }
}
