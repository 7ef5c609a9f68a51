// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import SoupSalesforce
import SoupCore
import SoupTesting
import Testing

@Suite struct CompositeTests {
    @Test func `Reference IDs are well formed and unique`() {
        var taken: Set<String> = []
        let ids = ["local_5", "001x-y.z/ä", "local_5", "", "", "local_5"].map {
            CompositeSubrequest.referenceId(for: $0, taken: &taken)
        }
        #expect(ids == ["local_5", "001x_y_z__", "local_5_2", "ref", "ref_2", "local_5_3"])
    }

    @Test func `Responses to another request are rejected`() throws {
        let asked = [
            CompositeSubrequest(.get, "/a", referenceId: "r1"), CompositeSubrequest(.get, "/b", referenceId: "r2"),
        ]
        func answers(_ references: [String]) -> [CompositeSubanswer]? {
            let items = references.map {
                #"{"body":{"id":"x"},"httpHeaders":{},"httpStatusCode":201,"referenceId":"\#($0)"}"#
            }
            let body = #"{"compositeResponse":[\#(items.joined(separator: ","))]}"#
            return HTTPAnswer(body).subanswers(to: asked)
        }
        #expect(answers(["r1", "r2"])?.map(\.status) == [201, 201])
        #expect(answers(["r2", "r1"]) == nil)
        #expect(answers(["r1"]) == nil)
        #expect(HTTPAnswer("[]").subanswers(to: asked) == nil)
    }
}
