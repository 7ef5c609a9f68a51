// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

extension OrgFault {
    /// Reads the rules of a file: one, an array of them, or `{"faults": […]}`.
    ///
    /// The form of a rule is told in `Sources/LocalOrg/README.md`.
    ///
    /// - Parameter file: what errors call it.
    /// - Throws: ``SoupError`` with `badConfiguration` and the place of what is wrong.
    public static func rules(json: [UInt8], file: String) throws -> [OrgFault] {
        let document: JSONValue
        do {
            document = try JSONValue(parsing: json)
        } catch {
            throw SoupError(
                .badConfiguration, "not JSON: \(error.reason.rawValue)",
                place: Place(file: file, offset: min(error.offset, json.count), in: json))
        }
        let rules = document["faults"]?.arrayValue ?? document.arrayValue ?? [document]
        return try rules.enumerated().map { index, rule in
            do {
                return try OrgFault(json: rule)
            } catch let error as OrgError {
                throw SoupError(
                    .badConfiguration, error.items.first?.message ?? "not a fault",
                    place: Place(file: file, path: "[\(index)]"))
            }
        }
    }

    /// Reads a rule as the administration takes it: `{"id", "match": {…}, "when": {…}, "do": {"kind", …}}`.
    ///
    /// - Throws: ``OrgError`` naming what is wrong.
    init(json: JSONValue) throws {
        let rule = try FaultMembers(json, "a fault", knows: ["id", "match", "when", "do"])
        let match = try FaultMembers(
            json["match"] ?? [:], "match", knows: ["method", "path", "object", "bodyContains", "client"])
        let when = try FaultMembers(
            json["when"] ?? [:], "when", knows: ["nth", "every", "probability", "seed", "count", "afterMs"])
        if let pattern = try match.text("path"), (try? Regex(pattern)) == nil {
            throw FaultMembers.wrong("match.path is not a regular expression: \(pattern)")
        }
        let probability = json["when"]?["probability"].flatMap { $0 == .null ? nil : $0 } ?? 1
        guard let probability = probability.doubleValue, (0...1).contains(probability) else {
            throw FaultMembers.wrong("when.probability must be a number from 0 to 1")
        }
        self.init(
            try Self.effect(json["do"] ?? .null), id: try rule.text("id") ?? "", method: try match.text("method"),
            path: try match.text("path"), object: try match.text("object"),
            bodyContains: try match.text("bodyContains"), client: try match.text("client"),
            nth: try when.numbers("nth"), every: try when.number("every"), count: try when.number("count"),
            probability: probability, seed: UInt64(bitPattern: Int64(try when.number("seed", from: .min) ?? 1)),
            afterMilliseconds: try when.milliseconds("afterMs") ?? 0)
    }

