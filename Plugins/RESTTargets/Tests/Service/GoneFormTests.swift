// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupCore
import SoupTesting
import Testing

@testable import RESTTargets

@Suite struct GoneFormTests {
    @Test(arguments: [
        (404, "", GoneForm.Match.unconfirmed, GoneForm.Match.none),
        (404, #"{"code": "NONE"}"#, .unconfirmed, .confirmed), (410, #"{"code": "NONE"}"#, .unconfirmed, .confirmed),
        (404, #"{"code": "OTHER"}"#, .unconfirmed, .none), (404, "<html></html>", .none, .none),
        (403, #"{"code": "NONE"}"#, .none, .none), (200, #"{"code": "NONE"}"#, .none, .none),
    ])
    func `Only the form of the service matches`(
        _ status: Int, _ body: String, _ usual: GoneForm.Match, _ own: GoneForm.Match
    ) {
        var faults = ConfigurationFaults()
        let answer = HTTPAnswer(status: status, body)
        #expect(GoneForm(nil, faults: &faults).match(answer) == usual)
        let form = GoneForm(GoneConfiguration(path: "code", values: ["NONE"]), faults: &faults)
        #expect(form.match(answer) == own)
        #expect(faults.errors.isEmpty)
    }
}
