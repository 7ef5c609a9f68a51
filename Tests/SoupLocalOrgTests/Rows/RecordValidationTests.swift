// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import SoupLocalOrg
import SoupCore
import Testing

/// The values that a field accepts, and their stored forms.
@Suite struct RecordValidationTests {
    private static let seed = #"""
        {"freeze": "2030-01-01T00:00:00Z", "objects": {"Thing__c": {
          "recordTypes": [{"developerName": "A", "name": "A"}, {"developerName": "B", "name": "B", "default": true}],
          "fields": {
            "Text__c": {"type": "string", "length": 5}, "Mail__c": {"type": "email"},
            "Pick__c": {"type": "picklist", "picklist": ["x", "y"]},
            "Many__c": {"type": "multipicklist", "picklist": ["a", "b", "c"], "restricted": true},
            "Flag__c": {"type": "boolean", "default": true}, "Int__c": {"type": "int", "precision": 4},
            "Money__c": {"type": "currency", "precision": 5, "scale": 2}, "Day__c": {"type": "date"},
            "At__c": {"type": "datetime"}, "Time__c": {"type": "time"},
            "Code__c": {"type": "string", "length": 10, "unique": true, "caseSensitive": true, "externalId": true},
            "Loose__c": {"type": "string", "length": 10, "unique": true},
            "Up__c": {"type": "lookup", "referenceTo": ["Thing__c"]}}}}}
        """#
    private let client: OrgClient

    init() throws { client = try OrgClient(try OrgSeed(json: Array(Self.seed.utf8))) }

    /// Returns the stored form of a value, or the code of the error.
    private func stored(_ field: String, _ value: JSONValue) async throws -> JSONValue {
        let answer = try await client.json(.post, "sobjects/Thing__c", body: .object([field: value]))
        guard let id = answer.id?.stringValue else { return answer[0]?.errorCode ?? .null }
        return try await client.json(.get, "sobjects/Thing__c/\(id)?fields=\(field)")[field] ?? .null
    }

    @Test(
        arguments: [
            ("Text__c", "  a b ", "a b"), ("Text__c", "   ", nil), ("Text__c", "", nil),
            ("Text__c", 5, "JSON_PARSER_ERROR"),
            ("Text__c", "123456", "STRING_TOO_LONG"), ("Text__c", " \u{301}a", "\u{301}a"),
            // Many combining marks on one letter are many characters.
            ("Text__c", "a\u{301}\u{301}\u{301}\u{301}\u{301}", "STRING_TOO_LONG"),
            ("Mail__c", "a@b.co", "a@b.co"), ("Mail__c", "a@\u{301}b.co", "a@\u{301}b.co"),
            ("Mail__c", "a@b", "INVALID_EMAIL_ADDRESS"), ("Mail__c", "a b@c.de", "INVALID_EMAIL_ADDRESS"),
            ("Mail__c", "a@b@c.de", "INVALID_EMAIL_ADDRESS"), ("Mail__c", "a@b..c", "INVALID_EMAIL_ADDRESS"),
            ("Pick__c", "anything", "anything"), ("Many__c", "c;a;c", "a;c"), ("Many__c", ";;", nil),
            ("Many__c", " b ; a ", "a;b"), ("Many__c", "a;z", "INVALID_OR_NULL_FOR_RESTRICTED_PICKLIST"),
            ("Flag__c", "FALSE", false), ("Flag__c", nil, "JSON_PARSER_ERROR"), ("Flag__c", 1, "JSON_PARSER_ERROR"),
            ("Int__c", "12", 12), ("Int__c", "0x10", "JSON_PARSER_ERROR"), ("Int__c", "nan", "JSON_PARSER_ERROR"),
            ("Int__c", 9999, 9999), ("Int__c", 10_000, "NUMBER_OUTSIDE_VALID_RANGE"), ("Int__c", "", nil),
            ("Money__c", 1.005, 1.01), ("Money__c", "12.345", 12.35), ("Money__c", 999.99, 999.99),
            ("Money__c", 999.995, "NUMBER_OUTSIDE_VALID_RANGE"), ("Money__c", true, "JSON_PARSER_ERROR"),
            ("Day__c", "2030-02-28", "2030-02-28"), ("Day__c", "2030-02-28T23:00:00Z", "2030-02-28"),
            ("Day__c", "2030-02-30", "JSON_PARSER_ERROR"), ("Day__c", "soon", "JSON_PARSER_ERROR"),
            ("At__c", "2030-01-02T03:04:05.678+02:00", "2030-01-02T01:04:05.000+0000"),
            ("At__c", "2030-01-02", "2030-01-02T00:00:00.000+0000"),
            ("At__c", "2030-01-02T25:00:00Z", "JSON_PARSER_ERROR"),
            ("Time__c", "12:30:00Z", "12:30:00.000Z"), ("Time__c", "24:00:00Z", "JSON_PARSER_ERROR"),
            ("Up__c", "nonsense", "MALFORMED_ID"), ("Up__c", "001000000000001AAA", "FIELD_INTEGRITY_EXCEPTION"),
            ("OwnerId", "005000000000999", "INVALID_CROSS_REFERENCE_KEY"),
            ("RecordTypeId", "012000000000001", "012000000000001AAA"), ("RecordTypeId", "012000000000000AAA", nil),
            ("RecordTypeId", "012000000000009", "INVALID_CROSS_REFERENCE_KEY"),
            ("CreatedDate", "2020-01-01T00:00:00Z", "INVALID_FIELD_FOR_INSERT_UPDATE"),
        ] as [(String, JSONValue, JSONValue)])
    func `A value is converted by its field's type`(_ field: String, _ value: JSONValue, _ expected: JSONValue)
        async throws
    {
        #expect(try await stored(field, value) == expected)
    }

    @Test func `A record without values gets the defaults`() async throws {
        let created = try await client.json(.post, "sobjects/Thing__c", body: [:])
        let row = try client.org.state(of: "Thing__c")[0]
        #expect(row.RecordTypeId == "012000000000002AAA" && row.Flag__c == true)
        #expect(row.Name?.stringValue == created.id?.stringValue.map { String($0.prefix(15)) })
        let type = try await client.values("select RecordType.DeveloperName from Thing__c")
        #expect(type[0].DeveloperName == "B")
        let row18 = "sobjects/Thing__c/\(created.id?.stringValue ?? "")"
        #expect(try await client.send(.get, String(row18.dropLast(3))).status == 200)
        #expect(try await client.send(.patch, row18, body: ["RecordTypeId": "012000000000001"]).status == 204)
        #expect(try client.org.state(of: "Thing__c")[0].RecordTypeId == "012000000000001AAA")
    }

    @Test func `Unique values are case-sensitive only if declared`() async throws {
        #expect(try await stored("Code__c", "ab") == "ab")
        #expect(try await stored("Code__c", "AB") == "AB")
        #expect(try await stored("Code__c", "ab") == "DUPLICATE_VALUE")
        #expect(try await stored("Loose__c", "ab") == "ab")
        #expect(try await stored("Loose__c", "AB") == "DUPLICATE_VALUE")
        let found = try await client.json(.get, "sobjects/Thing__c/Code__c/AB?fields=Code__c")
        #expect(found.Code__c == "AB")
    }

    @Test func `Audit fields may be set where the org allows it`() async throws {
        client.org.setOptions { $0.allowsAuditFields = true }
        let other = client.org.id(of: "other") ?? ""
        let created = try await client.json(
            .post, "sobjects/Thing__c",
            body: [
                "CreatedDate": "2020-01-01T00:00:00Z", "LastModifiedDate": "2021-01-01T00:00:00Z",
                "CreatedById": .string(other),
            ])
        let row = try client.org.state(of: "Thing__c")[0]
        #expect(row.CreatedDate == "2020-01-01T00:00:00.000+0000" && row.CreatedById?.stringValue == other)
        #expect(row.LastModifiedDate == "2021-01-01T00:00:00.000+0000")
        #expect(row.SystemModstamp == "2030-01-01T00:00:00.000+0000")
        let change = try await client.json(
            .patch, "sobjects/Thing__c/\(created.id?.stringValue ?? "")", body: ["CreatedDate": "2020-01-01T00:00:00Z"])
        #expect(client.code(change) == "INVALID_FIELD_FOR_INSERT_UPDATE")
    }
}
