// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import SoupSalesforce
import SoupCore
import SoupTesting
import Testing

@Suite struct PushFailureTests {
    /// The failure for an error code, with its properties: gone, related gone, retryable.
    private func flags(
        _ code: String, _ kind: RecordChange.Kind, status: Int? = nil, fields: [String] = []
    ) -> String {
        PushFailure(SalesforceErrorBody(code: code, message: "m", fields: fields), kind: kind, status: status).dump
    }

    @Test func `In collections the error code decides`() {
        #expect(flags("ENTITY_IS_DELETED", .update) == "ENTITY_IS_DELETED m [gone]")
        #expect(flags("INVALID_CROSS_REFERENCE_KEY", .delete) == "INVALID_CROSS_REFERENCE_KEY m [gone]")
        #expect(flags("ENTITY_IS_DELETED", .create) == "ENTITY_IS_DELETED m [related gone]")
        #expect(flags("INVALID_CROSS_REFERENCE_KEY", .create) == "INVALID_CROSS_REFERENCE_KEY m")
        #expect(
            flags("INVALID_CROSS_REFERENCE_KEY", .update, fields: ["OwnerId"])
                == "INVALID_CROSS_REFERENCE_KEY m (OwnerId)")
        #expect(flags("MALFORMED_ID", .update) == "MALFORMED_ID m")
        #expect(flags("UNABLE_TO_LOCK_ROW", .update) == "UNABLE_TO_LOCK_ROW m [retryable]")
        #expect(flags("STRING_TOO_LONG", .update, fields: ["Name"]) == "STRING_TOO_LONG m (Name)")
    }

    @Test func `In other requests the status decides`() {
        #expect(flags("ENTITY_IS_DELETED", .update, status: 404) == "ENTITY_IS_DELETED m [gone]")
        #expect(flags("INVALID_CROSS_REFERENCE_KEY", .delete, status: 404) == "INVALID_CROSS_REFERENCE_KEY m [gone]")
        // The API reports a wrong version or object in the same way: the ledger confirms the record's absence.
        #expect(flags("NOT_FOUND", .delete, status: 404) == "NOT_FOUND m")
        #expect(flags("MALFORMED_ID", .update, status: 404) == "MALFORMED_ID m")
        #expect(flags("ENTITY_IS_DELETED", .update, status: 400) == "ENTITY_IS_DELETED m [related gone]")
        #expect(flags("NOT_FOUND", .create, status: 404) == "NOT_FOUND m")
        #expect(flags("INVALID_CROSS_REFERENCE_KEY", .update, status: 400) == "INVALID_CROSS_REFERENCE_KEY m")
        #expect(flags("UNKNOWN_EXCEPTION", .update, status: 500) == "UNKNOWN_EXCEPTION m [retryable]")
    }

    @Test func `Error bodies of all formats are read`() {
        func read(_ text: String) -> [SalesforceErrorBody] { SalesforceErrorBody.all(in: Array(text.utf8)) }
        let rest = #"[{"message":"a","errorCode":"B","fields":["C"]},{"errorCode":"D"}]"#
        #expect(read(rest) == [.init(code: "B", message: "a", fields: ["C"]), .init(code: "D", message: "D")])
        #expect(read(#"{"statusCode":"B","message":"a","fields":[]}"#) == [.init(code: "B", message: "a")])
        #expect(read(#"{"error":"b","error_description":"a"}"#) == [.init(code: "b", message: "a")])
        #expect(read("<html>") == [])
        #expect(read("[7]") == [])
    }

    @Test func `Responses are mapped to error codes`() {
        func code(_ status: Int, _ body: String) -> SoupError.Code {
            HTTPAnswer(status: status, body).salesforceFailure(of: "it").code
        }
        #expect(
            code(400, #"[{"errorCode":"INVALID_QUERY_LOCATOR","message":"invalid query locator"}]"#) == .cursorExpired)
        #expect(code(400, #"[{"errorCode":"MALFORMED_QUERY","message":"m"}]"#) == .server)
        #expect(code(404, #"[{"errorCode":"NOT_FOUND","message":"m"}]"#) == .objectNotFound)
        #expect(code(502, "<html>") == .server)
        #expect(code(404, #"{"errorCode":"NOT_FOUND","message":"m"}"#) == .server)
        #expect(
            HTTPAnswer(status: 503, "", headers: [.retryAfter: "1"]).salesforceFailure(of: "it").code == .unavailable)
    }
}
