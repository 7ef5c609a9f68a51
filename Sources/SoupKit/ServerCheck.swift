// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import MobileSync
internal import SalesforceAPI
public import SoupCore

extension ConfigurationFolder {
    /// Asks the server whether it has what the syncs name: objects, the fields that they bring, and those that they
    /// send, which the user must be allowed to write.
    ///
    /// One request for each object, its describe. Fields in conditions and orders of queries are not looked at. What
    /// targets do not tell of (`broughtFields(part:)`, `sentFields(part:with:)`) is passed over, and so are syncs in a
    /// file that has an error already. Nothing is opened or written.
    ///
    /// - Parameters:
    ///   - registry: makes the targets, to ask them.
    ///   - transport: sends the requests, authorised; nil for a session with the credentials of the folder.
    /// - Returns: errors with their places, file after file: a run would fail there, or a push be refused.
    /// - Throws: ``SoupError``: `badConfiguration` when nothing says where the server is, or it has no such API;
    ///   `network`, `sessionExpired`, `server`, `unavailable`, `json`; `CancellationError`.
    public func serverProblems(
        registry: PluginRegistry = .standard, transport: (any HTTPTransport)? = nil,
        clock: any SoupClock = SystemClock()
    ) async throws -> [ConfigurationProblem] {
        let connection = try connection(over: transport, registry: registry, clock: clock) { _ in }
        var check = ServerCheck(
            context: SyncContext(
                transport: connection.transport, apiPath: connection.apiPath, clock: clock, soup: "any"))
        var problems: [ConfigurationProblem] = []
        for scope in StoreScope.allCases {
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

/// Compares what syncs name with what the server says of its objects.
private struct ServerCheck {
    let context: SyncContext
    /// What was asked for already, by lower case; nil for objects that the server does not have.
    private var described: [String: ObjectFields?] = [:]

    /// Whether the server is known to have this version of the API.
    private var knowsVersion = false

    init(context: SyncContext) { self.context = context }

    /// - Returns: problems with the way to their places in the file.
    mutating func problems(of config: SyncsConfig, _ registry: PluginRegistry) async throws -> [ConfigurationProblem] {
        var problems: [ConfigurationProblem] = []
        for (index, sync) in config.syncs.enumerated() {
            guard let target = SyncTarget(sync, registry: registry) else { continue }
            let path: [ConfigurationStep] = [.key("syncs"), .index(index)]
            for (position, part) in target.parts(for: sync.soup).enumerated() {
                for brought in target.broughtFields(position) {
                    let asked = brought.fields.filter { !brought.aliases.contains($0) }
                    problems += try await self.problems(
                        of: brought.objectType, asked, for: .none,
                        at: path + [.key("target"), .key(brought.path)])
                    guard try await fields(of: brought.objectType) != nil else { continue }
                    // Asked for beside them.
                    let own =
                        brought.isWhole
                        ? [] : [part.idField, part.modificationDateField, part.parentIdField].compactMap { $0 }
                    problems += try await self.problems(
                        of: brought.objectType, own, for: .none, at: path + [.key("target")])
                }
                // A push leaves these out, or sends them in its own way.
                let own = Set(
                    ["attributes", part.idField, part.modificationDateField, part.parentIdField]
                        .compactMap { $0?.lowercased() })
                for list in target.sentFields(position, sync.options) {
                    let type =
                        list.objectType ?? RecordConventions(of: part.soup, in: config, registry: registry).type
                    guard let type else { continue }
                    problems += try await self.problems(
                        of: type, list.fields.filter { !own.contains($0.lowercased()) }, for: list.kind,
                        at: path + list.steps)
                }
            }
        }
        return problems
    }

    /// - Parameter kind: what the fields are sent for; `none` when they are brought.
    private mutating func problems(
        of object: String, _ names: [String], for kind: RecordChange.Kind, at path: [ConfigurationStep]
    ) async throws -> [ConfigurationProblem] {
        let place = Place(path: path.text)
        guard let fields = try await fields(of: object) else {
            return [
                ConfigurationProblem(
                    at: place, "the server has no object \"\(object)\"",
                    hint: "Check the name, and whether the user has the right to see it.")
            ]
        }
        return names.compactMap { name in
            let root = SentFields.member(of: name)
            let isOver = kind == .none && root != name
            if isOver, fields.relationships[root.lowercased()] != nil { return nil }
            // A parent may be sent by its external id, as an object in the place of its id.
            if kind != .none, fields.relationships[root.lowercased()] == root { return nil }
            // In a query case does not count; what is sent is looked up in records, where it does.
            guard let field = fields.fields[root.lowercased()], kind == .none || field.name == root else {
                return ConfigurationProblem(
                    at: place, "\(object) has no field \"\(name)\" on the server",
                    hint: NameDistance.question(
                        for: root,
                        among: (isOver ? Array(fields.relationships.values) : fields.fields.values.map(\.name))
                            .sorted(),
                        else: "Check the name, and whether the user has the right to see the field."))
            }
            let (isAllowed, verb) = kind == .create ? (field.isCreateable, "set") : (field.isUpdateable, "change")
            guard kind != .none, !isAllowed else { return nil }
            return ConfigurationProblem(
                at: place, "the user may not \(verb) \(object).\(field.name) on the server, so a push of it is refused",
                hint: "Take it out of the list\(kind == .create ? " of what is created" : " of what is updated").")
        }
    }

    private mutating func fields(of object: String) async throws -> ObjectFields? {
        if let known = described[object.lowercased()] { return known }
        var fields: ObjectFields?
        do {
            fields = ObjectFields(try ObjectMetadata(try await context.describe(object)))
            knowsVersion = true
        } catch let error as SoupError where error.code == .objectNotFound {
            try await checkVersion()
        }
        described[object.lowercased()] = .some(fields)
        return fields
    }

    /// Makes sure that what is not found is an object, and not the API itself.
    private mutating func checkVersion() async throws {
        guard !knowsVersion else { return }
        let answer = try await context.send(.get, "\(context.apiPath)/")
        guard answer.status != 404 else {
            throw SoupError(
                .badConfiguration, "the server has nothing at \(context.apiPath)",
                hint: "Check instanceUrl and apiVersion: perhaps it is another server, or one of other versions.")
        }
        knowsVersion = true
    }
}

/// The fields of an object, by lower case.
private struct ObjectFields {
    struct Field {
        var name: String
        var isCreateable: Bool
        var isUpdateable: Bool
    }

    var fields: [String: Field] = [:]
    /// The names of those to parents and to children.
    var relationships: [String: String] = [:]

    init(_ metadata: ObjectMetadata) {
        for field in metadata.fields {
            guard let name = field["name"]?.stringValue else { continue }
            fields[name.lowercased()] = Field(
                name: name, isCreateable: field["createable"]?.boolValue ?? false,
                isUpdateable: field["updateable"]?.boolValue ?? false)
        }
        for end in metadata.fields + metadata.childRelationships {
            guard let name = end["relationshipName"]?.stringValue else { continue }
            relationships[name.lowercased()] = name
        }
    }
}
