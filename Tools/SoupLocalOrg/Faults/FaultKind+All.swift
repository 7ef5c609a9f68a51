// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

extension FaultKind {
    /// Every kind.
    static let all: [FaultKind] = time + answers + sessions + records + jobs + queries

    private static let time = [
        FaultKind(
            "latency", members: [.init("ms", .milliseconds), .init("jitterMs", .milliseconds)],
            summary: "a pause before the request is looked at"
        ) { .latency($0.milliseconds("ms") ?? 0, jitter: $0.milliseconds("jitterMs") ?? 0) },
        FaultKind(
            "slowBody",
            members: [
                .init("bytesPerSecond", .number(1...MemberForm.highestCount)), .init("stallAfterBytes", .count),
                .init("stallMs", .milliseconds),
            ], summary: "the body trickles, and stands still once"
        ) {
            .slowBody(
                bytesPerSecond: $0.number("bytesPerSecond"), stallAfter: $0.number("stallAfterBytes"),
                stall: $0.milliseconds("stallMs") ?? 0)
        },
    ]

    private static let answers = [
        FaultKind(
            "drop", members: [.init("at", .word(["accept", "beforeHeaders", "midBody", "afterCommit"]))],
            summary: "the connection breaks; at the last two the work is done"
        ) { .drop($0.text("at").flatMap(OrgFault.DropPoint.init) ?? .beforeHeaders) },
        FaultKind("truncate", members: [.init("bytes", .count)], summary: "the body ends early") {
            .truncate($0.number("bytes") ?? 0)
        },
        FaultKind("garbage", members: [.init("bytes", .number(0...Self.mostGarbage))], summary: "the body is no JSON") {
            .garbage(bytes: $0.number("bytes"))
        },
        FaultKind(
            "http",
            members: [
                .init("status", .number(200...599)), .init("errorCode", .text), .init("message", .text),
                .init("contentType", .text), .init("headers", .headers),
            ], summary: "another answer; 502, 504 and types of HTML are a page"
        ) { given in
            let status = given.number("status") ?? 500
            let headers = given["headers"]?.objectValue?.members.compactMap { name, value in
                (value.stringValue ?? value.intValue.map(String.init)).map { (name, $0) }
            }
            return .http(
                status: status, code: given.text("errorCode") ?? usualCode(status), message: given.text("message"),
                headers: Dictionary(headers ?? []) { first, _ in first }, contentType: given.text("contentType"))
        },
        FaultKind(
            "limit", members: [], summary: "403 `REQUEST_LIMIT_EXCEEDED`; the option `dailyLimit` counts for real"
        ) { _ in .limit },
        FaultKind("duplicateResponse", members: [], summary: "the answer before comes again, though the work is done") {
            _ in
            .duplicateResponse
        },
        FaultKind(
            "gateway", members: [.init("status", .number(200...599)), .init("body", .text)],
            summary:
                "the work is done, and a gateway answers in the org's place, with a page of HTML unless `body` is given"
        ) { .gateway(status: $0.number("status") ?? 404, body: $0.text("body")) },
    ]

    /// The maximum number of random bytes in a response.
    static let mostGarbage = 1 << 24

    private static let sessions = [
        FaultKind(
            "expireToken", members: [.init("afterCalls", .count), .init("ttl", .milliseconds)],
            summary: "all access tokens end: at once, after so many calls, after a time"
        ) { given in
            let (calls, time) = (given.number("afterCalls"), given.milliseconds("ttl"))
            return calls == nil && time == nil ? .expireToken : .expireTokenLater(calls: calls, milliseconds: time)
        },
        FaultKind(
            "refreshFails",
            members: [
                .init("with", .word(["invalid_grant", "timeout"], or: 400...599)),
                .init("status", .number(400...599)), .init("ms", .milliseconds),
            ], summary: "refreshing a token fails, by a status too; a timeout breaks the connection after so long"
        ) { given in
            let digits = given.number("with") ?? given.text("with").flatMap { Int($0) }
            if let status = given.number("status") ?? digits { return .refreshFails(.status(status)) }
            return given.text("with") == "timeout"
                ? .refreshFails(.timeout(given.milliseconds("ms") ?? 60_000)) : .refreshFails(.invalidGrant)
        },
        FaultKind("badOAuthToken", members: [], summary: "403 `Bad_OAuth_Token` on `/userinfo` and `/singleaccess`") {
            _ in
            .badOAuthToken
        },
        FaultKind(
            "moveInstance", members: [.init("url", .text)],
            summary: "the next refreshed token, and all after it, name that URL"
        ) {
            guard let url = $0.text("url"), !url.isEmpty else {
                throw CheckedMembers.wrong("do.url must be the URL of the instance")
            }
            return .moveInstance(url)
        },
    ]

