// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

extension OrgFault {
    /// The rule in the form of the administration, without default values; reading it gives the same rule.
    var json: JSONObject {
        var match = Written()
        match.put("method", method)
        match.put("path", path)
        match.put("object", object)
        match.put("bodyContains", bodyContains)
        match.put("client", client)
        var when = Written()
        if !nth.isEmpty { when.members["nth"] = .array(nth.map { .int(Int64($0)) }) }
        when.put("every", every)
        when.put("count", count)
        if probability != 1 { when.members["probability"] = .double(probability) }
        if seed != 1 { when.members["seed"] = .int(Int64(bitPattern: seed)) }
        if startDelay != .zero { when.members["afterMs"] = .int(startDelay.milliseconds) }
        var rule: JSONObject = ["id": .string(id)]
        if !match.members.members.isEmpty { rule["match"] = .object(match.members) }
        if !when.members.members.isEmpty { rule["when"] = .object(when.members) }
        rule["do"] = .object(effect.json)
        return rule
    }
}

/// A JSON object that is being written; missing values are left out.
private struct Written {
    var members = JSONObject()

    init(_ kind: String? = nil) { put("kind", kind) }

    mutating func put(_ key: String, _ text: String?) { if let text { members[key] = .string(text) } }
    mutating func put(_ key: String, _ number: (some BinaryInteger)?) {
        if let number { members[key] = .int(Int64(clamping: number)) }
    }
    mutating func put(_ key: String, _ list: [JSONValue]) { if !list.isEmpty { members[key] = .array(list) } }
}

extension OrgFault.Effect {
    /// The effect in the form of a rule's `do`.
    fileprivate var json: JSONObject {
        switch self {
        case .http(let status, let code, let message, let headers, let contentType):
            var written = Written("http")
            written.put("status", status)
            written.put("errorCode", code)
            written.put("message", message)
            written.put("contentType", contentType)
            let sorted = headers.sorted { $0.key < $1.key }
            if !sorted.isEmpty {
                written.members["headers"] = .object(JSONObject(sorted.map { (key: $0.key, value: .string($0.value)) }))
            }
            return written.members
        case .latency(let pause, let jitter):
            return Self.written(
                "latency", ["ms": pause.milliseconds, "jitterMs": jitter == .zero ? nil : jitter.milliseconds])
        case .slowBody(let rate, let place, let stall):
            return Self.written(
                "slowBody",
                [
                    "bytesPerSecond": rate.map { Int64($0) }, "stallAfterBytes": place.map { Int64($0) },
                    "stallMs": stall == .zero ? nil : stall.milliseconds,
                ])
        case .drop(let point): return ["kind": "drop", "at": .string(point.rawValue)]
        case .truncate(let bytes): return Self.written("truncate", ["bytes": Int64(bytes)])
        case .garbage(let bytes): return Self.written("garbage", ["bytes": bytes.map { Int64($0) }])
        case .limit: return ["kind": "limit"]
        case .expireToken: return ["kind": "expireToken"]
        case .expireTokenLater(let calls, let time):
            return Self.written("expireToken", ["afterCalls": calls.map { Int64($0) }, "ttl": time?.milliseconds])
        case .refreshFails(.invalidGrant): return ["kind": "refreshFails", "with": "invalid_grant"]
        case .refreshFails(.status(let status)): return Self.written("refreshFails", ["status": Int64(status)])
        case .refreshFails(.timeout(let time)):
            return ["kind": "refreshFails", "with": "timeout", "ms": .int(time.milliseconds)]
        case .badOAuthToken: return ["kind": "badOAuthToken"]
        case .itemError(let error): return error.json
        case .expireCursors: return ["kind": "locatorExpire"]
        case .expireCursorsLater(let pages, let time):
            return Self.written("locatorExpire", ["afterPages": pages.map { Int64($0) }, "ms": time?.milliseconds])
        case .shrinkPages(let rows): return Self.written("shrinkBatch", ["rows": Int64(rows)])
        case .jobFail(let message): return ["kind": "jobFail", "message": .string(message)]
        case .jobStall(let polls, let time, let state):
            return [
                "kind": "jobStall", "state": .string(state.rawValue), "looks": .int(Int64(polls)),
                "ms": .int(time.milliseconds),
            ]
        case .shuffle(let seed): return Self.written("shuffle", ["seed": seed])
        case .reverseIndependent: return ["kind": "reverseIndependent"]
        case .mutateBetweenPages(let changes): return Self.written(changes)
        case .searchIndexDelay(let time): return Self.written("searchIndexDelay", ["ms": time.milliseconds])
        case .replicationLag(let time): return Self.written("replicationLag", ["ms": time.milliseconds])
        case .lateCommit(let time): return Self.written("lateCommit", ["ms": time.milliseconds])
        case .duplicateResponse: return ["kind": "duplicateResponse"]
        case .gateway(let status, let body):
            var written = Written("gateway")
            written.put("status", status)
            written.put("body", body)
            return written.members
        case .moveInstance(let url): return ["kind": "moveInstance", "url": .string(url)]
        }
    }

    private static func written(_ kind: String, _ numbers: KeyValuePairs<String, Int64?>) -> JSONObject {
        var written = Written(kind)
        for (key, number) in numbers { written.put(key, number) }
        return written.members
    }

    private static func written(_ changes: [OrgFault.RowChange]) -> JSONObject {
        var (inserts, edits, deletes): ([JSONValue], [JSONValue], [JSONValue]) = ([], [], [])
        for change in changes {
            switch change {
            case .insert(let object, let values):
                inserts.append(["object": .string(object), "values": .object(values)])
            case .edit(let object, let id, let values):
                edits.append(["object": .string(object), "id": .string(id), "values": .object(values)])
            case .delete(let object, let id): deletes.append(["object": .string(object), "id": .string(id)])
            }
        }
        var written = Written("mutateBetweenPages")
        written.put("insert", inserts)
        written.put("edit", edits)
        written.put("delete", deletes)
        return written.members
    }
}

extension OrgFault.ItemError {
    fileprivate var json: JSONObject {
        var written = Written("itemError")
        written.put("index", index)
        written.put("referenceId", referenceId)
        written.put("object", object)
        written.put("field", field)
        if let value { written.members["value"] = value }
        written.put("contains", contains)
        written.put("errorCode", code)
        written.put("message", message)
        written.put("fields", fields.map { .string($0) })
        return written.members
    }
}
