// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import RESTTargets
import SoupCore
import SoupTesting
import Testing

/// Lists whose next page is in a `Link` header.
@Suite struct HTTPSyncDownTargetLinksTests {
    private func target(_ keys: String) throws -> HTTPSyncDownTarget {
        try HTTPSyncDownTarget(configuration: JSONText(#"{"path": "/api/x/list", \#(keys)}"#).decode())
    }

    private func answer(_ id: Int, link: String?) throws -> HTTPAnswer {
        var fields = HTTPFields()
        if let link { fields[try #require(HTTPField.Name("Link"))] = link }
        return HTTPAnswer(HTTPResponse(status: .ok, headerFields: fields), body: Array(#"[{"id": \#(id)}]"#.utf8))
    }

    @Test(arguments: [
        ("<list?p=2>; rel=next", "GET /api/x/list?p=2"), ("<?p=2>; rel=next", "GET /api/x/list?p=2"),
        ("<../y?p=2>; rel=next", "GET /api/y?p=2"), ("</z>; rel=next", "GET /z"),
    ])
    func `A relative link is resolved against the page`(link: String, request: String) async throws {
        let (first, second) = (try answer(1, link: link), try answer(2, link: nil))
        let transport = ScriptedTransport { $0.pathAndQuery == "/api/x/list" ? first : second }
        let context = SyncContext(transport: transport, clock: ManualClock.advancing(), soup: "x")
        let target = try target(#""paging": "link""#)
        let next = try await target.page(after: nil, in: context).next
        _ = try await target.page(after: next, in: context)
        #expect(transport.dump == ["GET /api/x/list", request])
    }

    /// As the last page, it would end the run without the records of the others.
    @Test func `A header that cannot be read is not the last page`() async throws {
        let answer = try answer(1, link: "page 2: <list?p=2>; rel=next")
        let transport = ScriptedTransport { _ in answer }
        let context = SyncContext(transport: transport, clock: ManualClock.advancing(), soup: "x")
        let error = await #expect(throws: SoupError.self) {
            try await target(#""paging": "link""#).page(after: nil, in: context)
        }
        #expect(error?.code == .server && error?.message.contains("Link header") == true)
    }

    /// Every page has another number, so only its records show that the server ignores it.
    @Test func `A list of survivors whose pages repeat ends with an error`() async throws {
        let answers = [try answer(1, link: nil), try answer(2, link: nil)]
        let transport = ScriptedTransport { request in
            answers[(request.pathAndQuery.last?.wholeNumberValue ?? 0) % 2]
        }
        let context = SyncContext(transport: transport, clock: ManualClock.advancing(), soup: "x")
        let target = try target(#""paging": "page", "survivors": "list""#)
        let error = await #expect(throws: SoupError.self) {
            try await target.survivors(of: ["1", "3"], level: 0, in: context)
        }
        #expect(error?.code == .incompleteAnswer)
        #expect(transport.requests.count < 300)
    }
}
