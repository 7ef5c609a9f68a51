// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

extension OrgOption {
    /// Every option that the administration may change while the org runs.
    static let all: [OrgOption] = records + access + queries + bulk

    private static let records = [
        OrgOption(
            "timestampResolution", .word(OrgOptions.Resolution.allCases.map(\.rawValue)),
            "the finest difference between two timestamps",
            { .string($0.resolution.rawValue) },
            { $0.resolution = $1.stringValue.flatMap(OrgOptions.Resolution.init) ?? .second }),
        OrgOption(
            "recordTimestamps", .word(["org", "client"]),
            "whether new records get the org's time, or that which the client sets; `allowsAuditFields` by another name",
            { .string($0.allowsAuditFields ? "client" : "org") },
            { $0.allowsAuditFields = $1.stringValue == "client" }),
        truth("allowsAuditFields", \.allowsAuditFields, "clients may set `CreatedDate` and the like of new records"),
        OrgOption(
            "userTimeZone", .timeZone,
            "when the days of date literals begin; what `convertTimezone` and `FORMAT` turn times into",
            { .string($0.userTimeZone) }, { $0.userTimeZone = $1.stringValue ?? "UTC" }),
        OrgOption(
            "patchIdPolicy", .word(["error", "ignore"]), "what becomes of an `Id` in the body of a PATCH",
            { .string($0.ignoresIdInPatch ? "ignore" : "error") },
            { $0.ignoresIdInPatch = $1.stringValue == "ignore" }),
        truth("getsCountAsViews", \.getsCountAsViews, "reading a row makes it a recent item"),
        milliseconds(
            "replicationLag", \.replicationLag, "how far `/updated` and `/deleted` are behind, in milliseconds"),
    ]

    private static let access = [
        number("dailyLimit", \.dailyLimit, 0...MemberForm.highestCount, "API calls a day"),
        truth("strictGrants", \.strictGrants, "secrets and the signatures of assertions are checked"),
        truth("rotatesRefreshTokens", \.rotatesRefreshTokens, "each refresh gives out another refresh token"),
        OrgOption(
            "tokenLifetime", .count, takesNull: true, "how long an access token lasts, in seconds; 0 and null for ever",
            { $0.tokenLifetime.map { .int($0 / 1000) } ?? .null },
            { $0.tokenLifetime = $1.intValue.flatMap { $0 > 0 ? $0 * 1000 : nil } }),
    ]

    private static let queries = [
        number("pageSizeMax", \.maximumPageSize, 1...2000, "rows a page at most"),
        truth("emptyInIsError", \.refusesEmptyIds, "`Id IN ('')` is refused"),
        truth("allowsAllRows", \.allowsAllRows, "`ALL ROWS` sees deleted rows"),
        OrgOption(
            "shuffleSeed", .number(.min ... .max), takesNull: true,
            "rows without `ORDER BY` come mixed, by the number",
            { $0.shuffleSeed.map { .int($0) } ?? .null }, { $0.shuffleSeed = $1.intValue }),
        truth("cursorsKeepRows", \.cursorsKeepRows, "later pages show the rows as they were"),
        OrgOption(
            "cursorLifetime", .number(0...longest), "how long a query can be continued, in milliseconds",
            { .int($0.cursorLifetime) }, { $0.cursorLifetime = $1.intValue ?? 0 }),
        OrgOption(
            "cursorIdleTime", .number(0...longest), takesNull: true,
            "how long a query can be left alone, in milliseconds",
            { $0.cursorIdleTime.map { .int($0) } ?? .null }, { $0.cursorIdleTime = $1.intValue }),
        number("maximumCursors", \.maximumCursors, 1...1_000_000, "queries that can be continued at a time"),
        milliseconds("searchIndexDelay", \.searchIndexDelay, "how long searches do not know a change, in milliseconds"),
        number("briefcasePageSize", \.briefcasePageSize, 1...1_000_000, "records on a page of a briefcase"),
    ]

    private static let bulk = [
        number("bulkPolls", \.bulkPolls, 0...1_000_000, "looks at a bulk job before its work is done"),
        number("bulkPageSize", \.bulkPageSize, 1...MemberForm.highestCount, "lines of a bulk result on a page"),
        truth("refusesEarlyResults", \.refusesEarlyResults, "the result of a job that is not done is 400, and not 204"),
    ]

    /// A hundred years in milliseconds.
    private static let longest = 3_153_600_000_000

    private static func truth(
        _ name: String, _ path: any WritableKeyPath<OrgOptions, Bool> & Sendable, _ summary: String
    ) -> OrgOption {
        OrgOption(
            name, .truth, summary, { .bool($0[keyPath: path]) }, { $0[keyPath: path] = $1.boolValue ?? false })
    }

    private static func number(
        _ name: String, _ path: any WritableKeyPath<OrgOptions, Int> & Sendable, _ range: ClosedRange<Int>,
        _ summary: String
    ) -> OrgOption {
        OrgOption(
            name, .number(range), summary, { .int(Int64($0[keyPath: path])) },
            { $0[keyPath: path] = MemberForm.whole($1, range) ?? range.lowerBound })
    }

    private static func milliseconds(
        _ name: String, _ path: any WritableKeyPath<OrgOptions, Int64> & Sendable, _ summary: String
    ) -> OrgOption {
        OrgOption(
            name, .milliseconds, summary, { .int($0[keyPath: path]) }, { $0[keyPath: path] = $1.intValue ?? 0 })
    }
}
