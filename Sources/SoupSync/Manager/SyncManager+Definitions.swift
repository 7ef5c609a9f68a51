// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

extension SyncManager {
    /// Creates the syncs of a configuration whose names do not exist yet, without running them.
    ///
    /// Either all of them are created or none. An existing sync is not changed, even if its definition differs.
    ///
    /// - Throws: `ConfigurationError` with all problems of the new definitions; ``SoupError`` of the store.
    /// - Returns: the states of all of them, in the order of `definitions`.
    @discardableResult
    public func setUp(_ definitions: [SyncDefinition]) async throws -> [SyncState] {
        let registry = services.registry
        return try await services.backend.write { writer in
            var problems: [ConfigurationProblem] = []
            var names: Set<String> = []
            var states: [SyncState] = []
            for (index, definition) in definitions.enumerated() {
                let path: [ConfigurationStep] = [.key("syncs"), .index(index)]
                guard let name = definition.name, !name.isEmpty else {
                    problems.append(
                        ConfigurationProblem(
                            at: SoupError.Place(path: path.text), "the sync has no name", hint: "Add \"syncName\"."))
                    continue
                }
                guard names.insert(name).inserted else {
                    problems.append(
                        ConfigurationProblem(
                            at: SoupError.Place(path: path.text), "another sync is named \"\(name)\", too"))
                    continue
                }
                if let id = try SyncsSoup.id(of: name, in: writer) {
                    if let row = try SyncsSoup.row(id, in: writer) { states.append(row.state) }
                    continue
                }
                let known = problems.count
                registry.check(definition, at: path + [.key("target")], problems: &problems)
                guard problems.count == known else { continue }
                states.append(try SyncsSoup.insert(SyncRow(definition, isOneShot: false), into: writer).state)
            }
            guard problems.isEmpty else { throw ConfigurationError(problems) }
            return states
        }
    }

    /// Creates a sync with the status NEW, without running it.
    ///
    /// The soup does not need to exist yet.
    ///
    /// - Throws: ``SoupError`` with `syncNameTaken`; `ConfigurationError` if the registry cannot make its target.
    public func create(_ definition: SyncDefinition) async throws -> SyncState {
        try await insert(definition, isOneShot: false).state
    }

    /// Replaces the definition of an existing sync and resets it, as if it had never run.
    ///
    /// The sync is found by the name in the definition. Its status becomes NEW, and its high-water mark is removed. Its
    /// ID and the entries that it fetched are kept. The next run of a sync down fetches all records again.
    ///
    /// - Throws: ``SoupError``: `syncNotFound`, `syncAlreadyRunning`; `ConfigurationError` if the registry cannot make
    ///   the target.
    @discardableResult
    public func redefine(_ definition: SyncDefinition) async throws -> SyncState {
        var problems: [ConfigurationProblem] = []
        services.registry.check(definition, at: [.key("target")], problems: &problems)
        guard problems.isEmpty else { throw ConfigurationError(problems) }
        return try await holdingSyncs {
            let id = try await id(of: definition.name ?? "")
            let work = try reserve(id, RunQueue.Claim(soups: [], isExclusive: false))
            defer { release(id, work) }
            return try await services.backend.write { writer in
                try EntryOwners.remove(id, in: writer)
                return try SyncsSoup.replace(id, by: SyncRow(definition, isOneShot: false), in: writer).state
            }
        }
    }

    /// Inserts the row of a new sync.
    ///
    /// A one-time sync replaces earlier one-time syncs with the same definition that did not end DONE, so that repeated
    /// failures do not make the soup grow.
    func insert(_ definition: SyncDefinition, isOneShot: Bool) async throws -> SyncRow {
        var problems: [ConfigurationProblem] = []
        services.registry.check(definition, at: [.key("target")], problems: &problems)
        guard problems.isEmpty else { throw ConfigurationError(problems) }
        let busy = Set(active.keys)
        return try await services.backend.write { writer in
            if isOneShot {
                for row in try SyncsSoup.rows(in: writer)
                where row.isOneShot && row.state.definition == definition && !busy.contains(row.state.id) {
                    try SyncsSoup.delete(row.state.id, in: writer)
                }
            }
            return try SyncsSoup.insert(SyncRow(definition, isOneShot: isOneShot), into: writer)
        }
    }

    /// Returns the state of the sync with a name; `nil` if there is none.
    public func status(named name: String) async throws -> SyncState? {
        try await services.backend.read { reader in
            try SyncsSoup.id(of: name, in: reader).flatMap { try SyncsSoup.row($0, in: reader)?.state }
        }
    }

    /// Returns the state of the sync with an ID; `nil` if there is none.
    public func status(id: Int64) async throws -> SyncState? {
        try await services.backend.read { try SyncsSoup.row(id, in: $0)?.state }
    }

