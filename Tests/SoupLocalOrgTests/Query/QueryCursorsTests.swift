// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import SoupLocalOrg
import SoupSalesforce
import SoupCore
import Testing

@Suite struct QueryCursorsTests {
    private let first = "select Name from Account order by Name"

    private func names(_ page: JSONValue) -> [String] {
        (page.records?.arrayValue ?? []).compactMap { $0["Name"]?.stringValue }
    }

    @Test func `Pages cover the result once`() async throws {
        let client = try OrgClient(.large(450))
        var page = try await client.query(first, batchSize: 200)
        var seen = names(page)
        var sizes = [seen.count]
        while let next = page.nextRecordsUrl?.stringValue {
            #expect(page.done == false && page.totalSize == 450)
            page = try await client.json(.get, next)
            sizes.append(names(page).count)
            seen += names(page)
        }
        #expect(sizes == [200, 200, 50])
        #expect(page.done == true)
        #expect(seen == seen.sorted() && Set(seen).count == 450)
    }

    @Test func `A page that is requested again is the same`() async throws {
        let client = try OrgClient(.large(450))
        let next = try await client.query(first, batchSize: 200).nextRecordsUrl?.stringValue ?? ""
        let once = try await client.json(.get, next)
        _ = try await client.json(.get, once.nextRecordsUrl?.stringValue ?? "")
        #expect(try await client.json(.get, next) == once)
    }

    @Test func `Later pages have current values of remaining rows`() async throws {
        let client = try OrgClient(.large(401))
        let page = try await client.query("select Id, Name from Account order by Id", batchSize: 200)
        let rows = try client.org.state(of: "Account").compactMap { $0.Id?.stringValue }
        try client.org.edit("Account", id: rows[250], ["Name": "Edited"])
        try client.org.delete("Account", id: rows[251])
        try client.org.insert("Account", ["Name": "Late"])
        let second = try await client.json(.get, page.nextRecordsUrl?.stringValue ?? "")
        #expect(names(second).count == 199)
        #expect(names(second)[50] == "Edited" && names(second)[51] == "Account 0000253")
        let third = try await client.json(.get, second.nextRecordsUrl?.stringValue ?? "")
        #expect(names(third) == ["Account 0000401"])
        #expect(third.totalSize == 401)
    }

    @Test(arguments: [
        "01g000000000001AAA-0", "nonsense", "01g000000000009AAA-200", "-", "01g000000000001AAA-99999999999999999999",
    ])
    func `Unknown locators are rejected`(_ locator: String) async throws {
        let client = try OrgClient()
        let answer = try await client.send(.get, "query/\(locator)")
        #expect(answer.status == 400)
        #expect(client.code(try JSONValue(parsing: answer.body)) == "INVALID_QUERY_LOCATOR")
    }

    @Test func `Cursors end with time`() async throws {
        let client = try OrgClient(.large(450))
        let next = try await client.query(first, batchSize: 200).nextRecordsUrl?.stringValue ?? ""
        #expect(try await client.send(.get, next).status == 200)
        client.org.advanceClock(by: .milliseconds(3 * 86_400_000))
        #expect(client.code(try await client.json(.get, next)) == "INVALID_QUERY_LOCATOR")
    }

    @Test func `Children count towards pages and have their own`() async throws {
        let client = try OrgClient()
        let acme = client.org.id(of: "acc1") ?? ""
        for number in 1...448 {
            let values: JSONObject = ["LastName": .string("C\(1000 + number)"), "AccountId": .string(acme)]
            try client.org.insert("Contact", values)
        }
        let page = try await client.query(
            "select Name, (select LastName from Contacts order by LastName) from Account order by Name", batchSize: 200)
        #expect(page.totalSize == 3 && page.done == false)
        #expect(names(page) == ["Acme"])
        var children = page.records?[0]?.Contacts
        #expect(children?.totalSize == 450 && children?.done == false)
        var seen: [String] = []
        while let list = children {
            seen += (list.records?.arrayValue ?? []).compactMap { $0.LastName?.stringValue }
            guard let next = list.nextRecordsUrl?.stringValue else { break }
            children = try await client.json(.get, next)
        }
        #expect(seen.count == 450 && seen == seen.sorted() && Set(seen).count == 450)
        let rest = try await client.json(.get, page.nextRecordsUrl?.stringValue ?? "")
        #expect(names(rest) == ["Globex", "O'Neil 100%_x"])
    }

    @Test func `A smaller page than requested is complete`() async throws {
        let client = try OrgClient(.large(30))
        client.org.add(OrgFault(.shrinkPages(7)))
        var page = try await client.query(first)
        var seen = names(page)
        while let next = page.nextRecordsUrl?.stringValue {
            page = try await client.json(.get, next)
            seen += names(page)
        }
        #expect(seen.count == 30 && Set(seen).count == 30)
    }

    @Test func `Rows of a saved cursor stay as they were`() async throws {
        var options = OrgOptions()
        options.cursorsKeepRows = true
        let client = try OrgClient(.large(401), options: options)
        let page = try await client.query("select Id, Name from Account order by Id", batchSize: 200)
        let rows = try client.org.state(of: "Account").compactMap { $0.Id?.stringValue }
        try client.org.edit("Account", id: rows[250], ["Name": "Edited"])
        try client.org.delete("Account", id: rows[251])
        let second = try await client.json(.get, page.nextRecordsUrl?.stringValue ?? "")
        #expect(names(second).count == 200 && names(second)[50] == "Account 0000251")
        #expect(names(second)[51] == "Account 0000252")
        let third = try await client.json(.get, second.nextRecordsUrl?.stringValue ?? "")
        #expect(names(third) == ["Account 0000401"] && third.done == true)
    }

    @Test func `Idle and surplus cursors end`() async throws {
        var options = OrgOptions()
        options.cursorIdleTime = .milliseconds(60_000)
        options.maximumCursors = 2
        let client = try OrgClient(.large(450), options: options)
        func next() async throws -> String {
            try await client.query(first, batchSize: 200).nextRecordsUrl?.stringValue ?? ""
        }
        let used = try await next()
        client.org.advanceClock(by: .milliseconds(40_000))
        #expect(try await client.send(.get, used).status == 200)
        client.org.advanceClock(by: .milliseconds(40_000))
        #expect(try await client.send(.get, used).status == 200)
        client.org.advanceClock(by: .milliseconds(60_000))
        #expect(client.code(try await client.json(.get, used)) == "INVALID_QUERY_LOCATOR")
        let oldest = try await next()
        let others = [try await next(), try await next()]
        #expect(client.code(try await client.json(.get, oldest)) == "INVALID_QUERY_LOCATOR")
        for other in others { #expect(try await client.send(.get, other).status == 200) }
    }
}
