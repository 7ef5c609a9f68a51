// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupSalesforce
public import SoupCore

/// A type that pushes records with a shared configuration; the three targets differ in the requests of a push.
public protocol SObjectTarget: SyncUpTarget where Configuration == SObjectConfiguration {
    /// The configuration, with the names of fields, the field lists and the object of a push.
    var configuration: SObjectConfiguration { get }
}

extension SObjectTarget {
    /// The field that ``SObjectConfiguration/idFieldName`` names.
    public var idField: String { configuration.idFieldName }
    /// The field that ``SObjectConfiguration/modificationDateFieldName`` names.
    public var modificationDateField: String { configuration.modificationDateFieldName }

    /// Returns warnings about changes that cannot be sent because a field list is missing, and about empty lists.
    public func problems(with options: SyncOptions) -> [ConfigurationProblem] {
        FieldListCheck.push(create: configuration.createFieldlist, update: configuration.updateFieldlist, options)
    }

    /// Returns the fields of the lists, or of the `fieldlist` of the options, and the external ID.
    public func pushedFields(level: Int, with options: SyncOptions) -> [PushedFields] {
        PushedFields.lists(
            of: configuration.sobjectType, create: (configuration.createFieldlist, "createFieldlist"),
            update: (configuration.updateFieldlist, "updateFieldlist"), otherwise: (options.fieldlist, nil),
            externalId: (configuration.externalIdFieldName, "externalIdFieldName"),
            clientKey: (configuration.clientKeyFieldName, "clientKeyFieldName"))
    }

    /// Returns the field that the configuration names.
    public func clientKeyField(level: Int) -> String? { configuration.clientKeyFieldName }

    /// Returns whether the record has a value in the external ID field, so that its creation is sent as an upsert.
    public func isIdempotent(_ creation: RecordChange) -> Bool {
        RecordForm.externalId(of: creation, in: configuration.externalIdFieldName) != nil
    }

    /// Finds created records by their external IDs or client keys.
    ///
    /// - Returns: nil if one of them has neither.
    public func findCreated(_ changes: [RecordChange], in context: SyncContext) async throws -> [String?]? {
        let form = configuration.form(SyncOptions())
        return try await SalesforceClient(context).findCreated(changes) { _ in form }
    }

    /// Fetches the modification dates of records by ID, with one request for up to 2,000 records of one object.
    ///
    /// A record whose object or ID is unknown, or whose ID is invalid, has an unknown state; its push fails.
    public func serverStates(of changes: [RecordChange], in context: SyncContext) async throws -> [ServerState]? {
        var states = Array(repeating: ServerState.unknown, count: changes.count)
        for group in groups(of: changes, byKind: false) {
            let records: [JSONValue?]
            do {
                records = try await SalesforceClient(context).retrieve(
                    group.ids, of: group.type, fields: [modificationDateField])
            } catch let error as SoupError where error.code == .objectNotFound {
                continue
            }
            for (position, record) in zip(group.positions, records) {
                states[position] = state(of: record)
            }
        }
        return states
    }

    /// Fetches the fields that the change can send, and the modification date, from the server.
    ///
    /// For deletions these are the fields of creations and updates. One request fetches up to 2,000 records of one
    /// object and one kind of change.
    ///
    /// - Throws: ``SoupError``: `server`, `network`, `json`.
    /// - Returns: nil if the object or the ID of a record is unknown.
    public func serverRecords(of changes: [RecordChange], in context: SyncContext) async throws -> [JSONText?]? {
        let form = configuration.form(context.options)
        var records: [JSONText?] = Array(repeating: nil, count: changes.count)
        var known: Set<Int> = []
        for group in groups(of: changes, byKind: true) {
            let names = form.ownNames(for: group.kind)
            let found = try await SalesforceClient(context).retrieve(
                group.ids, of: group.type, fields: names + [modificationDateField])
            for (position, record) in zip(group.positions, found) {
                records[position] = try record?.jsonText()
                known.insert(position)
            }
        }
        return known.count == changes.count ? records : nil
    }

    /// Changes of one object.
    private typealias Group = (type: String, kind: RecordChange.Kind, positions: [Int], ids: [String])

    /// Groups the changes whose object and ID are known.
    ///
    /// - Parameter byKind: whether all changes of a group have the group's kind.
    private func groups(of changes: [RecordChange], byKind: Bool) -> [Group] {
        let form = configuration.form(SyncOptions())
        var groups: [Group] = []
        for (position, change) in changes.enumerated() {
            guard let id = change.serverId, SalesforceID.isPossible(id), let type = try? form.type(of: change) else {
                continue
            }
            let known = groups.firstIndex { $0.type == type && (!byKind || $0.kind == change.kind) }
            let group = known ?? groups.endIndex
            if group == groups.endIndex { groups.append((type, change.kind, [], [])) }
            groups[group].positions.append(position)
            groups[group].ids.append(id)
        }
        return groups
    }

    func state(of record: JSONValue?) -> ServerState {
        guard let record else { return .deleted }
        return record[modificationDateField]?.stringValue.map { .modified($0) } ?? .unknown
    }
}