    /// Returns ``status(named:)``; this is the name that the mobile SDKs use.
    public func syncStatus(forName name: String) async throws -> SyncState? { try await status(named: name) }

    /// Returns ``status(id:)``; this is the name that the mobile SDKs use.
    public func syncStatus(forId id: Int64) async throws -> SyncState? { try await status(id: id) }

    /// Returns the states of all syncs, in the order in which they were created.
    ///
    /// Unreadable rows are left out. To get the error of such a row, call ``status(id:)`` with its ID.
    public func syncs() async throws -> [SyncState] {
        try await services.backend.read { try SyncsSoup.rows(in: $0).map(\.state) }
    }

    /// Deletes the sync with a name; same as ``deleteSync(id:)``.
    public func deleteSync(named name: String) async throws {
        guard let id = try await services.backend.read({ try SyncsSoup.id(of: name, in: $0) }) else { return }
        try await deleteSync(id: id)
    }

    /// Deletes a sync, but not the records that it fetched; an unknown ID is ignored.
    ///
    /// If the sync is running, its run is cancelled.
    public func deleteSync(id: Int64) async throws {
        cancel(id)
        try await services.backend.write { try SyncsSoup.delete(id, in: $0) }
    }

    /// Returns the ID of the sync with a name.
    ///
    /// - Throws: ``SoupError`` with `syncNotFound`, which names the existing syncs.
    func id(of name: String) async throws -> Int64 {
        try await services.backend.read { try SyncsSoup.requireId(of: name, in: $0) }
    }

    /// Returns the state of the sync with an ID.
    ///
    /// - Throws: ``SoupError`` with `syncNotFound`, which names the existing syncs.
    func requireSync(_ id: Int64) async throws -> SyncState {
        try await services.backend.read { try SyncsSoup.requireRow(id, in: $0).state }
    }
}

extension PluginRegistry {
    /// Adds the errors that prevent the plug-ins of a definition from being made.
    ///
    /// Warnings, for example about unknown keys, are not added; they are for tools that check files.
    ///
    /// - Parameter path: the path of the target.
    func check(
        _ definition: SyncDefinition, at path: [ConfigurationStep], problems errors: inout [ConfigurationProblem]
    ) {
        var problems: [ConfigurationProblem] = []
        switch definition.type {
        case .syncDown: _ = downTarget(definition.target, at: path, problems: &problems)
        case .syncUp: _ = upTarget(definition.target, at: path, problems: &problems)
        }
        if let reference = definition.options.conflictResolver {
            let path = path.dropLast() + [.key("options"), .key("conflictResolver")]
            _ = conflictResolver(reference, at: Array(path), problems: &problems)
        }
        do {
            _ = try RecordTransforms(definition, registry: self)
        } catch {
            problems += ConfigurationProblem.all(in: error, at: Array(path.dropLast()))
        }
        errors += problems.filter { $0.severity == .error }
    }

    /// Makes the conflict resolver of a sync; `nil` if its options name none.
    ///
    /// - Throws: `ConfigurationError`.
    func resolver(of definition: SyncDefinition) throws -> (any ConflictResolver)? {
        guard let reference = definition.options.conflictResolver else { return nil }
        var problems: [ConfigurationProblem] = []
        let path: [ConfigurationStep] = [.key("options"), .key("conflictResolver")]
        guard let resolver = conflictResolver(reference, at: path, problems: &problems) else {
            throw ConfigurationError(problems)
        }
        return resolver
    }

    /// Makes the target of a sync down.
    ///
    /// - Throws: `ConfigurationError`.
    func downTarget(of definition: SyncDefinition) throws -> any SyncDownTarget {
        var problems: [ConfigurationProblem] = []
        guard let target = downTarget(definition.target, at: [.key("target")], problems: &problems) else {
            throw ConfigurationError(problems)
        }
        try Self.check(target.recordLayout(for: definition.soup), of: target.pluginName)
        let transforms = try RecordTransforms(definition, registry: self)
        return transforms.isEmpty ? target : TransformedDownTarget(target, transforms, soup: definition.soup)
    }

    /// Makes the target of a sync up.
    ///
    /// - Throws: `ConfigurationError`.
    func upTarget(of definition: SyncDefinition) throws -> any SyncUpTarget {
        var problems: [ConfigurationProblem] = []
        guard let target = upTarget(definition.target, at: [.key("target")], problems: &problems) else {
            throw ConfigurationError(problems)
        }
        try Self.check(target.recordLayout(for: definition.soup), of: target.pluginName)
        let transforms = try RecordTransforms(definition, registry: self)
        return transforms.isEmpty ? target : TransformedUpTarget(target, transforms)
    }

    /// Validates a target's own layout before it is used.
    private static func check(_ layout: RecordLayout, of name: PluginName) throws {
        if let fault = layout.fault { throw SoupError("badTarget", "the layout of target \"\(name)\" \(fault)") }
    }
}
