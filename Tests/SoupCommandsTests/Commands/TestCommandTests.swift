// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools && Server

import Foundation
import SoupCore
import Testing

/// Tests `soup test`.
@Suite struct TestCommandTests {
    private static let rows = #""org": {"rows": {"Contact": [{"Id": "@ana", "LastName": "Ng"}]}}"#
    private static let passing = #"{\#(rows), "steps": [{"sync": "down", "saved": 1}]}"#
    private static let failing =
        #"{\#(rows), "steps": [{"sync": "down"}],\#n"expect": {"store": {"contacts": [{"Id": "@ana", "LastName": "Lund"}]}}}"#

    private static func folder(_ tests: [String: String]) throws -> WorkFolder {
        try WorkFolder(
            ["userstore.json": WorkFolder.store, "usersyncs.json": WorkFolder.syncs].merging(tests) { $1 })
    }

    @Test func `Passed tests are listed and counted`() async throws {
        let folder = try Self.folder(["a.test.json": Self.passing, "b.test.json": Self.passing])
        let run = try await SoupTool.run("test", folder.path)
        #expect(run.output == ["ok      a", "ok      b", "2 passed, 0 failed"])
        #expect(run.errors == [])
        #expect(run.status == 0)
        #expect(try folder.files == ["a.test.json", "b.test.json", "userstore.json", "usersyncs.json"])
    }

    @Test func `A failed test prints its differences`() async throws {
        let folder = try Self.folder(["a.test.json": Self.failing, "b.test.json": Self.passing])
        let run = try await SoupTool.run("test", "--config", folder.path)
        #expect(
            run.output == [
                "FAILED  a",
                #"  \#(folder.path)/a.test.json:2: soup "contacts": @ana: LastName: expected "Lund", found "Ng""#,
                "ok      b", "1 passed, 1 failed",
            ])
        #expect(run.status == 1)
    }

    #if Encryption
    @Test(arguments: ["keychain", "passphrase"])
    func `An encrypted store needs no key in a test`(_ key: String) async throws {
        let store = WorkFolder.store.dropFirst()
        let folder = try Self.folder([
            "userstore.json": #"{"backend": {"type": "sqlite", "encryption": {"key": "\#(key)"}}, \#(store)"#,
            "a.test.json": Self.passing,
        ])
        let run = try await SoupTool.run("test", folder.path)
        #expect(run.output == ["ok      a", "1 passed, 0 failed"])
        #expect(run.status == 0 && run.errors == [])
    }
    #endif

    @Test func `Results are JSON for scripts`() async throws {
        let folder = try Self.folder(["a.test.json": Self.failing, "b.test.json": Self.passing])
        let run = try await SoupTool.run("test", folder.path, "--json")
        #expect(
            try run.json == [
                [
                    "event": "test", "name": "a", "file": .string(folder.path + "/a.test.json"), "result": "failed",
                    "differences": [
                        [
                            "kind": "field", "message": #"LastName: expected "Lund", found "Ng""#,
                            "file": .string(folder.path + "/a.test.json"), "line": 2,
                            "path": "expect.store.contacts[0].LastName", "subject": #"soup "contacts""#,
                            "record": "@ana", "field": "LastName", "expected": #""Lund""#, "found": #""Ng""#,
                        ]
                    ],
                ],
                [
                    "event": "test", "name": "b", "file": .string(folder.path + "/b.test.json"), "result": "passed",
                    "differences": [],
                ],
                ["passed": 1, "failed": 1],
            ])
        #expect(run.status == 1)
    }

    @Test func `The name of a test is printed on one line`() async throws {
        let test = Self.passing.replacing(#""steps""#, with: #""name": "a\nok      b", "steps""#)
        let folder = try Self.folder(["a.test.json": test])
        let run = try await SoupTool.run("test", folder.path)
        #expect(run.output == ["ok      a ok      b", "1 passed, 0 failed"], "\(run)")
    }

    @Test func `A file that cannot be read is a failed test`() async throws {
        let folder = try Self.folder(["a.test.json": #"{"stepps": []}"#, "b.test.json": Self.passing])
        let run = try await SoupTool.run("test", folder.path)
        #expect(
            run.output == [
                "ok      b", "FAILED  \(folder.path)/a.test.json",
                "  \(folder.path)/a.test.json:1: the key \"stepps\" is not known",
                "      Known: name, org, steps, expect. Did you mean \"steps\"?", "1 passed, 1 failed",
            ], "\(run.output)")
        #expect(run.errors == [] && run.status == 1)
    }

    @Test func `A folder without tests is an error`() async throws {
        let folder = try Self.folder([:])
        let run = try await SoupTool.run("test", folder.path, "--json")
        #expect(run.output == [])
        #expect(try run.jsonErrors.map { $0["code"] } == ["badConfiguration"])
        #expect(run.status == 1)
    }

    @Test(arguments: [["test", "a", "--config", "b"], ["test", "--store", "a"], ["test", "a", "b"]])
    func `Arguments that do not fit together are refused`(arguments: [String]) async throws {
        #expect(try await SoupTool.run(arguments).status == 2)
    }

    @Test func `The global configuration can be tested`() async throws {
        let folder = try WorkFolder([
            "globalstore.json": WorkFolder.store, "globalsyncs.json": WorkFolder.syncs, "a.test.json": Self.passing,
        ])
        #expect(try await SoupTool.run("test", folder.path, "--global").status == 0)
    }
}

#endif
