// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore
internal import SoupStore
internal import SoupSync

/// The service `com.salesforce.mobilesync`: syncs, their states and the cleaning of ghosts.
struct SyncService: BridgeService {
    let name = "com.salesforce.mobilesync"
    let stores: any BridgeStores

    var actionNames: [String] { Self.actions.keys.sorted() }
    let readingActions: Set = ["getSyncStatus"]

    func action(_ name: String) -> Action? {
        guard let action = Self.actions[name] else { return nil }
        return { try await action(self)($0) }
    }

    private static let actions: [String: @Sendable (Self) -> Action] = [
        "syncDown": { service in { try await service.create(.syncDown, $0) } },
        "syncUp": { service in { try await service.create(.syncUp, $0) } },
        "reSync": { $0.reSync }, "getSyncStatus": { $0.status }, "deleteSync": { $0.delete },
        "cleanResyncGhosts": { $0.cleanGhosts },
    ]

    /// The sync that a call names.
    fileprivate enum Reference {
        case id(Int64)
        case name(String)
    }

    // MARK: - Runs

    /// Creates a sync and runs it; without a name it stays too, because its ID is enough to run it again.
    private func create(_ type: SyncType, _ request: BridgeRequest) async throws -> JSONText? {
        let definition = try definition(type, request.arguments)
        let syncs = try await stores.syncs(of: request)
        let soup = definition.soup
        guard try await stores.open(request.store).store.soupExists(soup) else { throw SoupError.missing(soup) }
        let state = try await syncs.create(definition)
        do {
            return try await follow(try await syncs.reSync(id: state.id), request)
        } catch {
            try? await syncs.deleteSync(id: state.id)
            throw error
        }
    }

    private func reSync(_ request: BridgeRequest) async throws -> JSONText? {
        let syncs = try await stores.syncs(of: request)
        let run =
            switch try request.sync {
            case .id(let id): try await syncs.reSync(id: id)
            case .name(let name): try await syncs.reSync(named: name)
            }
        return try await follow(run, request)
    }

    /// Sends the events of a run to the session, and returns its row.
    private func follow(_ run: SyncRun, _ request: BridgeRequest) async throws -> JSONText? {
        let store = try request.store
        request.session.follow(run, of: store, after: request.answered)
        return run.state.bridgeJSON(in: store)
    }

    private func definition(_ type: SyncType, _ arguments: BridgeArguments) throws -> SyncDefinition {
        let soup = SoupName(try arguments.requiredText("soupName"))
        let target = try arguments.object("target")
        if type == .syncDown, target == nil { throw BridgeArguments.missing("target") }
        let name = try arguments.text("syncName").flatMap { $0.isEmpty ? nil : $0 }
        return SyncDefinition(
            name: name, type: type, soup: soup, target: TargetReference(.object(target ?? [:])),
            options: try SyncOptions(json: .object(arguments.object("options") ?? [:])))
    }

    // MARK: - States

    private func status(_ request: BridgeRequest) async throws -> JSONText? {
        let syncs = try await stores.syncs(of: request)
        let state =
            switch try request.sync {
            case .id(let id): try await syncs.status(id: id)
            case .name(let name): try await syncs.status(named: name)
            }
        // Cordova cannot deliver null.
        return try state?.bridgeJSON(in: request.store) ?? .object([])
    }

    private func delete(_ request: BridgeRequest) async throws -> JSONText? {
        let syncs = try await stores.syncs(of: request)
        switch try request.sync {
        case .id(let id): try await syncs.deleteSync(id: id)
        case .name(let name): try await syncs.deleteSync(named: name)
        }
        return nil
    }

    private func cleanGhosts(_ request: BridgeRequest) async throws -> JSONText? {
        let syncs = try await stores.syncs(of: request)
        switch try request.sync {
        case .id(let id): return .integer(try await syncs.cleanResyncGhosts(id: id))
        case .name(let name): return .integer(try await syncs.cleanResyncGhosts(named: name))
        }
    }
}

extension BridgeRequest {
    /// The sync that the call names by its ID, or by its name.
    fileprivate var sync: SyncService.Reference {
        get throws {
            if let id = try arguments.integer("syncId") { return .id(id) }
            if let name = try arguments.text("syncName"), !name.isEmpty { return .name(name) }
            throw SoupError(
                .badArgument, "the call names no sync: both syncId and syncName are missing",
                hint: "Pass the ID or the name of a sync.")
        }
    }
}

extension SyncState {
    /// Returns the row of the sync with its store, as answers and events contain it.
    func bridgeJSON(in store: BridgeStoreName) -> JSONText {
        let row = (try? JSONText(json))?.members ?? []
        return .object(row.map { (name: $0.key, value: $0.value) } + store.members)
    }
}

extension SoupError {
    static func missing(_ soup: SoupName) -> SoupError {
        SoupError(.soupNotFound, "there is no soup \"\(soup)\"", hint: "Register it first.")
    }
}
