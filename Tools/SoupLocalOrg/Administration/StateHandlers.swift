// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// Answers `/_emu/health`.
struct HealthHandler: ResourceHandler {
    let request: OrgRequest
    let context: OrgContext

    func health() throws -> OrgAnswer { .ok }
}

/// Answers `/_emu/reset`: fills the org from a seed again.
struct ResetHandler: ResourceHandler {
    let request: OrgRequest
    let context: OrgContext

    func reset() throws -> OrgAnswer {
        let wanted = try request.members("reset", [.init("seed", .anything)])["seed"]
        let org = context.org
        do {
            try org.load(try wanted.map { try seed($0) } ?? org.seed, in: context.db)
        } catch let error as SoupError {
            throw OrgError(400, "INVALID_INPUT", message: error.description)
        } catch let error as ConfigurationError {
            throw OrgError(400, "INVALID_INPUT", message: error.description)
        }
        return OrgAnswer([
            "ok": true,
            "keys": .object(
                JSONObject(org.keys.sorted { $0.key < $1.key }.map { (key: $0.key, value: .string($0.value)) })),
        ])
    }

    /// Returns the seed with a name, or the one that a document describes.
    private func seed(_ json: JSONValue) throws -> OrgSeed {
        guard let name = json.stringValue else { return try OrgSeed(json: Array(try JSONText(json).bytes)) }
        guard let seed = OrgSeed(named: name) else {
            throw OrgError(
                400, "INVALID_INPUT", message: "no seed \"\(name)\": there are tiny, medium and large N")
        }
        return seed
    }
}

/// Answers `/_emu/snapshot` and `/_emu/restore`.
struct SnapshotHandler: ResourceHandler {
    let request: OrgRequest
    let context: OrgContext

    func take() throws -> OrgAnswer {
        _ = try request.members("snapshot")
        try context.org.takeSnapshot(context.db)
        return .ok
    }

    func restore() throws -> OrgAnswer {
        _ = try request.members("restore")
        do {
            try context.org.restoreSnapshot(context.db)
        } catch let error as SoupError where error.code == .server {
            throw OrgError(400, "INVALID_INPUT", message: error.message)
        }
        return .ok
    }
}

/// Answers `/_emu/schema`: reads and changes the org's objects.
struct SchemaHandler: ResourceHandler {
    let request: OrgRequest
    let context: OrgContext

    func read() throws -> OrgAnswer { OrgAnswer(["objects": context.org.definition.document["objects"] ?? [:]]) }

    func change() throws -> OrgAnswer {
        let body = try request.jsonObject()
        guard let objects = body["objects"]?.objectValue, body.count == 1 else {
            throw OrgError(
                400, "INVALID_INPUT", message: "send {\"objects\": {...}}, as a seed file describes them")
        }
        do {
            try SchemaChange(context: context).apply(objects)
        } catch let error as ConfigurationError {
            throw OrgError(400, "INVALID_INPUT", message: error.description)
        }
        return .ok
    }
}

/// Answers `/_emu/tokens/expire`: ends every access token.
struct TokenExpiryHandler: ResourceHandler {
    let request: OrgRequest
    let context: OrgContext

    func expire() throws -> OrgAnswer {
        _ = try request.members("tokens/expire")
        context.org.tokens.expireAll()
        return .ok
    }
}

/// Answers `/_emu/journal`: the latest requests.
struct JournalHandler: ResourceHandler {
    let request: OrgRequest
    let context: OrgContext

    func list() throws -> OrgAnswer {
        let text = request.parameter("since") ?? "0"
        guard let since = Int(text), since >= 0 else {
            throw CheckedMembers.wrong("since must be the number of an entry of the journal, not \(text)")
        }
        return OrgAnswer(.array(context.org.journal.entries.filter { $0.number > since }.map(\.json)))
    }
}

/// Answers `/_emu/options`: reads and changes the org's options.
struct OptionsHandler: ResourceHandler {
    let request: OrgRequest
    let context: OrgContext

    func read() throws -> OrgAnswer { OrgAnswer(OrgOption.json(of: context.org.options)) }

    func change() throws -> OrgAnswer {
        try OrgOption.set(try request.json(), in: &context.org.options)
        return try read()
    }
}

extension OrgAnswer {
    /// The response of the administration when there is nothing to report.
    static let ok = OrgAnswer(["ok": true])
}
