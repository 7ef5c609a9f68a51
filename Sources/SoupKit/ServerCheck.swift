// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import SoupSync
internal import SoupSalesforce
public import SoupCore

extension ConfigurationFolder {
    /// Checks on the server that the objects and fields of the syncs exist, and that the user may write the fields that
    /// the syncs send.
    ///
    /// Sends one describe request for each object. Fields in conditions and orders of queries are not checked. Fields
    /// that a target does not report (`fetchedFields(level:)`, `pushedFields(level:with:)`) are skipped, and so are
    /// syncs in a file that already has an error. Nothing is opened or written.
    ///
    /// - Parameters:
    ///   - registry: creates the targets, which report their fields.
    ///   - transport: sends the requests, authorised; nil for a session with the credentials of the folder.
    ///   - user: the user whose session sends the requests, and no token of the configuration; nil for any.
    ///   - credentialStore: the store of the sessions if `org.json` names none; nil for none.
    /// - Returns: errors with their places, file by file. With such an error a run would fail, or the server would
    ///   refuse a push.
    /// - Throws: ``SoupError``: `badConfiguration` if no server is configured, or if it does not have this API version;
    ///   `network`, `sessionExpired`, `server`, `unavailable`, `json`; `CancellationError`.
    public func serverProblems(
        registry: PluginRegistry = .standard, transport: (any HTTPTransport)? = nil, user: StoreUser? = nil,
        credentialStore: (any CredentialStore)? = nil, clock: any SoupClock = SystemClock()
    ) async throws -> [ConfigurationProblem] {
        let store = credentialStore.map { store -> @Sendable (ConfigurationFolder) -> any CredentialStore in
            { _ in store }
        }
        let options = SoupClient.Options(
            user: user, registry: registry, transport: transport, credentialStore: store, clock: clock)
        return try await serverProblems(
            of: StoreScope.allCases, registry: registry, connection: try standardConnection(options), clock: clock)
    }

    /// Checks the syncs of some scopes; see ``serverProblems(registry:transport:user:credentialStore:clock:)``.
    func serverProblems(
        of scopes: [StoreScope], registry: PluginRegistry, connection: SyncConnection, clock: any SoupClock
    ) async throws -> [ConfigurationProblem] {
        var check = ServerCheck(
            client: SalesforceClient(
                SyncContext(
                    transport: connection.transport, basePath: connection.basePath, clock: clock, soup: "any")))
        var problems: [ConfigurationProblem] = []
        for scope in scopes {
            let configuration = self[scope]
            guard let syncs = configuration.syncs, configuration.problems.allSatisfy({ $0.severity == .warning }),
                case .present(let bytes) = ConfigurationFiles(path).read(scope.syncsFile)
            else { continue }
            let found: [ConfigurationProblem]
            do {
                found = try await check.problems(of: syncs, registry)
            } catch {
                throw connection.transport.secretMask?.masked(error) ?? error
            }
            let known = Set(configuration.problems)
            problems += ConfigurationDocument(bytes, file: scope.syncsFile).located(found).filter {
                !known.contains($0)
            }
        }
        return problems
    }
}

/// A check that compares the names in syncs with the server's descriptions of its objects.
private struct ServerCheck {
    let client: SalesforceClient
    /// The objects that were already requested, by lower-case name; nil for objects that the server does not have.
    private var described: [String: ObjectFields?] = [:]

    /// Whether the server is known to support this version of the API.
    private var knowsVersion = false

    init(client: SalesforceClient) { self.client = client }

    /// - Returns: problems with the path to their places in the file.
    mutating func problems(of config: SyncsConfig, _ registry: PluginRegistry) async throws -> [ConfigurationProblem] {
        var problems: [ConfigurationProblem] = []
        for (index, sync) in config.syncs.enumerated() {
            guard let target = SyncTarget(sync, registry: registry) else { continue }
            let path: [ConfigurationStep] = [.key("syncs"), .index(index)]
            // A sync up need not list fields.
            if sync.type == .syncDown,
                target.levels(for: sync.soup).indices.allSatisfy({ target.fetchedFields($0).isEmpty })
            {
                problems.append(Self.unchecked(sync, at: path))
            }
            for (position, level) in target.levels(for: sync.soup).enumerated() {
                for fetched in target.fetchedFields(position) {
                    let names = fetched.fields.filter { !fetched.aliases.contains($0) }
                    problems += try await self.problems(
                        of: fetched.objectType, names, for: .none,
                        at: path + [.key("target"), .key(fetched.path)])
                    guard try await fields(of: fetched.objectType) != nil else { continue }
                    // The target requests these fields in addition.
                    let own =
                        fetched.isWhole
                        ? [] : [level.idField, level.modificationDateField, level.parentIdField].compactMap { $0 }
                    problems += try await self.problems(
                        of: fetched.objectType, own, for: .none, at: path + [.key("target")])
                }
                // A push omits these fields, or sends them in another way.
                let own = Set(
                    ["attributes", level.idField, level.modificationDateField, level.parentIdField]
                        .compactMap { $0?.lowercased() })
                for list in target.pushedFields(position, sync.options) {
                    let type =
                        list.objectType ?? RecordConventions(of: level.soup, in: config, registry: registry).type
                    guard let type else { continue }
                    problems += try await self.problems(
                        of: type, list.fields.filter { !own.contains($0.lowercased()) }, for: list.kind,
                        at: path + list.steps)
                    if list.path?.hasSuffix("clientKeyFieldName") == true {
                        problems += try await keyProblems(of: type, list.fields, at: path + list.steps)
                    }
                }
            }
        }
        return problems
    }