    private static func effect(_ json: JSONValue) throws -> Effect {
        let given = try FaultMembers(json, "do", knows: nil)
        switch try given.text("kind") {
        case "http":
            let headers = json["headers"]?.objectValue?.members.compactMap { name, value in
                (value.stringValue ?? value.intValue.map(String.init)).map { (name, $0) }
            }
            let status = try given.number("status", from: 200, to: 599) ?? 500
            return .http(
                status: status, code: try given.text("errorCode") ?? Self.usualCode(status),
                message: try given.text("message"),
                headers: Dictionary(headers ?? []) { first, _ in first }, contentType: try given.text("contentType"))
        case "latency":
            return .latency(try given.milliseconds("ms") ?? 0, jitter: try given.milliseconds("jitterMs") ?? 0)
        case "slowBody":
            return .slowBody(
                bytesPerSecond: try given.number("bytesPerSecond", from: 1),
                stallAfter: try given.number("stallAfterBytes"),
                stall: try given.milliseconds("stallMs") ?? 0)
        case "drop":
            guard let point = DropPoint(rawValue: try given.text("at") ?? "beforeHeaders") else {
                throw FaultMembers.wrong("do.at must be accept, beforeHeaders, midBody or afterCommit")
            }
            return .drop(point)
        case "truncate": return .truncate(try given.number("bytes") ?? 0)
        case "garbage": return .garbage(bytes: try given.number("bytes", to: 1 << 24))
        case "limit": return .limit
        case "expireToken":
            let calls = try given.number("afterCalls")
            let time = try given.milliseconds("ttl")
            return calls == nil && time == nil ? .expireToken : .expireTokenLater(calls: calls, milliseconds: time)
        case "refreshFails": return .refreshFails(try refreshFailure(given, json))
        case "badOAuthToken": return .badOAuthToken
        case "itemError": return .itemError(try itemError(given, json))
        case "locatorExpire":
            let pages = try given.number("afterPages")
            let time = try given.milliseconds("ms")
            return pages == nil && time == nil ? .expireCursors : .expireCursorsLater(pages: pages, milliseconds: time)
        case "shrinkBatch": return .shrinkPages(try given.number("rows", from: 1) ?? 1)
        case "jobFail": return .jobFail(try given.text("message") ?? "InternalServerError : on purpose")
        case "jobStall":
            return .jobStall(looks: try given.number("looks") ?? 0, milliseconds: try given.milliseconds("ms") ?? 0)
        case "shuffle": return .shuffle(try given.number("seed", from: .min).map { Int64($0) })
        case "reverseIndependent": return .reverseIndependent
        case "mutateBetweenPages": return .mutateBetweenPages(try changes(json))
        case "searchIndexDelay": return .searchIndexDelay(try given.milliseconds("ms") ?? 0)
        case "replicationLag": return .replicationLag(try given.milliseconds("ms") ?? 0)
        case "duplicateResponse": return .duplicateResponse
        case "moveInstance":
            guard let url = try given.text("url"), !url.isEmpty else {
                throw FaultMembers.wrong("do.url must be the URL of the instance")
            }
            return .moveInstance(url)
        case let kind: throw FaultMembers.wrong("unknown kind of fault: \(kind ?? "none")")
        }
    }

    /// The code that orgs have for a status, when a rule names none.
    private static func usualCode(_ status: Int) -> String {
        switch status {
        case 401: "INVALID_SESSION_ID"
        case 404: "NOT_FOUND"
        case 403, 429: "REQUEST_LIMIT_EXCEEDED"
        case 503: "SERVER_UNAVAILABLE"
        default: "UNKNOWN_EXCEPTION"
        }
    }

    private static func refreshFailure(_ given: FaultMembers, _ json: JSONValue) throws -> RefreshFailure {
        if let status = try given.number("status", from: 200, to: 599) { return .status(status) }
        switch try given.text("with") ?? "invalid_grant" {
        case "invalid_grant": return .invalidGrant
        case "timeout": return .timeout(try given.milliseconds("ms") ?? 60_000)
        case let text:
            guard let status = Int(text), (400...599).contains(status) else {
                throw FaultMembers.wrong("do.with must be invalid_grant, timeout or an HTTP status")
            }
            return .status(status)
        }
    }

    private static func itemError(_ given: FaultMembers, _ json: JSONValue) throws -> ItemError {
        ItemError(
            index: try given.number("index"), referenceId: try given.text("referenceId"),
            object: try given.text("object"), field: try given.text("field"), value: json["value"],
            contains: try given.text("contains"),
            code: try given.text("statusCode") ?? given.text("errorCode") ?? "UNKNOWN_EXCEPTION",
            message: try given.text("message"), fields: json["fields"]?.arrayValue?.compactMap(\.stringValue) ?? [])
    }

    private static func changes(_ json: JSONValue) throws -> [RowChange] {
        func each(_ key: String, needsId: Bool = true, _ make: (String, String, JSONObject) -> RowChange) throws
            -> [RowChange]
        {
            let list = json[key]?.arrayValue ?? json[key].map { [$0] } ?? []
            return try list.map { item in
                guard let object = item["object"]?.stringValue, let id = item["id"]?.stringValue ?? (needsId ? nil : "")
                else { throw FaultMembers.wrong("do.\(key) needs an \"object\"\(needsId ? " and an \"id\"" : "")") }
                return make(object, id, item["values"]?.objectValue ?? JSONObject())
            }
        }
        let all =
            try each("insert", needsId: false) { object, _, values in .insert(object: object, values: values) }
            + each("edit") { .edit(object: $0, id: $1, values: $2) }
            + each("delete") { object, id, _ in .delete(object: object, id: id) }
        guard !all.isEmpty else {
            throw FaultMembers.wrong("mutateBetweenPages needs \"insert\", \"edit\" or \"delete\"")
        }
        return all
    }
}
