// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import SoupSalesforce
import SoupCore
import SoupTesting
import Testing

@Suite struct APIAnswerTests {
    private let error = #"[{"errorCode":"NOT_FOUND","message":"m"}]"#

    /// The classification of a response, as one word.
    private func word(_ status: Int, _ body: String) -> String {
        switch HTTPAnswer(status: status, body).apiAnswer {
        case .success: "success"
        case .refusal(let error): error.code
        case .foreign: "foreign"
        }
    }

    @Test func `Responses in the API's form are recognized`() {
        #expect(word(204, "") == "success")
        #expect(word(201, #"{"id":"001000000000001","success":true}"#) == "success")
        #expect(word(200, "[]") == "success")
        for status in [400, 401, 403, 404, 408, 413, 429, 500, 503] { #expect(word(status, error) == "NOT_FOUND") }
        #expect(word(300, #"["/services/data/v66.0/sobjects/Account/1"]"#) == "HTTP_300")
    }

    @Test(arguments: [
        (200, ""), (200, "<html>"), (200, "7"), (204, "<html>"), (201, #"{"id":"#), (302, ""), (307, "{}"), (300, "[]"),
        (300, "[1]"), (302, #"[{"errorCode":"NOT_FOUND"}]"#), (404, ""), (404, "<html>"), (404, "[]"),
        (404, #"{"errorCode":"NOT_FOUND","message":"m"}"#), (404, #"{"error":"not found"}"#),
        (404, #"[{"message":"m"}]"#),
        (404, #"[{"errorCode":"NOT_FOUND"},{"message":"m"}]"#), (404, #"[{"errorCode":404}]"#), (502, "<html>"),
    ])
    func `Responses in any other form are foreign`(status: Int, body: String) {
        #expect(word(status, body) == "foreign")
    }

    @Test func `A foreign response is described`() {
        #expect(
            HTTPAnswer(status: 404, "<html>").apiAnswer
                == .foreign("HTTP 404 with a body that is not JSON is not a response of the Salesforce API"))
        #expect(
            HTTPAnswer(status: 200, "").apiAnswer
                == .foreign("HTTP 200 with an empty body is not a response of the Salesforce API"))
        #expect(
            HTTPAnswer(status: 404, "{}").apiAnswer
                == .foreign(
                    "HTTP 404 with JSON that is not in the form of the API is not a response of the Salesforce API"))
    }

    @Test func `An error code and status define whether a record exists`() {
        func existence(_ code: String, _ status: Int) -> SalesforceErrorBody.Existence {
            SalesforceErrorBody(code: code, message: "m").existence(status: status)
        }
        #expect(existence("ENTITY_IS_DELETED", 404) == .gone)
        #expect(existence("INVALID_CROSS_REFERENCE_KEY", 404) == .gone)
        #expect(existence("NOT_FOUND", 404) == .goneIfObjectExists)
        #expect(existence("ENTITY_IS_DELETED", 400) == .unknown)
        #expect(existence("MALFORMED_ID", 404) == .unknown)
        #expect(existence("UNSUPPORTED_API_VERSION", 404) == .unknown)
    }

    @Test func `IDs in a possible form are accepted, others are not`() {
        for id in ["001000000000001", "001000000000001AAA"] { #expect(SalesforceID.isPossible(id)) }
        for id in ["", "local_00000000a", "00100000000000", "0010000000000011", "00100000000000é", "001000000000,01"] {
            #expect(!SalesforceID.isPossible(id), "\(id)")
        }
        for id in ["1", "a-b/c", "é", "r 1"] { #expect(ServerId.isPossible(id), "\(id)") }
        for id in ["", " ", "\t", "local_1", "a\u{0}", "a\nb", "\u{85}"] { #expect(!ServerId.isPossible(id), "\(id)") }
    }
}
