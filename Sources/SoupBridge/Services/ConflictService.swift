// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore
internal import SoupStore
internal import SoupSync

/// The service `soupkit.conflicts`: conflicts and local changes, which the mobile SDKs do not show to JavaScript.
struct ConflictService: BridgeService {
    let name = "soupkit.conflicts"
    let stores: any BridgeStores

    var actionNames: [String] { ["discard", "list", "resolve"] }
    let readingActions: Set = ["list"]

    func action(_ name: String) -> Action? {
        switch name {
        case "discard": discard
        case "list": list
        case "resolve": resolve
        default: nil
        }
    }

    /// Returns the open conflicts of a soup, or of all soups if the call names none.
    ///
    /// `[{"soupName", "entryId", "id", "code", "fields", "base", "local", "remote"}]`: `id` is the server's ID, `base`
    /// the version that both sides had, and `local` and `remote` their versions; each is null if unknown or deleted.
    private func list(_ request: BridgeRequest) async throws -> JSONText? {
        let soup = try request.arguments.text("soupName").map { SoupName($0) }
        let opened = try await stores.open(request.store).store
        if let soup, !(try await opened.soupExists(soup)) { throw SoupError.missing(soup) }
        let conflicts = try await SyncManager.conflicts(in: opened.backend)
        return .array(conflicts.filter { soup == nil || $0.soup == soup }.map(\.bridgeJSON))
    }

    /// Resolves a conflict: `as` is `local`, `remote`, or `merged` with the members of `record`.
    private func resolve(_ request: BridgeRequest) async throws -> JSONText? {
        let resolution: ConflictResolution
        switch try request.arguments.requiredText("as") {
        case "local": resolution = .local
        case "remote": resolution = .remote
        case "merged":
            guard let record = request.arguments["record"] else { throw BridgeArguments.missing("record") }
            resolution = .merged(record)
        case let other:
            throw SoupError(.badArgument, "as must be local, remote or merged, not \"\(other.excerpt(100))\"")
        }
        let soup = try request.soup
        let id = try request.arguments.requiredInteger("entryId")
        let syncs = try await stores.syncs(of: request)
        guard let conflict = try await syncs.conflicts().first(where: { $0.soup == soup && $0.entryId == id }) else {
            throw SoupError(
                .notInConflict, "entry \(id) of soup \"\(soup)\" is in no conflict",
                hint: "List the conflicts again: the conflict may have been resolved in the meantime.")
        }
        try await syncs.resolveConflict(conflict, as: resolution)
        return .done
    }

    /// Discards the local changes of entries.
    ///
    /// `[{"entryId", "result"}]` with the result `restored`, `removed` or `unchanged`.
    private func discard(_ request: BridgeRequest) async throws -> JSONText? {
        let soup = try request.soup
        let ids = try request.arguments.requiredIntegers("entryIds")
        let results = try await stores.syncs(of: request).discardChanges(of: ids, in: soup)
        return .array(
            results.map { .object([("entryId", .integer($0.id)), ("result", .string($0.result.rawValue))]) })
    }
}

extension RecordConflict {
    /// The conflict as an object for JavaScript.
    fileprivate var bridgeJSON: JSONText {
        .object([
            ("soupName", .string(soup.rawValue)), ("entryId", .integer(entryId)),
            ("id", serverId.map { .string($0) } ?? .null), ("code", .string(code)),
            ("fields", .array(fields.map { .string($0) })), ("base", base ?? .null), ("local", local ?? .null),
            ("remote", remote ?? .null),
        ])
    }
}
