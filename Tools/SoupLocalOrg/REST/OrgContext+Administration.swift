// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

extension OrgContext {
    /// Everything below `/_emu`: the org's own door, closed unless an option opens it.
    func administer(_ request: OrgRequest) throws -> OrgAnswer {
        let path = Array(request.segments.dropFirst())
        let parameters: Set<String> =
            switch (path.first, request.method) {
            case ("journal", _): ["since"]
            case ("faults", "DELETE"): ["id"]
            default: []
            }
        try request.refuseParameters(but: parameters)
        switch (path.first, path.count) {
        case ("health", 1): return OrgAnswer(["ok": true])
        case ("reset", 1): return try allow(["POST"], request) { try self.reset(request) }
        case ("snapshot", 1):
            return try allow(["POST"], request) {
                _ = try request.members("snapshot")
                try self.org.takeSnapshot(self.db)
                return OrgAnswer(["ok": true])
            }
        case ("restore", 1):
            return try allow(["POST"], request) {
                _ = try request.members("restore")
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
        case ("edit", 1): return try allow(["POST"], request) { try self.edit(try request.json()) }
        case ("undelete", 1): return try allow(["POST"], request) { try self.undelete(try request.json()) }
        case ("purge", 1): return try allow(["POST"], request) { try self.purge(try request.json()) }
        case ("tokens", 2) where path[1] == "expire":
            return try allow(["POST"], request) {
                _ = try request.members("tokens/expire")
                self.org.tokens.expireAll()
                return OrgAnswer(["ok": true])
            }
        case ("journal", 1):
            return try allow(["GET"], request) {
                let text = request.parameter("since") ?? "0"
                guard let since = Int(text), since >= 0 else {
                    throw CheckedMembers.wrong("since must be the number of an entry of the journal, not \(text)")
                }
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
        let wanted = try request.members("reset", [.init("seed", .anything)])["seed"]
        let seed: Seed
        do {
            guard let wanted else {
                try org.load(org.seed, in: db)
                return resetAnswer
            }
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
        return resetAnswer
    }

    private var resetAnswer: OrgAnswer {
        OrgAnswer([
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
                        var rule = fault.json
                        rule["seen"] = .int(Int64(seen))
                        rule["fired"] = .int(Int64(fired))
                        return .object(rule)
                    }))
        case "POST":
            let body = try request.json()
            var rules = body.arrayValue ?? [body]
            if body["faults"] != nil {
                guard let list = try request.members("body", [.init("faults", .anything)])["faults"]?.arrayValue else {
                    throw CheckedMembers.wrong("body.faults must be an array of rules")
                }
                rules = list
            }
            let faults = try rules.map { try OrgFault(json: $0) }
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
        if let empty = given.object.members.first(where: { $0.value.isNull }) {
            throw CheckedMembers.wrong("clock.\(empty.key) must not be null")
        }
        if given["run"] == false { throw CheckedMembers.wrong("clock.run must be true: freeze stops the clock") }
        if given["run"] != nil, given["freeze"] != nil {
            throw CheckedMembers.wrong("the clock cannot run and freeze: send one of them")
        }
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

    private func edit(_ body: JSONValue) throws -> OrgAnswer {
        let given = try CheckedMembers(
            body, "edit",
            [.init("object", .text), .init("id", .text), .init("values", .anything), .init("as", .text)])
        try given.need("object", "id", "values", of: "edit")
        guard let values = given["values"]?.objectValue else {
            throw CheckedMembers.wrong("edit.values must be an object")
        }
        let key = given.text("as").map { $0 == "otherUser" ? "other" : $0 } ?? "other"
        guard let user = org.definition.users.first(where: { $0.id == org.keys[key] }) else {
            let known = org.definition.users.map(\.key).joined(separator: ", ")
            throw CheckedMembers.wrong("edit.as: there is no user \"\(key)\": there are \(known)")
        }
        userId = user.id
        try edit(given.text("object") ?? "", given.text("id") ?? "", values)
        return OrgAnswer(["ok": true])
    }

    private func undelete(_ body: JSONValue) throws -> OrgAnswer {
        let given = try CheckedMembers(body, "undelete", [.init("ids", .texts)])
        try given.need("ids", of: "undelete")
        try atomically { for id in given.texts("ids") { try undelete(id) } }
        return OrgAnswer(["ok": true])
    }

    private func purge(_ body: JSONValue) throws -> OrgAnswer {
        let given = try CheckedMembers(body, "purge", [.init("ids", .texts), .init("all", .truth)])
        guard given["ids"] != nil || given["all"] == true else {
            throw CheckedMembers.wrong("purge needs \"ids\" or \"all\"")
        }
        try atomically {
            for id in given.texts("ids") { try purge(id) }
            if given["all"] == true { try purgeAll() }
        }
        return OrgAnswer(["ok": true])
    }
}
