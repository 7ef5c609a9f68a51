// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupLocalOrg
import Testing

/// What can go wrong with a request.
struct Trouble: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var effect: OrgFault.Effect
    /// Whether it stays until it is lifted, or strikes once.
    var lasts = false

    /// Whether it strikes single records of a request that holds several.
    var isOfCollections: Bool { if case .itemError = effect { true } else { false } }

    /// What pushes and pulls meet.
    static let all =
        ofAnyRequest + [
            Trouble(
                testDescription: "row lock",
                effect: .itemError(.init(code: "UNABLE_TO_LOCK_ROW", message: "unable to obtain exclusive access"))),
            Trouble(
                testDescription: "partial failure",
                effect: .itemError(.init(index: 0, code: "CUSTOM_VALIDATION", message: "not today"))),
            Trouble(testDescription: "slow bodies", effect: .slowBody(bytesPerSecond: 500), lasts: true),
        ] + answersOfGateways

    /// The org does the work, and something between the client and the org answers.
    private static let answersOfGateways =
        [200, 302, 307, 400, 401, 404, 408, 413].map { status in
            Trouble(testDescription: "a gateway's \(status)", effect: .gateway(status: status))
        }
        + [200, 302, 404].map { status in
            Trouble(testDescription: "an empty \(status)", effect: .gateway(status: status, body: ""))
        }

    /// What pulls meet.
    static let ofPulls =
        ofAnyRequest + [
            Trouble(testDescription: "rows come in any order", effect: .shuffle(7), lasts: true)
        ]

    private static let ofAnyRequest = [
        Trouble(testDescription: "refused connection", effect: .drop(.accept)),
        Trouble(testDescription: "dropped before the headers", effect: .drop(.beforeHeaders)),
        Trouble(testDescription: "dropped in the body", effect: .drop(.midBody)),
        Trouble(testDescription: "lost answer", effect: .drop(.afterCommit)),
        Trouble(testDescription: "truncated", effect: .truncate(60)),
        Trouble(testDescription: "garbage", effect: .garbage(bytes: 64)),
        Trouble(testDescription: "a page of HTML", effect: .garbage()),
        Trouble(testDescription: "500", effect: .http(status: 500)),
        Trouble(testDescription: "503", effect: .http(status: 503, code: "SERVER_UNAVAILABLE")),
        Trouble(
            testDescription: "429", effect: .http(status: 429, code: "TOO_MANY", headers: ["Retry-After": "2"])),
        Trouble(testDescription: "400", effect: .http(status: 400, code: "INVALID_INPUT")),
        Trouble(testDescription: "401", effect: .http(status: 401, code: "INVALID_SESSION_ID")),
        Trouble(testDescription: "request limit", effect: .limit),
        Trouble(testDescription: "the answer before", effect: .duplicateResponse),
        Trouble(testDescription: "locators expire", effect: .expireCursors),
        Trouble(testDescription: "pages shrink", effect: .shrinkPages(2), lasts: true),
    ]
}
