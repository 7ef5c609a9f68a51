// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import SoupCore
import Testing

@Suite struct SoupErrorLocalizedTests {
    @Test func `Errors have texts for alerts`() {
        let error = SoupError(
            .badQuerySpec, "the query is empty", place: SoupError.Place(file: "s.json", line: 3), hint: "Write a query."
        )
        #expect((error as any Error).localizedDescription == "s.json:3: the query is empty")
        #expect((error as any LocalizedError).recoverySuggestion == "Write a query.")
        #expect((SoupError.storeClosed as any Error).localizedDescription == "the store is closed")
        let json: any Error = JSONError(.badNumber, at: 17)
        #expect(json.localizedDescription == "not a JSON number, at byte 17")
    }

    /// The message can be the text of a server.
    @Test(arguments: ["no", "no."]) func `A hint follows one full stop`(message: String) {
        #expect(SoupError(.server, message, hint: "Wait.").description == "no. Wait.")
    }
}
