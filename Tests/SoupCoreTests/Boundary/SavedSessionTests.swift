// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import SoupCore
import Testing

@Suite struct SavedSessionTests {
    private let session = SavedSession(
        tokenURL: "https://t.example.com/token", clientId: "c", accessToken: "secret-a",
        accessTokenExpiry: Date(timeIntervalSince1970: 1.0004), refreshToken: "secret-r",
        instanceURL: "https://i.example.com", username: "u", scope: "api", continuedToken: "d",
        savedAt: Date(timeIntervalSince1970: 2.5))

    @Test func `The JSON is read as the same session`() throws {
        #expect(
            session.json == [
                "version": 1, "tokenURL": "https://t.example.com/token", "clientId": "c", "savedAt": 2500,
                "accessToken": "secret-a", "accessTokenExpiry": 1000, "refreshToken": "secret-r",
                "instanceURL": "https://i.example.com", "username": "u", "scope": "api", "continuedToken": "d",
            ])
        #expect(try SavedSession(json: session.json) == session)
        let small = SavedSession(tokenURL: "t", clientId: "c", savedAt: Date(timeIntervalSince1970: 0))
        #expect(small.json == ["version": 1, "tokenURL": "t", "clientId": "c", "savedAt": 0])
        #expect(try SavedSession(json: small.json) == small)
    }

    @Test func `Other JSON is an error without its content`() {
        for json: JSONValue in [nil, [:], ["version": 1, "tokenURL": "secret", "clientId": "c"], "secret"] {
            let error = #expect(throws: SoupError.self) { try SavedSession(json: json) }
            #expect(error?.code == .credentialsUnusable && error?.message == "the saved session is damaged")
        }
        var later = session.json
        later["version"] = 2
        let error = #expect(throws: SoupError.self) { try SavedSession(json: later) }
        #expect(error?.message == "the saved session has the form 2, which this version does not read")
    }

    @Test func `No description contains a token`() {
        #expect("\(session)" == "session at https://i.example.com with access token, refresh token")
        var text = String(reflecting: session)
        dump(session, to: &text)
        #expect(!text.contains("secret"))
    }
}
