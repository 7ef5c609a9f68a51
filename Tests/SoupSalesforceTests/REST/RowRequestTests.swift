// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import SoupCore
import SoupTesting
import Testing

@testable import SoupSalesforce

private let id = "001000000000001AAA"

/// The outcomes of responses about one record.
@Suite struct RowRequestTests {
    private func outcome(
        _ kind: RecordChange.Kind, of id: String = id, status: Int, _ body: String
    ) throws -> String {
        let change = RecordChange(
            kind, soup: "s", entryId: 1, serverId: kind == .create ? nil : id, record: try JSONText(#"{"Name":"n"}"#))
        let form = RecordForm(
            names: RecordFieldNames(), externalIdField: nil, createList: ["Name"], updateList: ["Name"],
            options: SyncOptions(), objectType: "Account")
        let answer = HTTPAnswer(status: status, body)
        return PushOutcome(
            of: change, action: try form.action(for: change), status: status, answer: answer.apiAnswer, date: nil
        ).dump[0]
    }

    @Test func `A confirmation of the API is a success`() throws {
        #expect(try outcome(.create, status: 201, #"{"id":"\#(id)","success":true,"errors":[]}"#) == "ok \(id)")
        #expect(try outcome(.update, status: 204, "") == "ok \(id)")
        #expect(
            try outcome(.update, status: 200, #"{"id":"\#(id)","success":true,"errors":[],"created":false}"#)
                == "ok \(id)")
        #expect(try outcome(.delete, status: 204, "") == "ok \(id)")
    }

    /// Entries then get the form that queries return.
    @Test func `A short ID becomes the long one`() throws {
        let short = String(id.prefix(15))
        #expect(try outcome(.update, of: short, status: 204, "") == "ok \(id)")
        #expect(try outcome(.update, of: short, status: 200, #"{"id":"\#(id)","success":true}"#) == "ok \(id)")
        #expect(try outcome(.delete, of: short, status: 204, "") == "ok \(id)")
    }

    @Test(arguments: ["", "local_1", "a", "001-00000000001", "00100000000000"])
    func `A creation needs a valid record ID in the response`(returned: String) throws {
        #expect(
            try outcome(.create, status: 201, #"{"id":"\#(returned)","success":true,"errors":[]}"#)
                == "unknown ANSWER_LOST the outcome is unknown: the server created the record and returned \"\(returned)\", "
                + "which is not a record ID")
    }

    @Test(arguments: [RecordChange.Kind.create, .update, .delete])
    func `Any other response makes the outcome unknown`(kind: RecordChange.Kind) throws {
        for (status, body) in [
            (200, ""), (200, "<html>"), (200, "{}"), (200, "[]"), (200, #"{"id":"\#(id)","success":false}"#), (302, ""),
            (307, ""), (400, "<html>"), (401, ""), (404, ""), (404, "<html>"), (404, #"{"error":"no route"}"#),
            (404, "[]"), (408, "<html>"), (413, "<html>"), (500, ""),
        ] {
            #expect(try outcome(kind, status: status, body).hasPrefix("unknown ANSWER_LOST"), "\(status) \(body)")
        }
        #expect(try (kind == .create) == outcome(kind, status: 204, "").hasPrefix("unknown"))
    }
}
