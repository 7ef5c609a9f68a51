// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

extension OrgOption {
    /// Every option that the administration can change while the org runs.
    static let all: [OrgOption] = records + access + queries + bulk

    private static let records = [
        OrgOption(
            "timestampResolution", .word(OrgOptions.Resolution.allCases.map(\.rawValue)),
            summary: "the resolution of timestamps",
            read: { .string($0.resolution.rawValue) },
            write: { $0.resolution = $1.stringValue.flatMap(OrgOptions.Resolution.init) ?? .second }),
        OrgOption(
            "recordTimestamps", .word(["org", "client"]),
            summary:
                "who sets the timestamps of new records; another name of `allowsAuditFields`",
            read: { .string($0.allowsAuditFields ? "client" : "org") },
            write: { $0.allowsAuditFields = $1.stringValue == "client" }),
        truth(
            "allowsAuditFields", \.allowsAuditFields,
            summary: "clients can set `CreatedDate` and the other audit fields of new records"),
        OrgOption(
            "userTimeZone", .timeZone,
            summary: "the time zone of date literals, `convertTimezone` and `FORMAT`",
            read: { .string($0.userTimeZone) }, write: { $0.userTimeZone = $1.stringValue ?? "UTC" }),
        OrgOption(
            "patchIdPolicy", .word(["error", "ignore"]), summary: "the effect of an `Id` in the body of a PATCH",
            read: { .string($0.ignoresIdInPatch ? "ignore" : "error") },
            write: { $0.ignoresIdInPatch = $1.stringValue == "ignore" }),
        truth("getsCountAsViews", \.getsCountAsViews, summary: "reading a record makes it a recent item"),
        milliseconds(
            "replicationLag", \.replicationLag, summary: "the delay of `/updated` and `/deleted` in milliseconds"
        ),
    ]

    private static let access = [
        number(
            "dailyLimit", \.dailyLimit, in: 0...MemberForm.highestCount,
            summary: "the maximum number of API calls per day"),
        truth("strictGrants", \.strictGrants, summary: "client secrets and the signatures of assertions are checked"),
        truth("rotatesRefreshTokens", \.rotatesRefreshTokens, summary: "each refresh returns a new refresh token"),
        OrgOption(
            "tokenLifetime", .count, takesNull: true,
            summary: "the lifetime of an access token in seconds; 0 and null mean no end",
            read: { $0.tokenLifetime.map { .int($0.milliseconds / 1000) } ?? .null },
            write: { $0.tokenLifetime = $1.intValue.flatMap { $0 > 0 ? .seconds($0) : nil } }),
    ]

    private static let queries = [
        number("pageSizeMax", \.maximumPageSize, in: 1...2000, summary: "the maximum number of records per page"),
        truth("emptyInIsError", \.refusesEmptyIds, summary: "`Id IN ('')` is an error"),
        truth("allowsAllRows", \.allowsAllRows, summary: "`ALL ROWS` includes deleted records"),
        OrgOption(
            "shuffleSeed", .number(.min ... .max), takesNull: true,
            summary: "the seed for the random order of records without `ORDER BY`",
            read: { $0.shuffleSeed.map { .int($0) } ?? .null }, write: { $0.shuffleSeed = $1.intValue }),
        truth(
            "cursorsKeepRows", \.cursorsKeepRows,
            summary: "later pages contain the records as they were at the start of the query"),
        OrgOption(
            "cursorLifetime", .number(0...longest), summary: "the lifetime of a cursor in milliseconds",
            read: { .int($0.cursorLifetime.milliseconds) },
            write: { $0.cursorLifetime = .milliseconds($1.intValue ?? 0) }),
        OrgOption(
            "cursorIdleTime", .number(0...longest), takesNull: true,
            summary: "the maximum time between two pages of a query in milliseconds",
            read: { $0.cursorIdleTime.map { .int($0.milliseconds) } ?? .null },
            write: { $0.cursorIdleTime = $1.intValue.map { .milliseconds($0) } }),
        number(
            "maximumCursors", \.maximumCursors, in: 1...1_000_000, summary: "the maximum number of cursors"),
        milliseconds(
            "searchIndexDelay", \.searchIndexDelay, summary: "the delay before searches find a change, in milliseconds"),
        number(
            "briefcasePageSize", \.briefcasePageSize, in: 1...1_000_000,
            summary: "the number of records per page of a briefcase"),
    ]

    private static let bulk = [
        number(
            "bulkPolls", \.bulkPolls, in: 0...1_000_000,
            summary: "the number of polls of a bulk job before it is complete"),
        number(
            "bulkPageSize", \.bulkPageSize, in: 1...MemberForm.highestCount,
            summary: "the number of lines per page of a bulk result"
        ),
        truth(
            "refusesEarlyResults", \.refusesEarlyResults,
            summary: "the result of an incomplete job is 400 instead of 204"),
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
        _ name: String, _ path: any WritableKeyPath<OrgOptions, Duration> & Sendable, summary: String
    ) -> OrgOption {
        OrgOption(
            name, .milliseconds, summary: summary, read: { .int($0[keyPath: path].milliseconds) },
            write: { $0[keyPath: path] = .milliseconds($1.intValue ?? 0) })
    }
}
