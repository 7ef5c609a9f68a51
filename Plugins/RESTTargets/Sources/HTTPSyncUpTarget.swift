// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

/// Pushes local changes to a JSON service over HTTP, as its configuration describes it.
///
/// The README of the plug-in lists the keys.
public struct HTTPSyncUpTarget: SyncUpTarget {
    /// The `type` of this target: `http`.
    public static let name: PluginName = "http"
    /// Requests with the changed fields, for `soup targets http --sample`.
    public static let sample = try? JSONText(
        #"""
        {"type": "http", "url": "https://example.com/api/contacts", "records": "results", "id": "id",
        "modified": "updated_at", "fieldlist": ["name", "email"], "update": "patch"}
        """#)

    /// The target object of a sync.
    public struct Configuration: Decodable, Sendable, Hashable {
        let service: ServiceConfiguration
        let push: PushConfiguration

        /// Reads the keys that the README lists.
        public init(from decoder: any Decoder) throws {
            service = try ServiceConfiguration(from: decoder)
            push = try PushConfiguration(from: decoder)
        }
    }

    let form: PushForm

    private var service: Service { form.service }

    /// - Throws: ``SoupError`` with the place of a fault; `ConfigurationError` with several of them.
    public init(configuration: Configuration) throws {
        form = try PushForm(configuration.push, of: Service(configuration.service))
    }

    /// The number of changes of one push: the largest batch, or 20.
    public var maxBatchSize: Int {
        [form.create, form.update, form.delete].compactMap { $0.batch?.size }.max() ?? 20
    }
    /// The named connection of the configuration.
    public var connectionName: String? { service.connection }
    /// The member of an entry with the ID, `id` by default.
    public var idField: String { service.id.field }
    /// The member of an entry with the date of the last change.
    ///
    /// Without the key `modified`, the default of all targets.
    public var modificationDateField: String { service.dateField }
    /// The form of dates in records.
    public var dateFormat: RecordDateFormat { service.dateFormat }
    /// The member of an entry with the version of the record.
    public var versionField: String? { service.version?.field }

    /// Sends each change, or each batch, in a request.
    ///
    /// - Throws: ``SoupError`` if nothing has reached the server.
    public func push(_ changes: [RecordChange], in context: SyncContext) async throws -> [PushOutcome] {
        var push = Push(form, changes, in: context)
        return try await push.outcomes()
    }

    /// Returns whether the service recognizes the key of the creation.
    public func isIdempotent(_ creation: RecordChange) -> Bool {
        guard let key = form.clientKey, key.isIdempotent, form.create.batch == nil || key.field != nil else {
            return false
        }
        return key.value(of: creation, idField: idField) != nil
    }

    /// Returns whether the key of the creation is a field of the record, which another record can contain, too.
    public func mayFindExistingRecord(_ creation: RecordChange) -> Bool {
        isIdempotent(creation) && form.clientKey?.ownValue(of: creation) != nil
    }

    /// Returns whether the change has a version, and is sent with `If-Match`.
    public func isConditional(_ change: RecordChange, under mode: MergeMode) -> Bool {
        form.route(for: change.kind).batch == nil && form.ifMatch(change, under: mode) != nil
    }

    /// Fetches each record, and returns the dates of the last changes; nil if the target knows neither dates nor
    /// versions.
    ///
    /// Without dates, it reports only which records are deleted: the service compares the versions.
    ///
    /// - Throws: ``SoupError`` for every response that is not the service's own, and if no record has a readable date,
    ///   or none has a version.
    public func serverStates(of changes: [RecordChange], in context: SyncContext) async throws -> [ServerState]? {
        guard service.modified != nil || form.comparesVersions else { return nil }
        var states = Array(repeating: ServerState.unknown, count: changes.count)
        let known = changes.indices.filter { changes[$0].serverId.map(ServerId.isPossible) == true }
        let client = ServiceClient(service: service, context: context)
        let records = try await client.items(known.compactMap { changes[$0].serverId })
        var check = StateCheck(service)
        for (position, record) in zip(known, records) {
            guard let record else {
                states[position] = .deleted
                continue
            }
            check.note(record)
            states[position] = form.modificationDate(in: record).map { .modified($0) } ?? .unknown
        }
        try check.finish()
        return states
    }

    /// Fetches each record, and returns the fields that a push can send, with those of the server.
    ///
    /// Other fields, such as a counter of the server, differ after every push.
    ///
    /// - Throws: ``SoupError`` for every response that is not the service's own.
    public func serverRecords(of changes: [RecordChange], in context: SyncContext) async throws -> [JSONText?]? {
        let ids = changes.compactMap { $0.serverId.flatMap { ServerId.isPossible($0) ? $0 : nil } }
        guard ids.count == changes.count else { return nil }
        let records = try await ServiceClient(service: service, context: context).items(ids)
        return zip(records, changes).map { record, change in
            record.map { form.fields.comparable(service.entry(of: $0), for: change.kind, context.options) }
        }
    }

    /// Looks up each creation by its client key; nil without a look-up in the configuration.
    ///
    /// - Throws: ``SoupError`` for every response that is not the service's own, and for several records with one key.
    public func findCreated(_ changes: [RecordChange], in context: SyncContext) async throws -> [String?]? {
        guard let key = form.clientKey, let query = key.query, let field = key.field else { return nil }
        let values = changes.compactMap { key.value(of: $0, idField: idField) }
        guard values.count == changes.count else { return nil }
        let client = ServiceClient(service: service, context: context)
        var found: [String?] = []
        for (value, change) in zip(values, changes) {
            let members = (try? form.fields.members(of: change, context.options)) ?? []
            found.append(
                try await client.record(
                    with: value, in: field, query, of: members.filter { $0.name != field }))
        }
        return found
    }

    /// Returns an error for a merge mode that needs the state of records, if the service reports none, and warnings
    /// about credentials in the headers and about records that `PUT` replaces by a part of them.
    public func problems(with options: SyncOptions) -> [ConfigurationProblem] {
        var problems = service.problems
        if options.mergeMode != .overwrite, service.modified == nil, !form.comparesVersions {
            problems.append(
                ConfigurationProblem(
                    at: SoupError.Place(path: "modified"),
                    "the merge mode \(options.mergeMode.rawValue) needs the date or the version of records",
                    hint: "Add \"modified\", or \"version\" and \"ifMatch\": true, or use OVERWRITE."))
        }
        let newNames = options.transforms.filter { $0.name == "rename" }
            .flatMap { $0.json["fields"]?.objectValue?.members.compactMap(\.value.stringValue) ?? [] }
        if let field = form.clientKey?.field, newNames.contains(field) {
            problems.append(
                ConfigurationProblem(
                    at: SoupError.Place(path: "clientKey.field"),
                    "\"\(field)\" is the name of a field in the store, and the key needs the name that the server has",
                    hint: "Write the server's name, which \"rename\" replaces."))
        }
        let isPartial = form.fields.list(for: .update, options) != nil || !options.transforms.isEmpty
        if form.update.isEnabled, form.update.style == .put, isPartial {
            problems.append(
                ConfigurationProblem(
                    .warning, at: SoupError.Place(path: "update"),
                    "PUT replaces the whole record, and the field list or the transforms leave out a part of it: the "
                        + "service may erase the other fields",
                    hint:
                        "Use \"patch\" if the service has it. If it keeps the other fields, write {\"style\": \"patch\", "
                        + "\"method\": \"PUT\"}."))
        }
        return problems
    }

    /// Returns the field lists; none if all fields are sent.
    public func pushedFields(level: Int, with options: SyncOptions) -> [PushedFields] {
        let lists = [
            (RecordChange.Kind.create, form.fields.create, "createFieldlist"),
            (.update, form.fields.update, "updateFieldlist"),
        ]
        return lists.compactMap { kind, own, path in
            form.fields.list(for: kind, options).map { PushedFields(kind, $0, at: own == nil ? nil : path) }
        }
    }
}
