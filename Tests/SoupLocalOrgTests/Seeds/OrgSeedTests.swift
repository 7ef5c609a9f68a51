// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import SoupCore
import Testing

@testable import SoupLocalOrg

/// The effects of seed files, and the messages for invalid ones.
@Suite struct OrgSeedTests {
    private func problems(_ text: String) throws -> [String] {
        let error = #expect(throws: ConfigurationError.self) { try OrgSeed(json: Array(text.utf8), file: "org.json") }
        return try #require(error).problems.map(\.description)
    }

    @Test func `A seed removes standard fields and objects`() async throws {
        let seed = try OrgSeed(
            json: Array(
                #"{"objects": {"Account": {"fields": {"Fax": null}}, "Note": null, "Case": {"label": "Fall"}}}"#.utf8))
        let other = try OrgClient(seed)
        #expect(other.code(try await other.query("select Fax from Account")) == "INVALID_FIELD")
        #expect(other.code(try await other.query("select Id from Note")) == "INVALID_TYPE")
        #expect(throws: ConfigurationError.self) { try OrgSeed(json: Array(#"{"objects": {"User": null}}"#.utf8)) }
        #expect(throws: ConfigurationError.self) { try OrgSeed(json: Array(#"{"objects": {"X__c": null}}"#.utf8)) }
        #expect(throws: ConfigurationError.self) {
            try OrgSeed(json: Array(#"{"objects": {"Account": {"fields": {"Id": null}}}}"#.utf8))
        }
    }

    @Test(
        arguments: [
            (
                #"{"Contact": [{"LastName": "Ng"}]}"#,
                #"org.json:1:13: Contact: the key "Contact" is not known. Write rows in "seed": [{"object": "Account", "values": {"Name": "Acme"}}]."#
            ),
            (
                #"{"records": []}"#,
                #"org.json:1:13: records: the key "records" is not known. Write rows in "seed": [{"object": "Account", "values": {"Name": "Acme"}}]."#
            ),
            (#"{"sede": 1}"#, #"org.json:1:10: sede: the key "sede" is not known. Did you mean "seed"?"#),
            (#"{"seed": {}}"#, "org.json:1:10: seed: expected an array, found an object. Write an array here."),
            ("[]", "org.json:1:1: expected an object, found an array. Write an object here."),
            (
                #"{"seed": [{"object": "Account", "values": "x"}]}"#,
                #"org.json:1:43: seed[0].values: expected an object, found the string "x". Write an object here."#
            ),
            (
                #"{"seed": [{"values": {}}]}"#,
                #"org.json:1:11: seed[0].object: "object" is missing. Add "object" with a string."#
            ),
            (
                #"{"objects": {"A__c": {"validationRules": [{"when": "Name = 'a' AND Name = 'b' OR Name = 'c'"}]}}}"#,
                #"org.json:1:52: objects.A__c.validationRules[0].when: the condition cannot be read: unexpected token: 'OR'. Write it like Version__c <= OLD.Version__c."#
            ),
            (
                #"{"objects": {"A__c": {"validationRules": [{"when": "Nope__c = 1"}]}}}"#,
                #"org.json:1:52: objects.A__c.validationRules[0].when: the condition cannot be asked: No such column 'Nope__c' on entity 'A__c'. If you are attempting to use a custom field, be sure to append the '__c' after the custom field name. Please reference your WSDL or the describe call for the appropriate names. Write it like Version__c <= OLD.Version__c."#
            ),
            (
                #"{"objects": {"A__c": {"validationRules": [{"when": "Name = 'a'", "field": "Nam"}]}}}"#,
                #"org.json:1:75: objects.A__c.validationRules[0].field: A__c has no field "Nam". Did you mean "Name"?"#
            ),
            (
                #"{"seed": [{"object": "Acount"}]}"#,
                #"org.json:1:22: seed[0].object: there is no object "Acount". Did you mean "Account"?"#
            ),
            (
                #"{"seed": [{"object": "Account", "modified": "yesterday"}]}"#,
                #"org.json:1:45: seed[0].modified: "yesterday" is not a datetime. Write it like 2024-01-15T12:00:00Z."#
            ),
            (
                #"{"seed": [{"object": "Contact", "values": {"AccountId": "@nokey"}}]}"#,
                #"org.json:1:57: seed[0].values.AccountId: no row has the key "nokey". Give the row this "key"."#
            ),
            (
                #"{"seed": [{"object": "Contact", "values": {"AccountId": "Acme"}}]}"#,
                #"org.json:1:57: seed[0].values.AccountId: "Acme" is neither an id nor "@" with a key. Give the row a "key", and write "@" and that key."#
            ),
            (
                #"{"seed": [{"object": "Contact", "values": {"AccountId": "@me"}}]}"#,
                #"org.json:1:57: seed[0].values.AccountId: "@me" is a User, and Contact.AccountId refers to Account. Refer to a row of that object."#
            ),
            (
                #"{"seed": [{"object": "Contact", "values": {"LastNam": "Ng"}}]}"#,
                #"org.json:1:55: seed[0].values.LastNam: Contact has no field "LastNam". Did you mean "LastName"?"#
            ),
            (
                #"{"seed": [{"object": "Contact", "values": {"LastModifiedDate": "2024-01-15T12:00:00Z"}}]}"#,
                #"org.json:1:64: seed[0].values.LastModifiedDate: Contact.LastModifiedDate is filled by the org. Set "modified" on the row."#
            ),
            (
                #"{"seed": [{"object": "Account", "values": {"NumberOfEmployees": "many"}}]}"#,
                #"org.json:1:65: seed[0].values.NumberOfEmployees: "many" is not a value for Account.NumberOfEmployees. Write a whole number."#
            ),
            (
                #"{"seed": [{"object": "Account", "key": "other"}]}"#,
                #"org.json:1:40: seed[0].key: the key "other" is already the key of a User. Give one of the two another key."#
            ),
            (
                #"{"generate": [{"object": "Account", "count": 1000001}]}"#,
                "org.json:1:46: generate[0].count: 1000001 is not a number of rows that can be generated. Write a number from 0 to 1000000."
            ),
            (
                #"{"generate": [{"object": "Account", "count": 2, "values": {"Rating": {"pik": []}}}]}"#,
                #"org.json:1:70: generate[0].values.Rating: this does not say how to make a value. Write {"int": [low, high]}, {"pick": [values]}, or a value in which {n} counts."#
            ),
            (
                #"{"objects": {"X__c": {"fields": {"F__c": {"type": "strin"}}}}}"#,
                #"org.json:1:51: objects.X__c.fields.F__c.type: there is no field type "strin". Known: id, reference, string, phone, url, email, textarea, combobox, encryptedstring, picklist, multipicklist, boolean, int, double, currency, percent, date, datetime, time, address, location, base64, autonumber, lookup, masterdetail, text. Did you mean "string"?"#
            ),
            (
                #"{"objects": {"X__c": {"fields": {"F__c": {"type": "reference", "referenceTo": ["Acount"]}}}}}"#,
                #"org.json:1:80: objects.X__c.fields.F__c.referenceTo[0]: there is no object "Acount". Did you mean "Account"?"#
            ),
            (
                #"{"objects": {"X\"; drop": {}}}"#,
                #"org.json:1:27: objects.X"; drop: "X"; drop" cannot be the name of an object. Use letters, digits and _."#
            ),
            (
                #"{"objects": {"X__c": {"keyPrefix": "001"}}}"#,
                #"org.json:1:36: objects.X__c.keyPrefix: Account already has the key prefix "001". Take another one, or none."#
            ),
            (
                #"{"seed": [], "seed": [{"object": "Account"}]}"#,
                "org.json:1:14: seed: the key occurs twice in its object with different values; the first one is in line 1. Remove one of the two."
            ),
        ] as [(String, String)])
    func `A wrong file is reported with position and hint`(_ text: String, _ expected: String) throws {
        let found = try problems(text)
        #expect(found == [expected])
    }

    @Test func `All problems are reported at once`() throws {
        let found = try problems(
            """
            {
              "freeze": "now", "apiVersions": ["sixty"], "org": {"id": "x"},
              "objects": {"X__c": {"flags": {"queryabel": true}, "fields": {"A__c": {"length": "long"}},
                "validationRules": [{"when": "A__c = = 1"}]}},
              "seed": [
                {"object": "Account", "values": {"Nme": "Acme", "ParentId": "@b"}, "colour": "red"},
                {"object": "Case", "modified": 5}
              ]
            }
            """)
        #expect(
            found.map { $0.split(separator: ": ", maxSplits: 2).prefix(2).joined(separator: " ") } == [
                "org.json:2:13 freeze", "org.json:2:36 apiVersions[0]", "org.json:2:60 org.id",
                "org.json:3:47 objects.X__c.flags.queryabel", "org.json:3:84 objects.X__c.fields.A__c.length",
                "org.json:4:34 objects.X__c.validationRules[0].when", "org.json:6:45 seed[0].values.Nme",
                "org.json:6:65 seed[0].values.ParentId", "org.json:6:82 seed[0].colour",
                "org.json:7:36 seed[1].modified",
            ])
    }

    @Test func `A negative scale is reported also with rows`() throws {
        let seed = #"""
            {"objects": {"P__c": {"fields": {"Price__c": {"type": "currency", "scale": -2}}}},
             "seed": [{"object": "P__c", "values": {"Price__c": 1}}]}
            """#
        let reported = try problems(seed)
        #expect(reported.count == 1 && reported.first?.contains("scale") == true, "\(reported)")
    }

    @Test func `A text that is not JSON is reported`() throws {
        let error = #expect(throws: SoupError.self) {
            try OrgSeed(json: Array("{\"seed\": [,]}".utf8), file: "org.json")
        }
        #expect(error?.code == .json)
        #expect(error?.place == SoupError.Place(file: "org.json", line: 1, column: 11))
        let nameless = #expect(throws: SoupError.self) { try OrgSeed(json: []) }
        #expect(
            nameless?.description == "line 1, column 1: the file is empty. Write a JSON object, or remove the file.")
    }

    @Test func `An anonymous document has no file`() throws {
        let error = #expect(throws: ConfigurationError.self) { try OrgSeed(json: Array(#"{"x": 1}"#.utf8)) }
        #expect(error?.problems.map(\.place) == [SoupError.Place(line: 1, column: 7, path: "x")])
    }

    @Test func `An empty document is an org without rows`() throws {
        let org = try LocalOrg(seed: OrgSeed(json: Array("{}".utf8)))
        #expect(try org.state(of: "Account").isEmpty)
        #expect(org.id(of: "me") != nil && org.id(of: "other") != nil)
    }

    @Test func `Texts that begin with an at sign stay`() throws {
        let org = try LocalOrg(
            seed: OrgSeed(json: Array(#"{"seed": [{"object": "Account", "values": {"Name": "@acme"}}]}"#.utf8)))
        #expect(try org.state(of: "Account").map { $0["Name"] } == ["@acme"])
    }

    @Test(
        arguments: [
            ("large -5", "-5"), ("large 1000001", "1000001"), ("large 99999999999999999999", "99999999999999999999"),
            ("large many", "many"), ("large:1e3", "1e3"), ("large", ""), ("large 5 6", "5 6"),
        ])
    func `Invalid numbers of rows are rejected`(_ name: String, _ number: String) throws {
        let seed = try #require(OrgSeed(named: name))
        let error = #expect(throws: SoupError.self) { try LocalOrg(seed: seed) }
        let why = number.isEmpty ? "" : ", not \"\(number)\""
        #expect(error?.message == "the seed large needs a number of accounts\(why)")
        #expect(error?.hint == "Write a number from 0 to 1000000, such as \"large 100000\".")
    }

    @Test func `Other names are not seeds`() {
        #expect(OrgSeed(named: "larger 5") == nil && OrgSeed(named: "huge") == nil && OrgSeed(named: "") == nil)
    }

    @Test func `The built in seeds keep the rules`() throws {
        #expect(OrgDefinition.problems(of: try SeedDocuments.demoDocument()) == [])
        #expect(OrgDefinition.problems(of: try SeedDocuments.tinyDocument()) == [])
    }

    @Test func `Every key of the format is accepted`() throws {
        let text = #"""
            {"apiVersions": ["58.0", "60.0"], "stamp": "2024-01-15T12:00:00Z",
             "org": {"id": "00D000000000001EAA", "name": "N", "type": "T", "isSandbox": true, "instanceName": "EMU1"},
             "users": [{"key": "me", "username": "a@b.c", "password": "p", "name": "A B", "profile": "P", "email": "a@b.c"}],
             "clients": [{"id": "c", "secret": "s", "grants": ["password"]}],
             "objects": {"V__c": {"label": "V", "labelPlural": "Vs", "keyPrefix": "b00", "custom": true, "nameField": "Name",
               "owner": true, "flags": {"createable": true, "mruEnabled": false},
               "recordTypes": [{"developerName": "R", "name": "R", "default": true}],
               "fields": {"Name": {"type": "autonumber", "format": "V-{0}"},
                 "A__c": {"type": "reference", "referenceTo": ["Account", "V__c"], "relationshipName": "A__r",
                   "childRelationshipName": "Vs__r", "onDelete": "restrict"},
                 "S__c": {"type": "text", "length": 9, "caseSensitive": true, "idLookup": true, "readOnly": false},
                 "D__c": {"type": "double", "precision": 9, "scale": 2, "default": 1.5, "required": true}},
               "validationRules": [{"name": "n", "when": "D__c <= OLD.D__c", "on": "update", "message": "m",
                 "field": "D__c"}]}},
             "briefcase": [{"id": "r1"}],
             "seed": [{"object": "v__c", "values": {"a__c": "@me2", "D__c": 2}}, {"object": "Account", "key": "me2"}],
             "generate": [{"object": "V__c", "count": 2, "seed": 7,
               "values": {"S__c": {"pick": ["a", "b"]}, "D__c": {"int": [1, 3]}, "A__c": "@me2"}}]}
            """#
        let org = try LocalOrg(seed: OrgSeed(json: Array(text.utf8)))
        #expect(try org.state(of: "V__c").count == 3)
    }

    @Test func `A generated key without a row is reported at creation`() throws {
        let text = #"{"generate": [{"object": "Contact", "count": 1, "values": {"AccountId": "@a{n}"}}]}"#
        let seed = try OrgSeed(json: Array(text.utf8))
        let error = #expect(throws: SoupError.self) { try LocalOrg(seed: seed) }
        #expect(error?.message == "a seed row refers to \"@a1\", and no row has that key")
        #expect(error?.place == SoupError.Place(path: "generate[0]"))
    }

    @Test func `The example of the article is an org`() async throws {
        let text = try article("Seeds-and-schemas")
        let examples = text.components(separatedBy: "```json\n").dropFirst()
            .compactMap { $0.components(separatedBy: "\n```").first }
        let example = try #require(examples.first { $0.contains("\"objects\"") })
        let client = try OrgClient(try OrgSeed(json: Array(example.utf8), file: "Seeds-and-schemas.md"))
        let state = try client.state([
            ("Account", ["Name"]), ("Shelf__c", ["Name", "Code__c"]), ("Book__c", ["Title__c", "Pages__c"]),
        ])
        #expect(
            state == """
                Account Nordic Books
                [Account Closed Ltd]
                Shelf__c S-001 A
                Shelf__c S-002 G-1
                Shelf__c S-003 G-2
                Book__c Atlas 320
                """)
        let found = try await client.query("SELECT Title__c FROM Book__c WHERE Shelf__r.Owner__r.Name = 'Nordic Books'")
        #expect(found.totalSize == 1)
        #expect(client.org.now.millisecondsSince1970 == DateText.milliseconds("2030-02-03T09:00:00Z"))
    }
}
