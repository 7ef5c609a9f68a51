// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import SoupCore
import Testing

@testable import SoupKit

@Suite struct ServerFactsTests {
    private func lines(_ facts: ServerFacts) -> [String] {
        facts.findings.map { "\($0.status) \($0.message)" }
    }

    @Test(arguments: [
        (17, "ok the session is valid, 17 of 100 API requests used in 24 hours"),
        (90, "warning only 10 of 100 API requests are left"),
        (95, "warning syncs pause: 95 of 100 API requests of 24 hours are used, and the limit is 95 %"),
        (100, "warning the API requests of 24 hours are used up: 100 of 100"),
    ])
    func `The quota is compared with its limit`(used: Int, expected: String) {
        let facts = ServerFacts(server: nil, usage: APIUsage(used: used, maximum: 100), clockLead: nil)
        #expect(lines(facts).last == expected)
    }

    @Test(
        arguments: [
            (0, nil), (60, nil), (-60, nil),
            (61, "warning the clock of this machine is 61 seconds ahead of the server's"),
            (-7200, "warning the clock of this machine is 2 hours behind the server's"),
            (1e300, "warning the clock of this machine is 1000000000 days ahead of the server's"),
        ] as [(Double, String?)])
    func `A wrong clock is a warning`(lead: Double, expected: String?) {
        let facts = ServerFacts(server: "https://a.example", usage: nil, clockLead: lead)
        #expect(lines(facts) == ["ok https://a.example: the session is valid"] + [expected].compactMap { $0 })
    }

    @Test func `The headers of a response are read`() throws {
        var response = HTTPResponse(status: .ok)
        response.headerFields[.date] = "Thu, 01 Jan 1970 00:10:00 GMT"
        response.headerFields[try #require(HTTPField.Name("Sforce-Limit-Info"))] = "api-usage=18/5000"
        let facts = ServerFacts(
            server: nil, answer: HTTPAnswer(response), sent: Date(timeIntervalSince1970: 700),
            received: Date(timeIntervalSince1970: 701))
        #expect(facts.usage == APIUsage(used: 18, maximum: 5000))
        #expect(facts.clockLead == 100 && facts.uncertainty == 0.5)
    }

    /// A login, or a pause before a retry, can take longer than the difference of the clocks.
    @Test func `A slow response causes no clock warning`() {
        var response = HTTPResponse(status: .ok)
        response.headerFields[.date] = "Thu, 01 Jan 1970 00:10:00 GMT"
        let facts = ServerFacts(
            server: nil, answer: HTTPAnswer(response), sent: Date(timeIntervalSince1970: 600),
            received: Date(timeIntervalSince1970: 800))
        #expect(lines(facts) == ["ok the session is valid"])
    }
}