    private static func unchecked(_ sync: SyncDefinition, at path: [ConfigurationStep]) -> ConfigurationProblem {
        ConfigurationProblem(
            .warning, at: SoupError.Place(path: (path + [.key("target")]).text),
            "the server was not asked about the sync\(sync.name.map { " \"\($0)\"" } ?? ""): its target reports no "
                + "objects and fields",
            hint: "Run soup sync to check it with the server.")
    }

    /// - Parameter kind: the kind of change for which the fields are sent; `none` for fields that are fetched.
    private mutating func problems(
        of object: String, _ names: [String], for kind: RecordChange.Kind, at path: [ConfigurationStep]
    ) async throws -> [ConfigurationProblem] {
        let place = SoupError.Place(path: path.text)
        guard let fields = try await fields(of: object) else {
            return [
                ConfigurationProblem(
                    at: place, "the server has no object \"\(object)\"",
                    hint: "Check the name, and that the user has permission to see the object.")
            ]
        }
        return names.compactMap { name in
            let root = PushedFields.member(of: name)
            let isOver = kind == .none && root != name
            if isOver, fields.relationships[root.lowercased()] != nil { return nil }
            // A parent may be sent by its external ID, as an object in place of its ID.
            if kind != .none, fields.relationships[root.lowercased()] == root { return nil }
            // Queries ignore case. The fields to send are looked up in records, where case matters.
            guard let field = fields.fields[root.lowercased()], kind == .none || field.name == root else {
                return ConfigurationProblem(
                    at: place, "\(object) has no field \"\(name)\" on the server",
                    hint: NameDistance.question(
                        for: root,
                        among: (isOver ? Array(fields.relationships.values) : fields.fields.values.map(\.name))
                            .sorted(),
                        else: "Check the name, and that the user has permission to see the field."))
            }
            let (isAllowed, verb) = kind == .create ? (field.isCreateable, "set") : (field.isUpdateable, "change")
            guard kind != .none, !isAllowed else { return nil }
            return ConfigurationProblem(
                at: place,
                "the user may not \(verb) \(object).\(field.name) on the server, so the server refuses to push it",
                hint: "Remove it from the fields that are sent when a record is "
                    + "\(kind == .create ? "created" : "updated").")
        }
    }

    /// Returns the problem of a field for client keys that cannot contain one.
    private mutating func keyProblems(
        of object: String, _ names: [String], at path: [ConfigurationStep]
    ) async throws -> [ConfigurationProblem] {
        guard let name = names.first, let field = try await fields(of: object)?.fields[name.lowercased()] else {
            return []
        }
        let isText = ["string", "textarea"].contains(field.type)
        if isText, field.isFilterable, (field.length ?? 32) >= 32 { return [] }
        return [
            ConfigurationProblem(
                at: SoupError.Place(path: path.text),
                "\(object).\(field.name) cannot contain a key: it has the type \(field.type)"
                    + (field.length.map { " and the length \($0)" } ?? "")
                    + (field.isFilterable ? "" : ", and queries cannot search it"),
                hint: "Use a text field of at least 32 characters that queries can search.")
        ]
    }

    private mutating func fields(of object: String) async throws -> ObjectFields? {
        if let known = described[object.lowercased()] { return known }
        var fields: ObjectFields?
        do {
            fields = ObjectFields(try ObjectMetadata(try await client.describe(object)))
            knowsVersion = true
        } catch let error as SoupError where error.code == .objectNotFound {
            try await checkVersion()
        }
        described[object.lowercased()] = .some(fields)
        return fields
    }

    /// Checks the API version, so that a missing API is not reported as a missing object.
    private mutating func checkVersion() async throws {
        guard !knowsVersion else { return }
        let answer = try await client.send(.get, "\(client.apiPath)/")
        guard answer.status != 404 else {
            throw SoupError(
                .badConfiguration, "the server has no API at \(client.apiPath)",
                hint: "Check instanceUrl and apiVersion: the URL may be another server's, or the server may not have "
                    + "this version.")
        }
        knowsVersion = true
    }
}

/// The fields of an object, by lower-case name.
private struct ObjectFields {
    struct Field {
        var name: String
        var isCreateable: Bool
        var isUpdateable: Bool
        var type: String
        var isFilterable: Bool
        var length: Int?
    }

    var fields: [String: Field] = [:]
    /// The names of the relationships to parents and to children.
    var relationships: [String: String] = [:]

    init(_ metadata: ObjectMetadata) {
        for field in metadata.fields {
            guard let name = field["name"]?.stringValue else { continue }
            fields[name.lowercased()] = Field(
                name: name, isCreateable: field["createable"]?.boolValue ?? false,
                isUpdateable: field["updateable"]?.boolValue ?? false, type: field["type"]?.stringValue ?? "unknown",
                isFilterable: field["filterable"]?.boolValue ?? true,
                length: field["length"]?.intValue.flatMap { $0 > 0 ? Int($0) : nil })
        }
        for end in metadata.fields + metadata.childRelationships {
            guard let name = end["relationshipName"]?.stringValue else { continue }
            relationships[name.lowercased()] = name
        }
    }
}
