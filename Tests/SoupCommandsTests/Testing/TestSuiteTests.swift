// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools && Server

import Foundation
import SoupKit
import Testing

@testable import SoupCommands

@Suite struct TestSuiteTests {
    private static let rows =
        #""org": {"rows": {"Contact": [{"Id": "@ana", "LastName": "Ng", "Title": "A"}, {"Id": "@bo", "LastName": "Berg"}]}}"#

    /// Writes a test beside the configuration of ``WorkFolder``, and returns the lines of its differences.
    private static func differences(
        _ test: String, files: [String: String] = [:], syncs: String = WorkFolder.syncs
    ) async throws -> [String] {
        let folder = try WorkFolder(
            ["userstore.json": WorkFolder.store, "usersyncs.json": syncs, "a.test.json": test].merging(files) { $1 })
        let before = try folder.files
        let suite = try TestSuite(at: folder.url, scope: .user, registry: .standard)
        let found = try await suite.run(try #require(suite.tests.first))
        #expect(try folder.files == before)
        return found.map { $0.text.replacing(folder.path + "/", with: "") }
    }

    @Test func `A whole story passes`() async throws {
        let found = try await Self.differences(
            #"""
            {\#(Self.rows), "steps": [
               {"sync": "down", "saved": 2, "unchanged": 0},
               {"sync": "down", "saved": 0},
               {"edit": "contacts", "where": {"Id": "@ana"}, "fields": {"Title": "B"}},
               {"delete": "contacts", "where": {"LastName": "Berg"}},
               {"create": "contacts", "fields": {"Id": "@new", "LastName": "Dahl"}},
               {"expect": {"store": {"contacts": [
                 {"Id": "@ana", "Title": "B", "__locally_updated__": true},
                 {"Id": "@bo", "__locally_deleted__": true},
                 {"Id": "@new", "__locally_created__": true, "attributes": {"type": "Contact"}}]},
                "org": {"Contact": [{"Id": "@ana", "Title": "A"}, {"Id": "@bo", "Title": null}]}}},
               {"sync": "up", "created": 1, "updated": 1, "deleted": 1},
               {"org": {"create": {"Contact": [{"Id": "@eve", "LastName": "Lund"}]}, "update": {"Contact": [{"Id": "@new", "Title": "C"}]},
                 "delete": {"Contact": ["@ana"]}}},
               {"sync": "down", "saved": 2},
               {"cleanGhosts": "down", "removed": 1}],
             "expect": {
               "store": {"contacts": [
                 {"Id": "@eve", "LastName": "Lund", "__local__": false},
                 {"Id": "@new", "LastName": "Dahl", "Title": "C", "__local__": false}], "notes": []},
               "org": {"Contact": [
                 {"Id": "@new", "LastName": "Dahl", "Title": "C", "CreatedDate": "2024-01-15T12:12:00.000+0000"},
                 {"Id": "@eve", "CreatedById": "@other", "LastModifiedDate": "$any"}]}}}
            """#)
        #expect(found == [])
    }

    @Test func `Every kind of difference is reported`() async throws {
        let found = try await Self.differences(
            #"""
            {\#(Self.rows), "steps": [
               {"sync": "down"},
               {"expect": {"store": {"contacts": [{"Id": "@ana", "Title": "Z"}, {"Id": "@bo"}]}}},
               {"edit": "contacts", "where": {"Id": "@ana"}, "fields": {"Title": "B"}}],
             "expect": {
               "store": {"contacts": [{"Id": "@ana", "Titel": "B"}, {"LastName": "Dahl"}]},
               "org": {"Contact": [{"Id": "@ana", "Title": "B"}, {"Id": "@bo"}]}}}
            """#)
        #expect(
            found == [
                #"a.test.json:3: step 2: soup "contacts": @ana: Title: expected "Z", found "A""#,
                #"a.test.json:6: soup "contacts": @ana: Titel: expected "B", found no such field"#
                    + "\n  Did you mean \"Title\"?",
                #"a.test.json:6: soup "contacts": missing record {"LastName":"Dahl"}"#,
                #"a.test.json:6: soup "contacts": @bo: unexpected record {"LastName":"Berg"}"#,
                #"a.test.json:7: org Contact: @ana: Title: expected "B", found "A""#,
            ])
    }

    @Test func `The first step that fails ends the test`() async throws {
        let found = try await Self.differences(
            #"""
            {\#(Self.rows), "steps": [
               {"sync": "down", "saved": 1},
               {"edit": "contacts", "where": {"LastName": "None"}, "fields": {}}],
             "expect": {"store": {"contacts": []}}}
            """#)
        #expect(found == [#"a.test.json:2: step 1: sync "down": saved: expected 1, found 2"#])
    }

    @Test(arguments: [
        (#"{"edit": "contacts", "where": {"LastName": "None"}, "fields": {}}"#, "no entry of soup \"contacts\" match"),
        (#"{"delete": "contacts", "where": {}}"#, "2 entries of soup \"contacts\" match {}"),
        (#"{"edit": "contacts", "where": {"Id": "@ana"}, "fields": {"Id": "x"}}"#, "\"Id\" is the ID of the record"),
        (#"{"org": {"create": {"Contact": [{"Title": "x"}]}}}"#, "REQUIRED_FIELD_MISSING"),
        (#"{"cleanGhosts": "up"}"#, "expected success, found notASyncDown"),
        (#"{"cleanGhosts": "down", "removed": 1}"#, "removed: expected 1, found 0"),
        (#"{"sync": "down", "error": "server"}"#, "expected the error server, but the run succeeded"),
    ])
    func `A step that cannot be done fails the test`(step: String, expected: String) async throws {
        let found = try await Self.differences(#"{\#(Self.rows), "steps": [{"sync": "down"},\#n\#(step)]}"#)
        #expect(found.count == 1)
        #expect(found[0].hasPrefix("a.test.json:2: step 2: ") && found[0].contains(expected), "\(found)")
    }

    @Test func `A conflict and a rejected record can be expected`() async throws {
        let test = #"""
            {\#(Self.rows), "steps": [
               {"sync": "down"},
               {"edit": "contacts", "where": {"Id": "@ana"}, "fields": {"Title": "B"}},
               {"edit": "contacts", "where": {"Id": "@bo"}, "fields": {"LastName": null}},
               {"org": {"update": {"Contact": [{"Id": "@ana", "Title": "C"}]}}},
               {"sync": "up", "skipped": 1COUNT}]}
            """#
        #expect(try await Self.differences(test.replacing("COUNT", with: #", "failed": 1"#)) == [])
        let found = try await Self.differences(test.replacing("COUNT", with: ""))
        #expect(found.count == 1)
        #expect(
            found[0].hasPrefix(
                "a.test.json:6: step 5: sync \"up\": failed: expected 0, found 1\n  update of contacts 2"))
        #expect(found[0].contains("REQUIRED_FIELD_MISSING"))
    }

    @Test func `Runs are equal in time and IDs`() async throws {
        let test = #"""
            {\#(Self.rows), "steps": [{"sync": "down"}, {"create": "contacts", "fields": {"LastName": "Dahl"}}],
             "expect": {"store": {"contacts": []}, "org": {"Contact": [{"LastModifiedDate": "x", "LastName": "Ng"}]}}}
            """#
        let first = try await Self.differences(test)
        #expect(try await Self.differences(test) == first)
        #expect(first.contains { $0.contains("local_1: unexpected record") })
        #expect(first.contains { $0.contains(#"expected "x", found "2024-01-15T12:00:00.000+0000""#) })
    }

    // MARK: Seeds

    @Test func `A seed describes objects of the app`() async throws {
        let seed = #"{"objects": {"Book__c": {"fields": {"Title__c": {"type": "string", "length": 9}}}}}"#
        let syncs = #"""
            {"syncs": [{"syncName": "down", "syncType": "syncDown", "soupName": "notes",
              "target": {"type": "soql", "query": "SELECT Title__c FROM Book__c"}, "options": {"mergeMode": "OVERWRITE"}}]}
            """#
        let test = #"""
            {"org": {"seed": SEED, "rows": {"Book__c": [{"Title__c": "Atlas"}]}},
             "steps": [{"expect": {"org": {"Book__c": [{"Title__c": "Atlas"}]}}}]}
            """#
        let inline = test.replacing("SEED", with: seed)
        #expect(try await Self.differences(inline, syncs: syncs) == [])
        let file = test.replacing("SEED", with: #""books.json""#)
        #expect(try await Self.differences(file, files: ["books.json": seed], syncs: syncs) == [])
    }

    @Test func `Built-in seeds have rows with names`() async throws {
        let tiny = #"""
            {"org": {"seed": "tiny", "rows": {"Contact": [{"LastName": "New", "AccountId": "@acc1"}]}},
             "steps": [{"sync": "down", "saved": 4}],
             "expect": {"org": {"Contact": [{"Id": "@con1", "AccountId": "@acc1"}, {"LastName": "Smith"}, {"LastName": "Orphan"},
               {"LastName": "New", "AccountId": "@acc1"}]}}}
            """#
        #expect(try await Self.differences(tiny) == [])
        let medium = #"{"org": {"seed": "medium"}, "steps": [{"sync": "down", "saved": 1000}]}"#
        #expect(try await Self.differences(medium) == [])
    }

    /// One faulty org each, with the expected place and a part of the expected problem.
    @Test(arguments: [
        (#""rows": {"Contact": [{"LastNme": "Ng"}]}"#, "a.test.json:1: ", "LastName"),
        (#""rows": {"Book__c": [{}]}"#, "a.test.json:1: ", "Describe own objects"),
        (#""rows": {"Contacts": []}"#, "a.test.json:1: ", #"Did you mean "Contact"?"#),
        (#""rows": {"Contact": [{"Id": "@a"}, {"Id": "@a"}]}"#, "a.test.json:1: ", #"the name "@a" is already used"#),
        (#""rows": {"Contact": [{"AccountId": "@acme"}]}"#, "a.test.json:1: ", #"no record has the name "@acme""#),
        (#""seed": "none.json""#, "a.test.json:1: ", #""none.json" is neither a built-in seed nor a file"#),
        (#""seed": "medium", "rows": {"Contact": [{}]}"#, "a.test.json:1: ", "rows cannot be added to the seed"),
        (#""seed": "large x""#, "a.test.json: ", "large"),
        (#""seed": {"objetcs": {}}"#, "a.test.json:1: ", "objetcs"),
        (#""seed": "bad.json""#, "bad.json:2: ", "objetcs"),
    ])
    func `A faulty org is reported with its place`(org: String, place: String, part: String) async throws {
        let test = #"{"org": {\#(org)}, "steps": [{"sync": "down"}]}"#
        let found = try await Self.differences(test, files: ["bad.json": "{\n\"objetcs\": {}}"])
        let first = try #require(found.first)
        #expect(first.hasPrefix(place) && first.contains(part), "\(found)")
    }

    // MARK: Files

    @Test func `A sync with another server is not run`() async throws {
        let syncs = #"""
            {"syncs": [{"syncName": "down", "syncType": "syncDown", "soupName": "notes",
              "target": {"type": "http", "connection": "kinto", "path": "/notes", "records": "data", "id": "id"},
              "options": {"mergeMode": "OVERWRITE"}}]}
            """#
        let org = #"{"connections": {"kinto": {"url": "https://kinto.example"}}}"#
        let found = try await Self.differences(
            #"{"steps": [{"sync": "down"}]}"#, files: ["org.json": org], syncs: syncs)
        #expect(
            found == [
                #"a.test.json:1: step 1: the sync "down" uses the connection "kinto", and a test has only a local org"#
                    + "\n  Remove the step. Tests can run the syncs of an org; they contact no server."
            ])
    }

    @Test(arguments: [#""type": "http""#, #""swiftImpl": "http""#])
    func `A sync with the URL of a server is not run`(name: String) async throws {
        let syncs = #"""
            {"syncs": [{"syncName": "down", "syncType": "syncDown", "soupName": "notes",
              "target": {NAME, "url": "https://kinto.example/notes", "records": "data", "id": "id"},
              "options": {"mergeMode": "OVERWRITE"}}]}
            """#
        let found = try await Self.differences(
            #"{"steps": [{"sync": "down"}]}"#, files: [:], syncs: syncs.replacing("NAME", with: name))
        #expect(found.count == 1 && found[0].contains("uses a server that is no org"), "\(found)")
    }

    @Test func `The org file is not used`() async throws {
        let test = #"{\#(Self.rows), "steps": [{"sync": "down", "saved": 2}]}"#
        let org = #"{"instanceUrl": "https://org.example", "accessToken": "secret", "apiVersion": "1.0", "typo": {}}"#
        #expect(try await Self.differences(test, files: ["org.json": org]) == [])
    }

    @Test func `Tests are read from two folders in order`() throws {
        let folder = try WorkFolder([
            "userstore.json": WorkFolder.store, "usersyncs.json": WorkFolder.syncs,
            "b.test.json": #"{"steps": [{"sync": "down"}]}"#, "c.json": "no test",
        ])
        try FileManager.default.createDirectory(
            at: folder.url.appending(path: "tests"), withIntermediateDirectories: true)
        try folder.write(#"{"name": "first", "steps": [{"sync": "up"}]}"#, to: "tests/a.test.json")
        let suite = try TestSuite(at: folder.url, scope: .user, registry: .standard)
        #expect(suite.tests.map(\.name) == ["b", "first"])
    }

    @Test func `A file that cannot be read does not hide the others`() throws {
        let folder = try WorkFolder([
            "userstore.json": WorkFolder.store, "usersyncs.json": WorkFolder.syncs,
            "a.test.json": #"{"name": "a", "steps": [{"sync": "up"}]}"#, "b.test.json": #"{"nam": "b"}"#,
        ])
        let suite = try TestSuite(at: folder.url, scope: .user, registry: .standard)
        #expect(suite.tests.map(\.name) == ["a"])
        #expect(suite.unreadable.map(\.file) == ["\(folder.path)/b.test.json"], "\(suite.unreadable)")
    }

    /// CI has no `org.json`, which contains secrets.
    @Test func `A connection need not be defined`() throws {
        let syncs = #"""
            {"syncs": [{"syncName": "down", "syncType": "syncDown", "soupName": "contacts",
              "target": {"type": "http", "connection": "crm", "path": "/items", "records": "items", "id": "Id"},
              "options": {"mergeMode": "OVERWRITE"}}]}
            """#
        let folder = try WorkFolder([
            "userstore.json": WorkFolder.store, "usersyncs.json": syncs, "a.test.json": #"{"name": "a", "steps": []}"#,
        ])
        #expect(throws: Never.self) { try TestSuite(at: folder.url, scope: .user, registry: .standard) }
    }

    @Test func `A folder without tests is an error`() throws {
        let folder = try WorkFolder(["userstore.json": WorkFolder.store])
        let error = #expect(throws: SoupError.self) {
            try TestSuite(at: folder.url, scope: .user, registry: .standard)
        }
        #expect(error?.message.contains("contains no tests") ?? false)
        #expect(error?.hint?.contains("tests/first.test.json") ?? false)
    }

    @Test func `A faulty configuration is an error`() throws {
        let folder = try WorkFolder(["userstore.json": "{}", "a.test.json": "{}"])
        let error = #expect(throws: ConfigurationError.self) {
            try TestSuite(at: folder.url, scope: .user, registry: .standard)
        }
        #expect(error?.problems.first?.place.file == "userstore.json")
    }
}

#endif
