// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupCore
import Testing

@testable import SoupLocalOrg

/// Rejected seeds: descriptions that no org accepts.
@Suite struct SeedCheckTests {
    private static func problems(_ text: String) -> [String] {
        do {
            _ = try OrgSeed(json: Array(text.utf8), file: "org.json")
            return []
        } catch let error as ConfigurationError {
            return error.problems.map(\.description)
        } catch {
            return ["\(error)"]
        }
    }

    /// Returns a seed with an object with one field.
    private static func object(_ field: String, rows: String = "") -> String {
        #"{"objects": {"T__c": {"fields": {"F__c": \#(field)}}}, "seed": [\#(rows)]}"#
    }

    private static func row(_ value: String) -> String { #"{"object": "T__c", "values": {"F__c": \#(value)}}"# }

    static let rows: [(String, String)] = [
        (
            object(
                #"{"type": "string", "length": 9, "externalId": true, "unique": true}"#,
                rows: [row("\"a\""), row("\"b\""), row("\"A\"")].joined(separator: ", ")),
            #"seed[2].values.F__c: T__c.F__c is unique, and seed[0] has "A" already. Give one of the two another value."#
        ),
        (
            object(
                #"{"type": "picklist", "restricted": true, "picklist": ["x", "y"]}"#, rows: row("\"z\"")),
            "seed[0].values.F__c: the org refuses this for T__c.F__c: F: bad value for restricted picklist field: z. "
                + "Write one of: x, y."
        ),
        (
            object(#"{"type": "string", "length": 3}"#, rows: row("\"long\"")),
            "seed[0].values.F__c: the org refuses this for T__c.F__c: F: data value too large: long (max length=3). "
                + "Write 3 characters at most."
        ),
        (
            object(#"{"type": "double", "precision": 5, "scale": 2}"#, rows: row("1000")),
            "seed[0].values.F__c: the org refuses this for T__c.F__c: F: value outside of valid range on numeric field: "
                + "1000. Write a number with 3 digits before the point at most."
        ),
        (
            object(#"{"type": "masterdetail", "referenceTo": ["Account"]}"#, rows: #"{"object": "T__c"}"#),
            "seed[0].values: T__c.F__c is missing: the record would have no master. Write \"@\" and the key of a row of "
                + "Account."
        ),
        (
            #"{"objects": {"T__c": {"fields": {"F__c": {"type": "int"}}, "validationRules": [{"name": "small", "when": "F__c > 5", "message": "too much"}]}}, "seed": [{"object": "T__c", "values": {"F__c": 5}}, {"object": "Account"}, {"object": "T__c", "values": {"F__c": 6}}]}"#,
            #"seed[2]: the rule "small" of T__c refuses it: too much. Change the row, or the rule."#
        ),
    ]

    static let schemas: [(String, String)] = [
        (
            object(#"{"type": "currency", "default": "abc"}"#),
            #"objects.T__c.fields.F__c.default: "abc" is not a value for T__c.F__c. Write a number."#
        ),
        (
            object(#"{"type": "picklist", "restricted": true, "picklist": ["x"], "default": "y"}"#),
            "objects.T__c.fields.F__c.default: the org refuses this for T__c.F__c: F: bad value for restricted picklist "
                + "field: y. Write one of: x."
        ),
        (
            object(#"{"type": "double", "precision": 5, "scale": 20}"#),
            "objects.T__c.fields.F__c.scale: F__c has 5 digits, and 20 of them after the point. Write a scale that is no "
                + "larger than the precision."
        ),
        (
            object(#"{"type": "picklist"}"#),
            #"objects.T__c.fields.F__c.picklist: F__c has no values to pick from. Add "picklist" with an array of values."#
        ),
        (
            object(#"{"type": "string", "picklist": ["a"]}"#),
            "objects.T__c.fields.F__c.picklist: a field of the type string has no list of values. Make it a picklist, or "
                + "remove \"picklist\"."
        ),
        (
            object(#"{"type": "boolean", "externalId": true}"#),
            "objects.T__c.fields.F__c.externalId: a field of the type boolean cannot be an external id. Take a field of "
                + "the type string, email, int, double or autonumber."
        ),
        (
            object(#"{"type": "autonumber", "format": "V-"}"#),
            #"objects.T__c.fields.F__c.format: "V-" has no place for the number. Write it like V-{00000}; {YYYY}, {YY}, {MM} and {DD} are parts of the day."#
        ),
        (
            #"{"objects": {"T__c": {"recordTypes": [{"developerName": "A", "default": true}, {"developerName": "B", "default": true}]}}}"#,
            #"objects.T__c.recordTypes[1].default: another record type is the default already. Leave "default" to one of them."#
        ),
        (
            object(#"{"type": "masterdetail", "referenceTo": ["T__c"]}"#),
            #"objects.T__c.fields.F__c.referenceTo: T__c cannot be its own master. Make it a lookup: "type": "reference"."#
        ),
        (
            #"{"objects": {"T__c": {"fields": {"F__c": {"type": "reference", "referenceTo": ["Account"], "childRelationshipName": "Ts__r"}, "G__c": {"type": "reference", "referenceTo": ["Account"], "childRelationshipName": "ts__r"}}}}}"#,
            #"objects.T__c.fields.G__c.childRelationshipName: Account has the child relationship "ts__r" already, by T__c.F__c. Give one of the two another "childRelationshipName"."#
        ),
        (
            #"{"objects": {"T__c": {"fields": {"F__c": {"type": "reference", "referenceTo": ["Account"], "childRelationshipName": "Contacts"}}}}}"#,
            #"objects.T__c.fields.F__c.childRelationshipName: Account has the child relationship "Contacts" already, by Contact.AccountId. Give one of the two another "childRelationshipName"."#
        ),
        (
            #"{"objects": {"T__c": {"fields": {"F__c": {"type": "reference", "referenceTo": ["Account"]}, "G__c": {"type": "reference", "referenceTo": ["Account"], "relationshipName": "F__r"}}}}}"#,
            #"objects.T__c.fields.G__c.relationshipName: T__c.F__c has the relationship name "F__r" already. Give one of the two another "relationshipName"."#
        ),
        (
            #"{"objects": {"Foo": {}}}"#,
            #"objects.Foo: "Foo" is not a standard object of this org, and the names of others end with __c. Call it Foo__c, or add "custom": false for a standard object of another org."#
        ),
    ]

    static let access: [(String, String)] = [
        (
            #"{"clients": [{"id": "c", "grants": ["password", "zz"]}]}"#,
            #"clients[0].grants[1]: there is no grant type "zz". Known: password, client_credentials, refresh_token, authorization_code, jwt."#
        ),
        (
            #"{"clients": [{"id": "c", "publicKey": "zz"}]}"#,
            "clients[0].publicKey: this is no public key. Write an RSA key in PEM: -----BEGIN PUBLIC KEY-----, its "
                + "lines, -----END PUBLIC KEY-----."
        ),
        (
            #"{"clients": [{"id": "c"}, {"id": "c"}]}"#,
            #"clients[1].id: the client "c" is there already. Give it another id."#
        ),
        (
            #"{"apiVersions": []}"#,
            #"apiVersions: an org needs at least one version. Write versions, such as ["60.0"], or remove the key."#
        ),
        (
            #"{"users": [{"key": "a", "username": "a@b.c"}, {"key": "b", "username": "A@b.c"}]}"#,
            #"users[1].username: another user has the username "A@b.c". Give each user one of their own."#
        ),
    ]

    @Test(arguments: rows + schemas + access) func `A failure is reported with its position`(
        _ seed: String, _ expected: String
    )
        throws
    {
        let found = Self.problems(seed)
        let problem = try #require(found.first)
        // Before it the message has the file, the line and the column.
        #expect(found.count == 1 && problem.hasPrefix("org.json:1:") && problem.hasSuffix(": " + expected), "\(found)")
    }

    /// A schema change of a running org reports the same problems.
    @Test(arguments: schemas) func `A schema change reports the same problems`(_ seed: String, _ expected: String)
        throws
    {
        let org = try LocalOrg(seed: .tiny)
        let objects = try #require(try JSONValue(parsing: seed)["objects"]?.objectValue)
        let error = #expect(throws: ConfigurationError.self) { try org.changeSchema(objects) }
        #expect(error?.problems.map(\.description) == [expected])
    }

    @Test func `Generated rows are checked at creation`() throws {
        let unique = #"{"type": "string", "length": 9, "unique": true}"#
        func seed(_ values: String) throws -> OrgSeed {
            let text =
                #"{"objects": {"T__c": {"fields": {"F__c": \#(unique)}}}, "generate": [{"object": "T__c", "count": 3, "values": \#(values)}]}"#
            return try OrgSeed(json: Array(text.utf8))
        }
        #expect(try LocalOrg(seed: seed(#"{"F__c": "x{n}"}"#)).state(of: "T__c").count == 3)
        let same = try seed(#"{"F__c": "x"}"#)
        let error = #expect(throws: ConfigurationError.self) { try LocalOrg(seed: same) }
        #expect(
            error?.problems.map(\.description) == [
                #"generate[0].values.F__c: row 2 T__c.F__c is unique, and generate[0] has "x" already. Let the value count: write {n} in it."#,
                #"generate[0].values.F__c: row 3 T__c.F__c is unique, and generate[0] has "x" already. Let the value count: write {n} in it."#,
            ])
        #expect(throws: ConfigurationError.self) { try seed(#"{"F__c": "12345678{n}0"}"#) }
    }

    @Test func `Valid definitions are accepted`() throws {
        for seed in [
            // Not unique; deleted records do not count.
            Self.object(
                #"{"type": "string", "length": 9, "externalId": true}"#,
                rows: Self.row("\"a\"") + ", " + Self.row("\"a\"")),
            Self.object(
                #"{"type": "string", "length": 9, "unique": true}"#,
                rows: #"{"object": "T__c", "deleted": true, "values": {"F__c": "a"}}, "# + Self.row("\"a\"")),
            Self.object(
                #"{"type": "string", "length": 9, "unique": true, "caseSensitive": true}"#,
                rows: Self.row("\"a\"") + ", " + Self.row("\"A\"")),
            Self.object(#"{"type": "picklist", "picklist": ["a"]}"#, rows: Self.row("\"other\"")),
            Self.object(#"{"type": "combobox"}"#), Self.object(#"{"type": "double", "precision": 5, "scale": 5}"#),
            #"{"objects": {"Foo": {"whole": true, "fields": {"Kind": {"type": "picklist"}}}}}"#,
            #"{"objects": {"Bar": {"custom": false}}}"#, #"{"users": [{"key": "a"}, {"key": "b"}]}"#,
        ] {
            #expect(Self.problems(seed) == [], "\(seed)")
        }
    }
}
