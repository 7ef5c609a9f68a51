// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

extension OrgFault {
    /// Reads a rule as the administration takes it: `{"id", "match": {…}, "when": {…}, "do": {"kind", …}}`.
    ///
    /// - Throws: ``OrgError`` naming what is wrong.
    init(json: JSONValue) throws {
        let match = json["match"]
        let when = json["when"]
        func number(_ value: JSONValue?) -> Int? { value?.intValue.flatMap { Int(exactly: $0) } }
        if let pattern = match?["path"]?.stringValue, (try? Regex(pattern)) == nil {
            throw OrgError(400, "INVALID_INPUT", "match.path is not a regular expression: \(pattern)")
        }
        self.init(
            try Self.effect(json["do"] ?? .null), id: json["id"]?.stringValue ?? "",
            method: match?["method"]?.stringValue, path: match?["path"]?.stringValue,
            object: match?["object"]?.stringValue, bodyContains: match?["bodyContains"]?.stringValue,
            nth: when?["nth"]?.arrayValue?.compactMap { number($0) } ?? [], every: number(when?["every"]),
            count: number(when?["count"]), probability: when?["probability"]?.doubleValue ?? 1,
            seed: UInt64(bitPattern: when?["seed"]?.intValue ?? 1))
    }

    private static func effect(_ json: JSONValue) throws -> Effect {
        func number(_ key: String) -> Int? { json[key]?.intValue.flatMap { Int(exactly: $0) } }
        func text(_ key: String) -> String? { json[key]?.stringValue }
        switch text("kind") {
        case "http":
            let headers = json["headers"]?.objectValue?.members.compactMap { name, value in
                (value.stringValue ?? value.intValue.map(String.init)).map { (name, $0) }
            }
            return .http(
                status: number("status") ?? 500, code: text("errorCode") ?? "UNKNOWN_EXCEPTION",
                message: text("message"), headers: Dictionary(headers ?? []) { first, _ in first })
        case "latency": return .latency(Int64(number("ms") ?? 0))
        case "drop":
            guard let point = DropPoint(rawValue: text("at") ?? "beforeHeaders") else {
                throw OrgError(400, "INVALID_INPUT", "do.at must be accept, beforeHeaders, midBody or afterCommit")
            }
            return .drop(point)
        case "truncate": return .truncate(number("bytes") ?? 0)
        case "garbage": return .garbage
        case "limit": return .limit
        case "expireToken": return .expireToken
        case "itemError":
            return .itemError(
                ItemError(
                    index: number("index"), referenceId: text("referenceId"), contains: text("contains"),
                    code: text("statusCode") ?? text("errorCode") ?? "UNKNOWN_EXCEPTION", message: text("message"),
                    fields: json["fields"]?.arrayValue?.compactMap(\.stringValue) ?? []))
        case "locatorExpire": return .expireCursors
        case "shrinkBatch": return .shrinkPages(max(1, number("rows") ?? 1))
        case "jobFail": return .jobFail(text("message") ?? "InternalServerError : on purpose")
        case "jobStall":
            return .jobStall(looks: max(0, number("looks") ?? 0), milliseconds: Int64(max(0, number("ms") ?? 0)))
        case let kind:
            throw OrgError(400, "INVALID_INPUT", "unknown kind of fault: \(kind ?? "none")")
        }
    }
}
