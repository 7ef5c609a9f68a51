// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupCore
import SoupSync
import Testing

@testable import SoupBridge

@Suite struct StoreServiceTests {
    @Test func `Soups are registered, altered, cleared and removed`() async throws {
        let world = try await BridgeWorld()
        let name = "123This should-be a_valid.soup+name!?100"
        let soup = #""isGlobalStore":false,"soupName":"\#(name)""#
        #expect(try await world.store("pgSoupExists", "{\(soup)}") == "ok false")
        let indexes = #""indexes":[{"path":"b","type":"integer"},{"path":"a","type":"string"}]"#
        for _ in 1...2 {
            #expect(try await world.store("pgRegisterSoup", "{\(soup),\(indexes)}") == "ok \"\(name)\"")
        }
        #expect(try await world.store("pgSoupExists", "{\(soup)}") == "ok true")
        #expect(
            try await world.store("pgGetSoupIndexSpecs", "{\(soup)}")
                == #"ok [{"path":"b","type":"integer"},{"path":"a","type":"string"}]"#)
        #expect(
            try await world.store(
                "pgAlterSoup", #"{\#(soup),"indexes":[{"path":"c","type":"json1"}],"reIndexData":true}"#)
                == "ok \"\(name)\"")
        #expect(try await world.store("pgGetSoupIndexSpecs", "{\(soup)}") == #"ok [{"path":"c","type":"json1"}]"#)
        #expect(try await world.store("pgReIndexSoup", #"{\#(soup),"paths":["c"]}"#) == "ok \"\(name)\"")
        #expect(try await world.store("pgClearSoup", "{\(soup)}") == #"ok "OK""#)
        for _ in 1...2 { #expect(try await world.store("pgRemoveSoup", "{\(soup)}") == #"ok "OK""#) }
        #expect(try await world.store("pgSoupExists", "{\(soup)}") == "ok false")
    }

    @Test func `Entries are written, read and removed`() async throws {
        let world = try await BridgeWorld()
        try await world.registerCats()
        let inserted = try BridgeWorld.value(
            try await world.store(
                "pgUpsertSoupEntries",
                #"{"soupName":"cats","entries":[{"Name":"Tom"},{"Name":"Éva 🐈"},{"Name":"big","n":12345678901234567890}]}"#
            ))
        #expect(inserted[0]?["_soupEntryId"] == 1)
        #expect(inserted[1]?["Name"] == "Éva 🐈")
        #expect(inserted[2]?["_soupLastModifiedDate"]?.intValue == world.clock.milliseconds)
        // The order is that of the IDs; unknown IDs are left out. Numbers keep their digits.
        let retrieved = try await world.store("pgRetrieveSoupEntries", #"{"soupName":"cats","entryIds":[3,9,1]}"#)
        #expect(try BridgeWorld.value(retrieved).arrayValue?.map { $0["_soupEntryId"] } == [3, 1])
        #expect(retrieved.contains("12345678901234567890"))
        // With an external ID, an entry is replaced.
        let again = try await world.store(
            "pgUpsertSoupEntries",
            #"{"soupName":"cats","entries":[{"Name":"Tom","age":4}],"externalIdPath":"Name"}"#)
        #expect(try BridgeWorld.value(again)[0]?["_soupEntryId"] == 1)
        #expect(try await world.store("pgRemoveFromSoup", #"{"soupName":"cats","entryIds":[1,9]}"#) == #"ok "OK""#)
        #expect(
            try BridgeWorld.value(
                try await world.store("pgRetrieveSoupEntries", #"{"soupName":"cats","entryIds":[1,2]}"#)
            ).arrayValue?.count == 1)
    }

    @Test func `A batch with an error changes nothing`() async throws {
        let world = try await BridgeWorld()
        try await world.registerCats()
        try await world.insertCats("Tom", "Tom")
        let answer = try await world.store(
            "pgUpsertSoupEntries",
            #"{"soupName":"cats","entries":[{"Name":"Ann"},{"Name":"Tom","age":9}],"externalIdPath":"Name"}"#)
        #expect(answer.hasPrefix("error \""))
        let rows = try await world.store(
            "pgRunSmartQuery",
            #"{"querySpec":{"queryType":"smart","smartSql":"SELECT {cats:Name},{cats:age} FROM {cats}"}}"#)
        #expect(try BridgeWorld.value(rows)["currentPageOrderedEntries"] == [["Tom", 1], ["Tom", 2]])
    }

    @Test func `A query spec removes all its matches`() async throws {
        let world = try await BridgeWorld()
        try await world.registerCats()
        try await world.insertCats("a", "b", "c", "d", "e")
        let spec = #"{"queryType":"range","indexPath":"age","beginKey":2,"endKey":null,"pageSize":2}"#
        #expect(try await world.store("pgRemoveFromSoup", #"{"soupName":"cats","querySpec":\#(spec)}"#) == #"ok "OK""#)
        let rows = try await world.store(
            "pgRunSmartQuery", #"{"querySpec":{"queryType":"smart","smartSql":"SELECT {cats:Name} FROM {cats}"}}"#)
        #expect(try BridgeWorld.value(rows)["currentPageOrderedEntries"] == [["a"]])
    }

    @Test(arguments: [
        ("pgRegisterSoup", #""indexes":[{"path":"a","type":"string"}]"#), ("pgRemoveSoup", ""), ("pgClearSoup", ""),
        ("pgAlterSoup", #""indexes":[{"path":"a","type":"string"}]"#), ("pgReIndexSoup", #""paths":["type"]"#),
        ("pgUpsertSoupEntries", #""entries":[{"status":"DONE"}]"#), ("pgRemoveFromSoup", #""entryIds":[1]"#),
    ])
    func `The soups of the syncs are only read`(action: String, arguments: String) async throws {
        let world = try await BridgeWorld()
        let rows = #"{"querySpec":{"queryType":"smart","smartSql":"SELECT {syncs_soup:_soup} FROM {syncs_soup}"}}"#
        try await world.registerCats()
        _ = try await world.sync("syncUp", #"{"soupName":"cats"}"#)
        let syncs = try #require(try await world.stores.open(BridgeStoreName()).syncs)
        await syncs.ended()
        let before = try BridgeWorld.value(try await world.store("pgRunSmartQuery", rows))
        #expect(before["totalEntries"] == 1)
        let list = arguments.isEmpty ? "" : "," + arguments
        let answer = try await world.store(action, #"{"soupName":"syncs_soup"\#(list)}"#)
        #expect(answer.contains("the syncs maintain the soup") && answer.hasPrefix("error "))
        let after = try BridgeWorld.value(try await world.store("pgRunSmartQuery", rows))
        #expect(after["currentPageOrderedEntries"] == before["currentPageOrderedEntries"])
    }

    @Test func `A cursor moves through the pages`() async throws {
        let world = try await BridgeWorld()
        try await world.registerCats()
        try await world.insertCats("a", "b", "c", "d", "e")
        let spec = #"{"queryType":"range","indexPath":"Name","order":"descending","orderPath":"Name","pageSize":2}"#
        func names(_ answer: String) throws -> [JSONValue?] {
            let cursor = try BridgeWorld.value(answer)
            #expect([cursor["pageSize"], cursor["totalEntries"], cursor["totalPages"]] == [2, 5, 3])
            return [cursor["currentPageIndex"]]
                + (cursor["currentPageOrderedEntries"]?.arrayValue ?? []).map { $0["Name"] }
        }
        let first = try await world.store("pgQuerySoup", #"{"soupName":"cats","querySpec":\#(spec)}"#)
        #expect(try names(first) == [0, "e", "d"])
        let id = try BridgeWorld.value(first)["cursorId"]?.stringValue ?? ""
        func move(_ index: Int) async throws -> String {
            try await world.store("pgMoveCursorToPageIndex", #"{"cursorId":"\#(id)","index":\#(index)}"#)
        }
        #expect(try names(try await move(1)) == [1, "c", "b"])
        #expect(try names(try await move(2)) == [2, "a"])
        #expect(try names(try await move(0)) == [0, "e", "d"])
        for _ in 1...2 { #expect(try await world.store("pgCloseCursor", #"{"cursorId":"\#(id)"}"#) == #"ok "OK""#) }
        #expect(try await move(1).hasPrefix(#"error "Invalid cursor id: 1."#))
    }

    @Test func `A cursor belongs to its session and its store`() async throws {
        let world = try await BridgeWorld()
        try await world.registerCats()
        try await world.insertCats("a", "b")
        let spec = #"{"queryType":"range","indexPath":"Name","pageSize":1}"#
        _ = try await world.store("pgQuerySoup", #"{"soupName":"cats","querySpec":\#(spec)}"#)
        let move = #""cursorId":"1","index":1"#
        for (arguments, session) in [
            (move, "other"), (#""isGlobalStore":true,\#(move)"#, "s"), (#""storeName":"x",\#(move)"#, "s"),
        ] {
            let answer = try await world.store("pgMoveCursorToPageIndex", "{\(arguments)}", in: session)
            #expect(answer.hasPrefix("error \"Invalid cursor id"))
        }
        // Another session cannot close it either.
        _ = try await world.store("pgCloseCursor", #"{"cursorId":"1"}"#, in: "other")
        #expect(try await world.store("pgMoveCursorToPageIndex", "{\(move)}").hasPrefix("ok "))
    }

    @Test func `Strings in double quotes are literals in Smart SQL`() async throws {
        let world = try await BridgeWorld()
        try await world.registerCats()
        try await world.insertCats("a", "b", "c")
        for sql in [#"WHERE {cats:Name} = \"b\""#, #"WHERE {cats:Name} IN (\"b\", \"x\")"#] {
            let answer = try await world.store(
                "pgRunSmartQuery",
                #"{"querySpec":{"queryType":"smart","smartSql":"SELECT {cats:age} FROM {cats} \#(sql)","pageSize":10}}"#
            )
            #expect(try BridgeWorld.value(answer)["currentPageOrderedEntries"] == [[2]])
        }
    }

    @Test func `The size of the database counts what is in the log`() async throws {
        let world = try await BridgeWorld()
        let empty = try BridgeWorld.value(try await world.store("pgGetDatabaseSize")).intValue ?? 0
        #expect(empty > 0)
        try await world.registerCats()
        for batch in 0..<20 {
            let entries = (0..<100).map { #"{"Name":"cat \#(batch) \#($0)"}"# }.joined(separator: ",")
            _ = try await world.store("pgUpsertSoupEntries", #"{"soupName":"cats","entries":[\#(entries)]}"#)
        }
        let full = try BridgeWorld.value(try await world.store("pgGetDatabaseSize")).intValue ?? 0
        #expect(full > empty)
    }

    @Test func `Stores are created, listed and removed by scope`() async throws {
        let world = try await BridgeWorld()
        #expect(try await world.store("pgGetAllStores") == "ok []")
        for arguments in [#"{"soupName":"x"}"#, #"{"soupName":"x","storeName":"b"}"#] {
            _ = try await world.store("pgSoupExists", arguments)
        }
        _ = try await world.store("pgSoupExists", #"{"soupName":"x","storeName":"g","isGlobalStore":true}"#)
        #expect(
            try await world.store("pgGetAllStores")
                == #"ok [{"storeName":"b","isGlobalStore":false},{"storeName":"defaultStore","isGlobalStore":false}]"#)
        #expect(
            try await world.store("pgGetAllGlobalStores") == #"ok [{"storeName":"g","isGlobalStore":true}]"#)
        #expect(try await world.store("pgRemoveStore", #"{"storeName":"b"}"#) == "ok true")
        #expect(
            try await world.store("pgGetAllStores") == #"ok [{"storeName":"defaultStore","isGlobalStore":false}]"#)
        #expect(try await world.store("pgRemoveAllStores") == "ok true")
        #expect(try await world.store("pgGetAllStores") == "ok []")
        #expect(try await world.store("pgRemoveAllGlobalStores") == "ok true")
        #expect(try await world.store("pgGetAllGlobalStores") == "ok []")
        // A removed store can be used again, and is empty.
        #expect(try await world.store("pgSoupExists", #"{"soupName":"x"}"#) == "ok false")
    }

    @Test(
        arguments: [
            ("pgRegisterSoup", #"{"soupName":null,"indexes":[{"path":"a","type":"string"}]}"#, "soupName is missing"),
            ("pgRegisterSoup", #"{"soupName":"x","indexes":[]}"#, "index spec"),
            ("pgRegisterSoup", #"{"soupName":"x"}"#, "indexes is missing"),
            ("pgRegisterSoup", #"{"soupName":"x","indexes":[{"path":"a","type":"text"}]}"#, "indexes[0].type"),
            ("pgSoupExists", #"{"soupName":7}"#, "soupName must be a text, not 7"),
            ("pgGetSoupIndexSpecs", #"{"soupName":"none"}"#, "none"),
            ("pgUpsertSoupEntries", #"{"soupName":"none","entries":[{}]}"#, "none"),
            ("pgUpsertSoupEntries", #"{"soupName":"cats","entries":{}}"#, "entries must be a list, not {}"),
            ("pgUpsertSoupEntries", #"{"soupName":"cats","entries":[7]}"#, "object"),
            ("pgRetrieveSoupEntries", #"{"soupName":"cats","entryIds":["a"]}"#, "entryIds[0] must be a whole number"),
            ("pgRemoveFromSoup", #"{"soupName":"cats"}"#, "entryIds or querySpec is missing"),
            ("pgQuerySoup", #"{"soupName":"cats","querySpec":{"queryType":null}}"#, "queryType is missing"),
            ("pgQuerySoup", #"{"soupName":"cats"}"#, "querySpec is missing"),
            ("pgRunSmartQuery", #"{"querySpec":{"queryType":"exact"}}"#, "smart queries"),
            ("pgRunSmartQuery", #"{"querySpec":{"queryType":"smart","smartSql":"DELETE FROM {cats}"}}"#, "SELECT"),
            ("pgMoveCursorToPageIndex", #"{"cursorId":"7","index":0}"#, "Invalid cursor id"),
            ("pgMoveCursorToPageIndex", #"{"cursorId":"7"}"#, "index is missing"),
            ("pgSoupExists", #"{"soupName":"x","storeName":"../x"}"#, "is not a valid name of a store"),
            ("pgSoupExists", #"{"soupName":"x","isGlobalStore":"yes"}"#, "isGlobalStore must be true or false"),
            ("pgNothing", "{}", "Invalid action"), ("pgShowInspector", "{}", "soup inspect"),
        ]
    )
    func `Bad arguments are errors that change nothing`(action: String, arguments: String, message: String)
        async throws
    {
        let world = try await BridgeWorld()
        try await world.registerCats()
        try await world.insertCats("a")
        let answer = try await world.store(action, arguments)
        #expect(answer.hasPrefix("error \"") && answer.contains(message), "\(answer)")
        let rows = try await world.store(
            "pgRunSmartQuery", #"{"querySpec":{"queryType":"smart","smartSql":"SELECT {cats:Name} FROM {cats}"}}"#)
        #expect(try BridgeWorld.value(rows)["currentPageOrderedEntries"] == [["a"]])
    }
}
