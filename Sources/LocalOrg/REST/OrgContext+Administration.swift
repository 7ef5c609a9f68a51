// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

extension OrgContext {
    /// Everything below `/_emu`: the org's own door, closed unless an option opens it.
    func administer(_ request: OrgRequest) throws -> OrgAnswer {
        let path = Array(request.segments.dropFirst())
        switch (path.first, path.count) {
        case ("health", 1): return OrgAnswer(["ok": true])
        case ("reset", 1): return try allow(["POST"], request) { try self.reset(request) }
        case ("snapshot", 1):
            return try allow(["POST"], request) {
                try self.org.takeSnapshot(self.db)
                return OrgAnswer(["ok": true])
            }
        case ("restore", 1):
            return try allow(["POST"], request) {
                do {
                    try self.org.restoreSnapshot(self.db)
                } catch let error as SoupError where error.code == .server {
                    throw OrgError(400, "INVALID_INPUT", error.message)
                }
                return OrgAnswer(["ok": true])
            }
        case ("schema", 1): return try changeSchema(request)
        case ("faults", 1): return try faults(request)
        case ("clock", 1): return try allow(["POST"], request) { try self.setClock(try request.json()) }
        case ("edit", 1): return try allow(["POST"], request) { try self.edit(try request.jsonObject()) }
        case ("undelete", 1), ("purge", 1):
            return try allow(["POST"], request) {
                let body = try request.jsonObject()
                if path[0] == "purge", body["all"] == true { try self.purgeAll() }
                let ids = body["ids"]?.arrayValue?.compactMap(\.stringValue) ?? []
                try self.atomically {
                    for id in ids { try path[0] == "purge" ? self.purge(id) : self.undelete(id) }
                }
                return OrgAnswer(["ok": true])
            }
        case ("tokens", 2) where path[1] == "expire":
            return try allow(["POST"], request) {
                self.org.tokens.expireAll()
                return OrgAnswer(["ok": true])
            }
        case ("journal", 1):
            return try allow(["GET"], request) {
                let since = request.parameter("since").flatMap { Int($0) } ?? 0
                return OrgAnswer(.array(self.org.journal.entries.filter { $0.number > since }.map(\.json)))
            }
        case ("state", 2):
            return try allow(["GET"], request) {
                OrgAnswer(200, body: try self.state(path[1]), contentType: OrgAnswer.json)
            }
        case ("options", 1):
            return try allow(["GET", "POST"], request) {
                if request.method == "POST" { try OrgOption.set(try request.json(), in: &self.org.options) }
                return OrgAnswer(OrgOption.json(of: self.org.options))
            }
        default: throw OrgError.notFound
        }
    }

    private func reset(_ request: OrgRequest) throws -> OrgAnswer {
        let wanted = request.body.isEmpty ? "tiny" : try request.jsonObject()["seed"] ?? "tiny"
        let seed: Seed
        do {
            if let name = wanted.stringValue {
                guard let known = Seed(named: name) else {
                    throw OrgError(400, "INVALID_INPUT", "no seed \"\(name)\": there are tiny, medium and large N")
                }
                seed = known
            } else {
                seed = try Seed(json: Array(try JSONText(wanted).bytes))
            }
            try org.load(seed, in: db)
        } catch let error as SoupError {
            throw OrgError(400, "INVALID_INPUT", error.description)
        } catch let error as ConfigurationError {
            throw OrgError(400, "INVALID_INPUT", error.description)
        }
        return OrgAnswer([
            "ok": true,
            "keys": .object(
                JSONObject(org.keys.sorted { $0.key < $1.key }.map { (key: $0.key, value: .string($0.value)) })),
        ])
    }

    private func changeSchema(_ request: OrgRequest) throws -> OrgAnswer {
        guard request.method != "GET" else {
            return OrgAnswer(["objects": org.definition.document["objects"] ?? [:]])
        }
        return try allow(["GET", "POST"], request) {
            let body = try request.jsonObject()
            guard let objects = body["objects"]?.objectValue, body.count == 1 else {
                throw OrgError(400, "INVALID_INPUT", "send {\"objects\": {...}}, as a seed file describes them")
            }
            do {
                try self.changeSchema(objects)
            } catch let error as ConfigurationError {
                throw OrgError(400, "INVALID_INPUT", error.description)
            }
            return OrgAnswer(["ok": true])
        }
    }

    private func faults(_ request: OrgRequest) throws -> OrgAnswer {
        switch request.method {
        case "GET":
            return OrgAnswer(
                .array(
                    org.faults.list.map { fault, seen, fired in
                        [
                            "id": .string(fault.id), "effect": .string("\(fault.effect)"), "seen": .int(Int64(seen)),
                            "fired": .int(Int64(fired)),
                        ]
                    }))
        case "POST":
            let body = try request.json()
            let faults = try (body["faults"]?.arrayValue ?? body.arrayValue ?? [body]).map { try OrgFault(json: $0) }
            return OrgAnswer(["ids": .array(faults.map { .string(org.faults.add($0, now: org.clock.now)) })])
        case "DELETE":
            org.faults.remove(request.parameter("id"))
            return OrgAnswer(["ok": true])
        default: return try allow(["GET", "POST", "DELETE"], request) { .noContent }
        }
    }

    /// Sets the clock as a body asks: all of it, or nothing.
    private func setClock(_ body: JSONValue) throws -> OrgAnswer {
        let given = try CheckedMembers(
            body, "clock",
            [
                .init("freeze", .text), .init("run", .truth), .init("advance", .anything),
                .init("resolution", .word(OrgOptions.Resolution.allCases.map(\.rawValue))),
            ])
        let frozen = try given.text("freeze").map { text in
            guard let time = Timestamp.parse(text) else {
                throw OrgError(400, "INVALID_INPUT", "freeze is not a datetime: \(text)")
            }
            return time
        }
        let advance = try given["advance"].map { value in
            guard let seconds = value.doubleValue, abs(seconds) <= Self.longestAdvance else {
                throw CheckedMembers.wrong(
                    "clock.advance must be a number of seconds from -\(Self.longestAdvance) to "
                        + "\(Self.longestAdvance), not \(value)")
            }
            return Int64(seconds * 1000)
        }
        if let frozen { org.clock.freeze(at: frozen) }
        if given["run"]?.boolValue == true { org.clock.run() }
        if let advance { org.clock.advance(by: advance) }
        if let resolution = given.text("resolution").flatMap(OrgOptions.Resolution.init) {
            org.options.resolution = resolution
        }
        return OrgAnswer(["now": .string(Timestamp.format(org.clock.now))])
    }

    /// More than all the years that timestamps can be written of, in seconds.
    private static let longestAdvance = 1e12

    private func edit(_ body: JSONObject) throws -> OrgAnswer {
        userId = org.keys[body["as"]?.stringValue ?? "other"] ?? org.keys["other"] ?? userId
        if let key = body["as"]?.stringValue, key == "otherUser" { userId = org.keys["other"] ?? userId }
        try edit(
            body["object"]?.stringValue ?? "", body["id"]?.stringValue ?? "",
            body["values"]?.objectValue ?? JSONObject())
        return OrgAnswer(["ok": true])
    }

}
