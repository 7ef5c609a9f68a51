// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import SOQLTargets
import SoupSalesforce
import SoupCore
import SoupTesting
import Testing

private let start: Int64 = 1_705_320_000_000

@Suite struct RefreshSyncDownTargetConfigurationTests {
    @Test(arguments: [
        ("", 500), (#","countIdsPerSoql":7"#, 7), (#","coundIdsPerSoql":8"#, 8),
        (#","coundIdsPerSoql":8,"countIdsPerSoql":9"#, 9), (#","countIdsPerSoql":501"#, 500),
        (#","countIdsPerSoql":0"#, 1), (#","coundIdsPerSoql":-3"#, 1),
    ])
    func `Both spellings of the key are read`(keys: String, count: Int) throws {
        let text = #"{"soupName":"accounts","sobjectType":"Account","fieldlist":[]\#(keys)}"#
        let configuration = try JSONText(text).decode(RefreshSyncDownTarget.Configuration.self)
        #expect(configuration.countIdsPerSoql == count)
    }

    @Test func `The target passes the conformance suite`() async throws {
        let ids = (1...7).map { "00100000000000\($0)AAA" }
        let context = SyncContext(
            transport: ScriptedTransport([]), basePath: "/v",
            clock: ManualClock(now: Date(millisecondsSince1970: start)),
            soup: "accounts", localValues: { path, soup in soup == "accounts" ? ids + ["local_1"] : ["\(path)"] })
        try await SyncDownTargetSuite(
            RefreshSyncDownTarget.self,
            configuration:
                #"{"soupName": "accounts", "sobjectType": "Account", "fieldlist": ["Name"], "coundIdsPerSoql": 3}"#,
            badConfigurations: [
                "{}", #"{"sobjectType": "Account", "fieldlist": []}"#,
                #"{"soupName": "a", "fieldlist": []}"#, #"{"soupName": "a", "sobjectType": "Account"}"#,
                #"{"soupName": "", "sobjectType": "Account", "fieldlist": []}"#,
                #"{"soupName": "a", "sobjectType": "A B", "fieldlist": []}"#,
                #"{"soupName": "a", "sobjectType": "A", "fieldlist": ["x from"]}"#,
                #"{"soupName": "a", "sobjectType": "A", "fieldlist": ["x"], "countIdsPerSoql": "many"}"#,
            ], context: context
        ) { request in
            guard let soql = request[parameter: "q"] else {
                return HTTPAnswer(status: 400, #"[{"errorCode":"INVALID_QUERY_LOCATOR","message":"no"}]"#)
            }
            let mark = soql.firstRange(of: "LastModifiedDate >").map { soql[$0.upperBound...] }
            let time = mark.flatMap { DateText.milliseconds($0.drop { $0 == " " || $0 == "=" }) }
            let found = ids.enumerated().filter { number, id in
                let date = start + Int64(number) * 1000
                guard soql.contains("'\(id)'") else { return false }
                return time.map { soql.contains(">=") ? date >= $0 : date > $0 } ?? true
            }
            let records = found.map { number, id in
                #"{"Id":"\#(id)","LastModifiedDate":"\#(DateText.format(start + Int64(number) * 1000))"}"#
            }
            return HTTPAnswer(
                #"{"totalSize":\#(found.count),"done":true,"records":[\#(records.joined(separator: ","))]}"#)
        }.check()
    }
}
