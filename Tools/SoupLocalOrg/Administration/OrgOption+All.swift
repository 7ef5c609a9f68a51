// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

extension OrgOption {
    /// Every option that the administration can change while the org runs.
    static let all: [OrgOption] = records + access + queries + bulk

    private static let records = [
        OrgOption(
            "timestampResolution", .word(OrgOptions.Resolution.allCases.map(\.rawValue)),
            summary: "the finest difference between two timestamps",
            read: { .string($0.resolution.rawValue) },
            write: { $0.resolution = $1.stringValue.flatMap(OrgOptions.Resolution.init) ?? .second }),
        OrgOption(
            "recordTimestamps", .word(["org", "client"]),
            summary:
                "whether new records get the org's time, or that which the client sets; `allowsAuditFields` by another name",
            read: { .string($0.allowsAuditFields ? "client" : "org") },
            write: { $0.allowsAuditFields = $1.stringValue == "client" }),
        truth(
            "allowsAuditFields", \.allowsAuditFields,
            summary: "clients may set `CreatedDate` and the like of new records"),
        OrgOption(
            "userTimeZone", .timeZone,
            summary: "when the days of date literals begin; what `convertTimezone` and `FORMAT` turn times into",
            read: { .string($0.userTimeZone) }, write: { $0.userTimeZone = $1.stringValue ?? "UTC" }),
        OrgOption(
            "patchIdPolicy", .word(["error", "ignore"]), summary: "what becomes of an `Id` in the body of a PATCH",
            read: { .string($0.ignoresIdInPatch ? "ignore" : "error") },
            write: { $0.ignoresIdInPatch = $1.stringValue == "ignore" }),
        truth("getsCountAsViews", \.getsCountAsViews, summary: "reading a row makes it a recent item"),
        milliseconds(
            "replicationLag", \.replicationLag, summary: "how far `/updated` and `/deleted` are behind, in milliseconds"
        ),
    ]

    private static let access = [
        number("dailyLimit", \.dailyLimit, in: 0...MemberForm.highestCount, summary: "API calls a day"),
        truth("strictGrants", \.strictGrants, summary: "secrets and the signatures of assertions are checked"),
        truth("rotatesRefreshTokens", \.rotatesRefreshTokens, summary: "each refresh gives out another refresh token"),
        OrgOption(
            "tokenLifetime", .count, takesNull: true,
            summary: "how long an access token lasts, in seconds; 0 and null for ever",
            read: { $0.tokenLifetime.map { .int($0 / 1000) } ?? .null },
            write: { $0.tokenLifetime = $1.intValue.flatMap { $0 > 0 ? $0 * 1000 : nil } }),
    ]

    private static let queries = [
        number("pageSizeMax", \.maximumPageSize, in: 1...2000, summary: "rows a page at most"),
        truth("emptyInIsError", \.refusesEmptyIds, summary: "`Id IN ('')` is refused"),
        truth("allowsAllRows", \.allowsAllRows, summary: "`ALL ROWS` sees deleted rows"),
        OrgOption(
            "shuffleSeed", .number(.min ... .max), takesNull: true,
            summary: "rows without `ORDER BY` come mixed, by the number",
            read: { $0.shuffleSeed.map { .int($0) } ?? .null }, write: { $0.shuffleSeed = $1.intValue }),
        truth("cursorsKeepRows", \.cursorsKeepRows, summary: "later pages show the rows as they were"),
        OrgOption(
            "cursorLifetime", .number(0...longest), summary: "how long a query can be continued, in milliseconds",
            read: { .int($0.cursorLifetime) }, write: { $0.cursorLifetime = $1.intValue ?? 0 }),
        OrgOption(
            "cursorIdleTime", .number(0...longest), takesNull: true,
            summary: "how long a query can be left alone, in milliseconds",
            read: { $0.cursorIdleTime.map { .int($0) } ?? .null }, write: { $0.cursorIdleTime = $1.intValue }),
        number(
            "maximumCursors", \.maximumCursors, in: 1...1_000_000, summary: "queries that can be continued at a time"),
        milliseconds(
            "searchIndexDelay", \.searchIndexDelay, summary: "how long searches do not know a change, in milliseconds"),
        number(
            "briefcasePageSize", \.briefcasePageSize, in: 1...1_000_000, summary: "records on a page of a briefcase"),
    ]

    private static let bulk = [
        number("bulkPolls", \.bulkPolls, in: 0...1_000_000, summary: "looks at a bulk job before its work is done"),
        number(
            "bulkPageSize", \.bulkPageSize, in: 1...MemberForm.highestCount, summary: "lines of a bulk result on a page"
        ),
        truth(
            "refusesEarlyResults", \.refusesEarlyResults,
            summary: "the result of a job that is not done is 400, and not 204"),
    ]

    /// A hundred years in milliseconds.
    private static let longest = 3_153_600_000_000

    private static func truth(
        _ name: String, _ path: any WritableKeyPath<OrgOptions, Bool> & Sendable, summary: String
    ) -> OrgOption {
        OrgOption(
            name, .truth, summary: summary, read: { .bool($0[keyPath: path]) },
            write: { $0[keyPath: path] = $1.boolValue ?? false })
    }

    private static func number(
        _ name: String, _ path: any WritableKeyPath<OrgOptions, Int> & Sendable, in range: ClosedRange<Int>,
        summary: String
    ) -> OrgOption {
        OrgOption(
            name, .number(range), summary: summary, read: { .int(Int64($0[keyPath: path])) },
            write: { $0[keyPath: path] = MemberForm.whole($1, range) ?? range.lowerBound })
    }

    private static func milliseconds(
        _ name: String, _ path: any WritableKeyPath<OrgOptions, Int64> & Sendable, summary: String
    ) -> OrgOption {
        OrgOption(
            name, .milliseconds, summary: summary, read: { .int($0[keyPath: path]) },
            write: { $0[keyPath: path] = $1.intValue ?? 0 })
    }
}
