// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupLocalOrg
import Testing

/// A fault of a request.
struct RequestFault: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var effect: OrgFault.Effect
    /// Whether it affects all requests until it is removed, or only one.
    var isPersistent = false

    /// Whether it affects single records of a request with several records.
    var affectsSingleRecords: Bool { if case .itemError = effect { true } else { false } }

    /// The faults for pushes and pulls.
    static let all =
        forAnyRequest + [
            RequestFault(
                testDescription: "row lock",
                effect: .itemError(.init(code: "UNABLE_TO_LOCK_ROW", message: "unable to obtain exclusive access"))),
            RequestFault(
                testDescription: "partial failure",
                effect: .itemError(.init(index: 0, code: "CUSTOM_VALIDATION", message: "not today"))),
            RequestFault(testDescription: "slow bodies", effect: .slowBody(bytesPerSecond: 500), isPersistent: true),
        ] + gatewayResponses

    /// The org carries out the request, and a gateway between the client and the org responds.
    private static let gatewayResponses =
        [200, 302, 307, 400, 401, 404, 408, 413].map { status in
            RequestFault(testDescription: "a gateway's \(status)", effect: .gateway(status: status))
        }
        + [200, 302, 404].map { status in
            RequestFault(testDescription: "an empty \(status)", effect: .gateway(status: status, body: ""))
        }

    /// The faults for sync downs.
    static let forSyncDown =
        forAnyRequest + [
            RequestFault(testDescription: "rows come in any order", effect: .shuffle(7), isPersistent: true)
        ]

    private static let forAnyRequest = [
        RequestFault(testDescription: "refused connection", effect: .drop(.accept)),
        RequestFault(testDescription: "dropped before the headers", effect: .drop(.beforeHeaders)),
        RequestFault(testDescription: "dropped in the body", effect: .drop(.midBody)),
        RequestFault(testDescription: "lost answer", effect: .drop(.afterCommit)),
        RequestFault(testDescription: "truncated", effect: .truncate(60)),
        RequestFault(testDescription: "garbage", effect: .garbage(bytes: 64)),
        RequestFault(testDescription: "a page of HTML", effect: .garbage()),
        RequestFault(testDescription: "500", effect: .http(status: 500)),
        RequestFault(testDescription: "503", effect: .http(status: 503, code: "SERVER_UNAVAILABLE")),
        RequestFault(
            testDescription: "429", effect: .http(status: 429, code: "TOO_MANY", headers: ["Retry-After": "2"])),
        RequestFault(testDescription: "400", effect: .http(status: 400, code: "INVALID_INPUT")),
        RequestFault(testDescription: "401", effect: .http(status: 401, code: "INVALID_SESSION_ID")),
        RequestFault(testDescription: "request limit", effect: .limit),
        RequestFault(testDescription: "the answer before", effect: .duplicateResponse),
        RequestFault(testDescription: "locators expire", effect: .expireCursors),
        RequestFault(testDescription: "pages shrink", effect: .shrinkPages(2), isPersistent: true),
    ]
}