    private static let records = [
        FaultKind(
            "itemError",
            members: [
                .init("index", .count), .init("referenceId", .text), .init("object", .text), .init("field", .text),
                .init("value", .anything), .init("contains", .text), .init("statusCode", .text),
                .init("errorCode", .text), .init("message", .text), .init("fields", .texts),
            ],
            summary:
                "the record of a collection, tree, composite request or bulk job that all of the first six fit fails, with "
                + "the code (under either name), message and fields that the others say"
        ) { given in
            .itemError(
                OrgFault.ItemError(
                    index: given.number("index"), referenceId: given.text("referenceId"),
                    object: given.text("object"), field: given.text("field"), value: given.object["value"],
                    contains: given.text("contains"),
                    code: given.text("statusCode") ?? given.text("errorCode") ?? "UNKNOWN_EXCEPTION",
                    message: given.text("message"), fields: given.texts("fields")))
        },
        FaultKind(
            "mutateBetweenPages",
            members: [
                .init("insert", .objects([.init("object", .text), .init("values", .anything)], needs: ["object"])),
                .init(
                    "edit",
                    .objects(
                        [.init("object", .text), .init("id", .text), .init("values", .anything)],
                        needs: ["object", "id"])),
                .init(
                    "delete",
                    .objects([.init("object", .text), .init("id", .text)], needs: ["object", "id"])),
            ], summary: "rows change before the next page of a query; ids may be `@key`"
        ) { .mutateBetweenPages(try changes($0)) },
    ]

    private static let jobs = [
        FaultKind(
            "jobFail", members: [.init("message", .text)],
            summary: "the bulk job or batch that is handed over, or looked at, fails"
        ) {
            .jobFail($0.text("message") ?? "InternalServerError : on purpose")
        },
        FaultKind(
            "jobStall",
            members: [
                .init("state", .word(OrgFault.StalledState.allCases.map(\.rawValue))),
                .init("looks", .number(0...1_000_000)), .init("ms", .milliseconds),
            ],
            summary:
                "a bulk job or batch stays in that state (of a batch `UploadComplete` is `Queued`), for so many looks, and "
                + "so long on the org's clock"
        ) { given in
            .jobStall(
                looks: given.number("looks") ?? 0, milliseconds: given.milliseconds("ms") ?? 0,
                state: given.text("state").flatMap(OrgFault.StalledState.init) ?? .inProgress)
        },
    ]

    private static let queries = [
        FaultKind("shrinkBatch", members: [.init("rows", .number(1...2000))], summary: "pages are smaller than asked") {
            .shrinkPages($0.number("rows") ?? 1)
        },
        FaultKind(
            "locatorExpire", members: [.init("afterPages", .count), .init("ms", .milliseconds)],
            summary: "queries cannot be continued: at once, after so many pages, after a time"
        ) { given in
            let (pages, time) = (given.number("afterPages"), given.milliseconds("ms"))
            return pages == nil && time == nil ? .expireCursors : .expireCursorsLater(pages: pages, milliseconds: time)
        },
        FaultKind(
            "shuffle", members: [.init("seed", .number(.min ... .max))], summary: "rows without an order come in any"
        ) {
            .shuffle($0.number("seed").map { Int64($0) })
        },
        FaultKind(
            "reverseIndependent", members: [],
            summary: "subrequests that do not need each other are done from the last to the first"
        ) { _ in .reverseIndependent },
        FaultKind(
            "searchIndexDelay", members: [.init("ms", .milliseconds)],
            summary: "searches do not know the latest changes"
        ) {
            .searchIndexDelay($0.milliseconds("ms") ?? 0)
        },
        FaultKind(
            "replicationLag", members: [.init("ms", .milliseconds)], summary: "`/updated` and `/deleted` are behind"
        ) {
            .replicationLag($0.milliseconds("ms") ?? 0)
        },
    ]

    /// Returns the error code of orgs for a status, for rules without a code.
    private static func usualCode(_ status: Int) -> String {
        switch status {
        case 401: "INVALID_SESSION_ID"
        case 404: "NOT_FOUND"
        case 403, 429: "REQUEST_LIMIT_EXCEEDED"
        case 503: "SERVER_UNAVAILABLE"
        default: "UNKNOWN_EXCEPTION"
        }
    }

    private static func changes(_ given: CheckedMembers) throws -> [OrgFault.RowChange] {
        func text(_ item: JSONValue, _ key: String) -> String { item[key]?.stringValue ?? "" }
        func values(_ item: JSONValue, _ key: String) throws -> JSONObject {
            guard let values = item["values"], !values.isNull else { return JSONObject() }
            guard let object = values.objectValue else {
                throw CheckedMembers.wrong("do.\(key).values must be an object")
            }
            return object
        }
        let all: [OrgFault.RowChange] =
            try given.list("insert").map { .insert(object: text($0, "object"), values: try values($0, "insert")) }
            + given.list("edit").map {
                .edit(object: text($0, "object"), id: text($0, "id"), values: try values($0, "edit"))
            } + given.list("delete").map { .delete(object: text($0, "object"), id: text($0, "id")) }
        guard !all.isEmpty else {
            throw CheckedMembers.wrong("mutateBetweenPages needs \"insert\", \"edit\" or \"delete\"")
        }
        return all
    }
}
