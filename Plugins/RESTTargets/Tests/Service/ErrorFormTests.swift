// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupCore
import SoupTesting
import Testing

@testable import RESTTargets

@Suite struct ErrorFormTests {
    @Test(arguments: [
        (#"{"name": ["Too long.", "Bad."]}"#, "{}", #"HTTP_400|name: Too long. Bad.|name"#),
        (
            #"{"detail": [{"loc": ["body", "name"], "msg": "Too long"}]}"#, #"{"fields": "detail.loc"}"#,
            "HTTP_400|Too long|body,name"
        ),
        (
            #"{"error": {"code": "E1", "message": "No"}}"#, #"{"code": "error.code", "message": "error.message"}"#,
            "E1|No|"
        ),
        (#"{"message": "No"}"#, "{}", "HTTP_400|No|"),
        (#"[{"x": 1}]"#, "{}", #"HTTP_400|HTTP 400: [{"x": 1}]|"#),
    ])
    func `A failure has code, message and fields`(_ body: String, _ form: String, _ expected: String) throws {
        let form = ErrorForm(try JSONText(form).decode(ErrorConfiguration.self))
        let failure = try #require(form.failure(in: HTTPAnswer(status: 400, body), sent: ["name", "city"]))
        #expect("\(failure.code)|\(failure.message)|\(failure.fields.joined(separator: ","))" == expected)
    }

    @Test func `A body without the members of the form is foreign`() throws {
        let form = ErrorForm(ErrorConfiguration(code: "error.code"))
        #expect(form.failure(in: HTTPAnswer(status: 400, #"{"message": "No"}"#)) == nil)
        #expect(ErrorForm(nil).failure(in: HTTPAnswer(status: 400, "<html></html>")) == nil)
        #expect(ErrorForm(nil).failure(in: HTTPAnswer(status: 400, "7")) == nil)
    }
}
