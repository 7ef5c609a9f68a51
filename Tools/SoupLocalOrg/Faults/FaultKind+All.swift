// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

extension FaultKind {
    /// Every kind.
    static let all: [FaultKind] = time + answers + sessions + records + jobs + queries

    private static let time = [
        FaultKind(
            "latency", members: [.init("ms", .milliseconds), .init("jitterMs", .milliseconds)],
            summary: "delays the request before it is processed"
        ) { .latency($0.duration("ms") ?? .zero, jitter: $0.duration("jitterMs") ?? .zero) },
        FaultKind(
            "slowBody",
            members: [
                .init("bytesPerSecond", .number(1...MemberForm.highestCount)), .init("stallAfterBytes", .count),
                .init("stallMs", .milliseconds),
            ], summary: "sends the body slowly, with one pause"
        ) {
            .slowBody(
                bytesPerSecond: $0.number("bytesPerSecond"), stallAfter: $0.number("stallAfterBytes"),
                stall: $0.duration("stallMs") ?? .zero)
        },
    ]

    private static let answers = [
        FaultKind(
            "drop", members: [.init("at", .word(["accept", "beforeHeaders", "midBody", "afterCommit"]))],
            summary: "closes the connection; at `midBody` and `afterCommit` the work is done"
        ) { .drop($0.text("at").flatMap(OrgFault.DropPoint.init) ?? .beforeHeaders) },
        FaultKind("truncate", members: [.init("bytes", .count)], summary: "sends only the start of the body") {
            .truncate($0.number("bytes") ?? 0)
        },
        FaultKind(
            "garbage", members: [.init("bytes", .number(0...Self.mostGarbage))],
            summary: "replaces the body by one that is not JSON"
        ) {
            .garbage(bytes: $0.number("bytes"))
        },
        FaultKind(
            "http",
            members: [
                .init("status", .number(200...599)), .init("errorCode", .text), .init("message", .text),
                .init("contentType", .text), .init("headers", .headers),
            ], summary: "replaces the response; the body for 502, 504 and HTML content types is an HTML page"
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
            "limit", members: [],
            summary: "answers 403 `REQUEST_LIMIT_EXCEEDED`; the option `dailyLimit` counts the calls"
        ) { _ in .limit },
        FaultKind("duplicateResponse", members: [], summary: "sends the previous response again; the work is done") {
            _ in
            .duplicateResponse
        },
        FaultKind(
            "gateway", members: [.init("status", .number(200...599)), .init("body", .text)],
            summary:
                "does the work and answers as a gateway, with an HTML page if `body` is missing"
        ) { .gateway(status: $0.number("status") ?? 404, body: $0.text("body")) },
    ]

    /// The maximum number of random bytes in a response.
    static let mostGarbage = 1 << 24

    private static let sessions = [
        FaultKind(
            "expireToken", members: [.init("afterCalls", .count), .init("ttl", .milliseconds)],
            summary: "ends all access tokens: at once, after a number of calls, or after a time"
        ) { given in
            let (calls, time) = (given.number("afterCalls"), given.duration("ttl"))
            return calls == nil && time == nil ? .expireToken : .expireTokenLater(calls: calls, after: time)
        },
        FaultKind(
            "refreshFails",
            members: [
                .init("with", .word(["invalid_grant", "timeout"], or: 400...599)),
                .init("status", .number(400...599)), .init("ms", .milliseconds),
            ],
            summary: "lets the refresh of a token fail, also with a status; a timeout closes the connection after `ms`"
        ) { given in
            let digits = given.number("with") ?? given.text("with").flatMap { Int($0) }
            if let status = given.number("status") ?? digits { return .refreshFails(.status(status)) }
            return given.text("with") == "timeout"
                ? .refreshFails(.timeout(given.duration("ms") ?? .seconds(60))) : .refreshFails(.invalidGrant)
        },
        FaultKind(
            "badOAuthToken", members: [], summary: "answers 403 `Bad_OAuth_Token` on `/userinfo` and `/singleaccess`"
        ) {
            _ in
            .badOAuthToken
        },
        FaultKind(
            "moveInstance", members: [.init("url", .text)],
            summary: "sets the instance URL of all tokens from the next refresh on"
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
                "rejects each record of a collection, tree, composite request or bulk job that matches the first "
                + "six parameters, with the code (`statusCode` or `errorCode`), message and fields"
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
            ], summary: "changes records before the next page of a query; IDs may be `@key`"
        ) { .mutateBetweenPages(try changes($0)) },
    ]

    private static let jobs = [
        FaultKind(
            "jobFail", members: [.init("message", .text)],
            summary: "lets the bulk job or batch that is started or polled fail"
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
                "keeps a bulk job or batch in a state (`UploadComplete` is `Queued` for a batch) for a number of "
                + "polls and a time on the org's clock"
        ) { given in
            .jobStall(
                polls: given.number("looks") ?? 0, time: given.duration("ms") ?? .zero,
                state: given.text("state").flatMap(OrgFault.StalledState.init) ?? .inProgress)
        },
    ]

    private static let queries = [
        FaultKind(
            "shrinkBatch", members: [.init("rows", .number(1...2000))], summary: "returns smaller pages than requested"
        ) {
            .shrinkPages($0.number("rows") ?? 1)
        },
        FaultKind(
            "locatorExpire", members: [.init("afterPages", .count), .init("ms", .milliseconds)],
            summary: "ends the cursors of queries: at once, after a number of pages, or after a time"
        ) { given in
            let (pages, time) = (given.number("afterPages"), given.duration("ms"))
            return pages == nil && time == nil ? .expireCursors : .expireCursorsLater(pages: pages, after: time)
        },
        FaultKind(
            "shuffle", members: [.init("seed", .number(.min ... .max))],
            summary: "returns records without an order in random order"
        ) {
            .shuffle($0.number("seed").map { Int64($0) })
        },
        FaultKind(
            "reverseIndependent", members: [],
            summary: "runs independent subrequests from the last to the first"
        ) { _ in .reverseIndependent },
        FaultKind(
            "searchIndexDelay", members: [.init("ms", .milliseconds)],
            summary: "lets searches ignore the latest changes"
        ) {
            .searchIndexDelay($0.duration("ms") ?? .zero)
        },
        FaultKind(
            "replicationLag", members: [.init("ms", .milliseconds)],
            summary: "lets `/updated` and `/deleted` ignore the latest changes"
        ) {
            .replicationLag($0.duration("ms") ?? .zero)
        },
        FaultKind(
            "lateCommit", members: [.init("ms", .milliseconds)],
            summary: "dates the changes of the request `ms` before their commit, as a transaction that takes as long"
        ) {
            .lateCommit($0.duration("ms") ?? .zero)
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
