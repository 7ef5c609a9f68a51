// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

extension SyncManager {
    /// Creates the syncs of a configuration whose names are not there yet, all or none; it never runs one.
    ///
    /// A sync that exists is left as it is, even when its definition differs.
    ///
    /// - Throws: `ConfigurationError` with everything that is wrong with the new ones; ``SoupError`` of the store.
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
                            at: Place(path: path.text), "the sync has no name", hint: "Add \"syncName\"."))
                    continue
                }
                guard names.insert(name).inserted else {
                    problems.append(
                        ConfigurationProblem(at: Place(path: path.text), "another sync is named \"\(name)\", too"))
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

    /// Creates a sync, status NEW, without running it.
    ///
    /// The soup need not exist yet.
    ///
    /// - Throws: ``SoupError`` with `syncNameTaken`; `ConfigurationError` when the registry cannot make its target.
    public func create(_ definition: SyncDefinition) async throws -> SyncState {
        try await insert(definition, isOneShot: false).state
    }

    /// Gives the sync of the definition's name this definition, as if it had never run: status NEW, no high-water mark.
    ///
    /// Its id and the entries that it brought stay; the next run of a sync down brings all records again.
    ///
    /// - Throws: ``SoupError``: `syncNotFound`, `syncAlreadyRunning`; `ConfigurationError` when the registry cannot
    ///   make the target.
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
                try OwnerLog.remove(id, in: writer)
                return try SyncsSoup.replace(id, by: SyncRow(definition, isOneShot: false), in: writer).state
            }
        }
    }

    /// Adds the row of a new sync; one that is for one time takes the place of earlier ones of the same definition that
    /// did not end DONE, so that no number of failures makes the soup grow.
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

    /// How the sync of a name stands; nil when there is none.
    public func status(named name: String) async throws -> SyncState? {
        try await services.backend.read { reader in
            try SyncsSoup.id(of: name, in: reader).flatMap { try SyncsSoup.row($0, in: reader)?.state }
        }
    }

    /// How the sync of an id stands; nil when there is none.
    public func status(id: Int64) async throws -> SyncState? {
        try await services.backend.read { try SyncsSoup.row(id, in: $0)?.state }
    }

    /// ``status(named:)``, by the name that the mobile SDKs use.
    public func syncStatus(forName name: String) async throws -> SyncState? { try await status(named: name) }

    /// ``status(id:)``, by the name that the mobile SDKs use.
    public func syncStatus(forId id: Int64) async throws -> SyncState? { try await status(id: id) }

    /// All syncs, in the order in which they were created.
    ///
    /// Rows that cannot be read are left out; asking for one of them by its id says what is wrong with it.
    public func syncs() async throws -> [SyncState] {
        try await services.backend.read { try SyncsSoup.rows(in: $0).map(\.state) }
    }

    /// Deletes the sync of a name, as ``deleteSync(id:)``.
    public func deleteSync(named name: String) async throws {
        guard let id = try await services.backend.read({ try SyncsSoup.id(of: name, in: $0) }) else { return }
        try await deleteSync(id: id)
    }

    /// Deletes a sync, not the records that it brought; an unknown one is no error.
    ///
    /// A run of it is cancelled.
    public func deleteSync(id: Int64) async throws {
        cancel(id)
        try await services.backend.write { try SyncsSoup.delete(id, in: $0) }
    }

    /// The id of a name.
    ///
    /// - Throws: ``SoupError`` with `syncNotFound`; it names the syncs that there are.
    func id(of name: String) async throws -> Int64 {
        try await services.backend.read { reader in
            if let id = try SyncsSoup.id(of: name, in: reader) { return id }
            let names = try SyncsSoup.rows(in: reader).compactMap(\.state.name)
            throw SoupError(
                .syncNotFound, "there is no sync named \"\(name)\"",
                hint: names.isEmpty
                    ? "No sync is defined. Write it into usersyncs.json, or make it with `create`."
                    : NameDistance.question(for: name, among: names.sorted()))
        }
    }
}

extension PluginRegistry {
    /// Notes what keeps the target and the conflict resolver of a definition from being made; warnings, such as of keys
    /// that nobody reads, are for those who check files.
    ///
    /// - Parameter path: of the target.
    func check(_ definition: SyncDefinition, at path: [ConfigurationStep], problems noted: inout [ConfigurationProblem])
    {
        var problems: [ConfigurationProblem] = []
        switch definition.type {
        case .syncDown: _ = downTarget(definition.target, at: path, problems: &problems)
        case .syncUp: _ = upTarget(definition.target, at: path, problems: &problems)
        }
        if let reference = definition.options.conflictResolver {
            let path = path.dropLast() + [.key("options"), .key("conflictResolver")]
            _ = conflictResolver(reference, at: Array(path), problems: &problems)
        }
        noted += problems.filter { $0.severity == .error }
    }

    /// Makes the conflict resolver of a sync; nil when its options name none.
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
        try Self.check(target.recordLayout(for: definition.soup), of: type(of: target).name)
        return target
    }

    /// Makes the target of a sync up.
    ///
    /// - Throws: `ConfigurationError`.
    func upTarget(of definition: SyncDefinition) throws -> any SyncUpTarget {
        var problems: [ConfigurationProblem] = []
        guard let target = upTarget(definition.target, at: [.key("target")], problems: &problems) else {
            throw ConfigurationError(problems)
        }
        try Self.check(target.recordLayout(for: definition.soup), of: type(of: target).name)
        return target
    }

    /// Nothing of a target's own layout is believed before it is used.
    private static func check(_ layout: RecordLayout, of name: PluginName) throws {
        if let fault = layout.fault { throw SoupError("badTarget", "the layout of target \"\(name)\" \(fault)") }
    }
}
