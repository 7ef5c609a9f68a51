// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools && Server

import Foundation
import SoupCore
import SoupKit
import Testing

/// Tests the commands that work without a server.
@Suite struct StoreCommandTests {
    let folder: WorkFolder

    init() throws { folder = try WorkFolder(["userstore.json": WorkFolder.store, "usersyncs.json": WorkFolder.syncs]) }

    func soup(_ arguments: String..., input: String = "") async throws -> FinishedSoup {
        try await SoupTool.run(arguments + ["--config", folder.path, "--json"], input: input)
    }

    @Test func `The soups of the syncs are listed with their purpose`() async throws {
        let folder = try WorkFolder(["userstore.json": WorkFolder.store, "usersyncs.json": WorkFolder.syncs])
        #expect(try await SoupTool.run("status", "--config", folder.path).status == 0)
        let soups = try await SoupTool.run("soups", "--config", folder.path, "--json").json
        #expect(
            soups.map { [$0["soupName"], $0["purpose"]] }
                == [["contacts", nil], ["notes", nil], ["syncs_soup", "the syncs and their states"]])
        for name in SoupName.reserved { #expect(name.purpose?.isEmpty == false) }
        let table = try await SoupTool.run("soups", "--config", folder.path).output
        #expect(table[0].hasSuffix("maintained by the syncs"))
        #expect(
            table.last?.hasPrefix("syncs_soup") == true && table.last?.hasSuffix("the syncs and their states") == true)
        #expect(table[2].split(separator: " ").count == 4, "the column is empty for a soup of the app")
    }

    @Test func `Entries are written and read`() async throws {
        let one = try await soup("upsert", "notes", input: #"{"key": "a", "n": 1}"#)
        #expect(one.status == 0)
        #expect(try one.json.map { [$0["key"], $0["n"], $0["_soupEntryId"]] } == [["a", 1, 1]])
        let two = try await soup("upsert", "notes", input: #"[{"key": "b"}, {"key": "c", "deep": {"x": [1]}}]"#)
        #expect(try two.json.map { $0["_soupEntryId"] } == [2, 3])
        let lines = "{\"key\": \"a\", \"n\": 2}\n\n{\"key\": \"d\"}\n"
        let three = try await soup("upsert", "notes", "--external-id", "key", input: lines)
        #expect(try three.json.map { [$0["key"], $0["_soupEntryId"]] } == [["a", 1], ["d", 4]])

        let retrieved = try await soup("retrieve", "notes", "3", "1", "99")
        #expect(
            try retrieved.json.map { [$0["key"], $0["n"], $0["deep"]] } == [["a", 2, nil], ["c", nil, ["x": [1]]]])
        #expect(retrieved.status == 0)

        let rows = try await soup("query", "select {notes:key}, {notes:_soupEntryId} from {notes} order by 1 desc")
        #expect(rows.output == [#"["d",4]"#, #"["c",3]"#, #"["b",2]"#, #"["a",1]"#])
        let paged = try await soup("query", "select {notes:key} from {notes} order by 1", "--page-size", "3")
        #expect(paged.output.count == 4)
        let second = try await soup(
            "query", "select {notes:key} from {notes} order by 1", "--page-size", "3", "--page", "1")
        #expect(second.output == [#"["d"]"#])

        let deleted = try await soup("delete", "notes", "2", "99")
        #expect(
            deleted.output == [
                #"{"soup":"notes","entryId":2,"result":"removed"}"#,
                #"{"soup":"notes","entryId":99,"result":"absent"}"#,
            ])
        #expect(try await soup("retrieve", "notes", "2").output == [])
    }

    @Test func `Specs come from a file and from standard input`() async throws {
        _ = try await soup("upsert", "notes", input: #"[{"key": "a", "n": 1}, {"key": "b", "n": 2}]"#)
        let spec = #"{"queryType": "exact", "soupName": "notes", "indexPath": "key", "matchKey": "b"}"#
        let whole = try await soup("query", "--spec", "-", input: spec)
        #expect(try whole.json.map { [$0["key"], $0["n"], $0["_soupEntryId"]] } == [["b", 2, 2]])
        let file = folder.path + "/spec.json"
        try Data(
            #"{"queryType": "range", "selectPaths": ["n", "key"], "orderPath": "key", "order": "descending"}"#.utf8
        )
        .write(to: URL(filePath: file))
        let rows = try await soup("query", "--spec", file, "--soup", "notes")
        #expect(rows.output == [#"[2,"b"]"#, #"[1,"a"]"#])
        let bad = try await soup("query", "--spec", file, "--soup", "notes", input: "")
        #expect(bad.status == 0)
    }

    @Test func `Edits set the local flags`() async throws {
        let created = try await soup(
            "create", "contacts", "FirstName=Ana", "Age=7", "Vip=true", #"Phone="12""#, "Note=a=b", "attributes={}")
        let entry = try #require(try created.json.first)
        #expect(entry["FirstName"] == "Ana")
        #expect(entry["Age"] == 7)
        #expect(entry["Vip"] == true)
        #expect(entry["Phone"] == "12")
        #expect(entry["Note"] == "a=b")
        #expect(entry["attributes"] == ["type": "Contact"], "the type of the syncs of the soup")
        #expect(entry["Id"]?.stringValue?.hasPrefix("local_") == true)
        let flags = ["__local__", "__locally_created__", "__locally_updated__", "__locally_deleted__"]
        #expect(flags.map { entry[$0] } == [true, true, false, false])

        let edited = try await soup("edit", "contacts", "1", "FirstName=Bo", "Title=null")
        #expect(try edited.json.map { [$0["FirstName"], $0["Title"], $0["Age"]] } == [["Bo", .null, 7]])
        #expect(try edited.json.map { entry in flags.map { entry[$0] } } == [[true, true, true, false]])

        let deleted = try await soup("delete", "contacts", "1")
        #expect(deleted.output == [#"{"soup":"contacts","entryId":1,"result":"marked"}"#])
        let marked = try await soup("retrieve", "contacts", "1")
        #expect(try marked.json.map { $0["__locally_deleted__"] } == [true])
        let now = try await soup("delete", "contacts", "1", "--now")
        #expect(now.output == [#"{"soup":"contacts","entryId":1,"result":"removed"}"#])
    }

    @Test func `Soups are listed and described`() async throws {
        _ = try await soup("create", "contacts", "LastName=Ng")
        let listed = try await soup("soups")
        #expect(
            try listed.json.map { [$0["soupName"], $0["count"], $0["dirty"]] } == [
                ["contacts", 1, 1], ["notes", 0, 0],
            ])
        let described = try await soup("describe", "notes")
        #expect(
            described.output == [
                #"{"soupName":"notes","count":0,"dirty":0,"indexes":[{"path":"key","type":"string"}]}"#
            ])
        let unknown = try await soup("describe", "note")
        #expect(unknown.status == 1)
        #expect(try unknown.jsonErrors.map { $0["code"] } == ["soupNotFound"])
    }

    @Test func `The store is at the given path`() async throws {
        _ = try await soup("soups")
        let files = try folder.files.filter { !$0.hasSuffix("-wal") && !$0.hasSuffix("-shm") }
        #expect(files == ["userstore.db", "userstore.json", "usersyncs.json"])
        let elsewhere = try WorkFolder()
        let file = elsewhere.path + "/other.db"
        _ = try await soup("create", "contacts", "LastName=Ng", "--store", file)
        let alone = try await SoupTool.run("--store", file, "--config", elsewhere.path, "--json", "soups")
        #expect(try alone.json.map { [$0["soupName"], $0["count"]] } == [["contacts", 1], ["notes", 0]])
        let empty = try await soup("soups")
        #expect(try empty.json.map { $0["count"] } == [0, 0])
    }

    @Test func `The query plan is printed`() async throws {
        let smart = try await soup("query", "select {notes:key} from {notes} where {notes:key} = 'a'", "--explain")
        #expect(smart.status == 0)
        let steps = try smart.json.flatMap { $0["plan"]?.arrayValue ?? [] }.compactMap(\.stringValue)
        #expect(steps.contains { $0.hasPrefix("SEARCH") && $0.contains("INDEX TABLE_") })
    }

    @Test func `The store is counted and compacted`() async throws {
        let text = String(repeating: "x", count: 100_000)
        _ = try await soup("upsert", "notes", input: #"[{"key": "a"}, {"key": "b", "text": "\#(text)"}]"#)
        let stats = try #require(try await soup("stats").json.first)
        #expect(
            stats["soups"] == [
                ["soupName": "contacts", "count": 0, "dirty": 0], ["soupName": "notes", "count": 2, "dirty": 0],
            ])
        _ = try await soup("delete", "notes", "2")
        let sizes = try await soup("compact").json.compactMap { $0["databaseSize"]?.intValue }
        #expect(sizes.count == 2 && sizes[0] > sizes[1] + 50_000)
        #expect(try await soup("retrieve", "notes", "1").json.map { $0["key"] } == ["a"])
    }

    /// A limit on the size of files has the same effect as a full disk.
    @Test func `A full disk does not change the store`() async throws {
        _ = try await soup("upsert", "notes", input: #"{"key": "a"}"#)
        let before = try await soup("retrieve", "notes", "1").output
        let text = String(repeating: "x", count: 2_000_000)
        // A file, because input from a pipe would be copied to a temporary file first.
        try folder.write(#"[{"key": "a", "n": 1}, {"key": "b", "text": "\#(text)"}]"#, to: "input.json")
        let running = try RunningSoup(
            URL(filePath: "/bin/bash"),
            ["-c", #"trap "" XFSZ; ulimit -f 1000; exec "$0" "$@" < "\#(folder.path)/input.json""#, SoupTool.url.path]
                + ["upsert", "notes", "--external-id", "key", "--config", folder.path, "--json"],
            environment: [:], readingOutput: true)
        var errors: [JSONValue] = []
        for await line in running.errors { errors.append(try JSONValue(parsing: line)) }
        #expect(await running.end() == 1)
        #expect(errors.map { $0["error"]?["code"] } == ["storeUnusable"])
        #expect(errors.first?["error"]?["message"]?.stringValue?.hasPrefix("the disk failed: ") == true)
        #expect(try await soup("retrieve", "notes", "1").output == before)
        #expect(try await soup("query", "select count(*) from {notes}").output == ["[1]"])
        #expect(try await soup("query", "select * from pragma_integrity_check").output == [#"["ok"]"#])
    }

    @Test func `A store with a running sync is not removed`() async throws {
        let file = folder.path + "/userstore-old.db"
        _ = try await soup("upsert", "notes", "--store", file, input: #"{"key": "a"}"#)
        var store: SQLiteStore? = try await SQLiteStore.open(.init(path: file))
        let lease = try await store?.claimSyncs()
        let refused = try await soup("stores", "--remove", "old")
        #expect(refused.status == 1)
        let number = ProcessInfo.processInfo.processIdentifier
        #expect(
            try refused.jsonErrors.map { $0["message"] }
                == [.string("the store is in use by process \(number), which syncs it")])
        #expect(try await soup("retrieve", "notes", "1", "--store", file).output.count == 1)
        withExtendedLifetime(lease) {}
        try await store?.close()
        store = nil
    }

    @Test func `Stores are listed and removed`() async throws {
        _ = try await soup("soups")
        _ = try await soup("upsert", "notes", "--store", folder.path + "/userstore-old.db", input: #"{"key": "a"}"#)
        let listed = try await soup("stores")
        #expect(try listed.json.map { $0["storeName"] } == ["defaultStore", "old"])
        #expect(try listed.json.map { $0["isGlobalStore"] } == [false, false])
        #expect(try await soup("stores", "--remove", "old").status == 0)
        #expect(try await soup("stores").json.map { $0["storeName"] } == ["defaultStore"])
        let gone = try await soup("stores", "--remove", "old")
        #expect(gone.status == 1)
        #expect(try gone.jsonErrors.map { $0["code"] } == ["storeNotFound"])
    }

    @Test func `A store with local changes is removed by force`() async throws {
        let created = try await soup("create", "notes", "key=a", "--type", "Note")
        #expect(created.status == 0)
        let refused = try await soup("stores", "--remove", "defaultStore")
        #expect(refused.status == 1)
        #expect(try refused.jsonErrors.map { $0["code"] } == ["localChanges"])
        #expect(try await soup("retrieve", "notes", "1").output.count == 1)
        #expect(try await soup("stores", "--remove", "defaultStore", "--force").status == 0)
        #expect(try await soup("stores").json.isEmpty)
    }

    /// The input has more than one batch, and the position of an error is that in the whole input.
    @Test func `A long input is written in one transaction`() async throws {
        let lines = (1...1200).map { #"{"key": "k\#($0)"}"# }.joined(separator: "\n")
        let broken = try await soup("upsert", "notes", "--external-id", "key", input: lines + "\n{\"n\": 1}\n")
        #expect(broken.status == 1 && broken.output == [])
        #expect(try broken.jsonErrors.map { $0["path"] } == ["[1200]"])
        #expect(try await soup("query", "select count(*) from {notes}").output == ["[0]"])
        let written = try await soup("upsert", "notes", "--external-id", "key", input: lines)
        #expect(written.status == 0 && written.output.count == 1200)
        #expect(try JSONValue(parsing: written.output.last ?? "")["key"] == "k1200")
        let rows = try await soup("query", "select {notes:key} from {notes} order by {notes:n}, 1", "--page-size", "7")
        #expect(rows.output.count == 1200 && Set(rows.output).count == 1200)
    }

    @Test func `Plug-ins are listed`() async throws {
        let targets = try await SoupTool.run("targets", "--json")
        #expect(
            try targets.json.map { "\($0["kind"]?.stringValue ?? "") \($0["name"]?.stringValue ?? "")" } == [
                "down briefcase", "down http", "down layout", "down metadata", "down mru", "down parent_children",
                "down refresh", "down soql", "down sosl", "up batch", "up http", "up parent_children", "up rest",
                "up single",
            ])
        let sample = try await SoupTool.run("targets", "SFMruSyncDownTarget", "--sample")
        #expect(try sample.json.map { $0["type"] } == ["mru"])
        let unknown = try await SoupTool.run("targets", "sqol", "--json")
        #expect(unknown.status == 1)
        #expect(try unknown.jsonErrors.map { $0["hint"] } == [#"Did you mean "soql"?"#])
        #expect(
            try await SoupTool.run("backends", "--json").json.map { $0["name"] } == [
                "layered", "memory", "metered", "routed", "sqlite",
            ])
    }

    @Test func `An edited store file is planned and migrated`() async throws {
        let folder = try WorkFolder(["userstore.json": WorkFolder.store])
        func soup(_ arguments: String..., input: String = "") async throws -> FinishedSoup {
            try await SoupTool.run(arguments + ["--config", folder.path, "--json"], input: input)
        }
        #expect(try await soup("upsert", "notes", input: #"{"key":"a","text":"hello world"}"#).status == 0)
        #expect(try await soup("plan").output == [])
        try folder.write(
            WorkFolder.store.replacing(
                #"[{"path": "key", "type": "string"}]"#, with: #"[{"path": "text", "type": "full_text"}]"#),
            to: "userstore.json")
        let step =
            #"{"soupName":"notes","isNew":false,"added":[{"path":"text","type":"full_text"}],"dropped":[{"path":"key","type":"string"}]}"#
        #expect(try await soup("plan").output == [step])
        #expect(try await soup("plan").output == [step], "a plan changes nothing")
        #expect(try await soup("migrate").output == [step])
        #expect(try await soup("plan").output == [])
        let spec = #"{"queryType":"match","soupName":"notes","indexPath":"text","matchKey":"world"}"#
        #expect(try await soup("query", "--spec", "-", input: spec).json.map { $0["key"] } == ["a"])
    }
}

#endif
