// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// The document that describes an org: users, clients, objects, and the first rows.
///
/// Every member is optional. ``problems(of:)`` reports errors; reading ignores them.
struct OrgDefinition: Sendable {
    struct User: Sendable {
        var key: String
        var id: String
        var username: String
        var password: String
        /// The security token that may follow the password at a login.
        var securityToken: String
        var firstName: String?
        var lastName: String
        var email: String
        var name: String { [firstName, lastName].compactMap { $0 }.joined(separator: " ") }
    }

    struct Client: Sendable {
        var id: String
        var secret: String?
        /// The allowed grant types; empty for all.
        var grants: [String]
        /// The public key for its signed logins, in PEM.
        var publicKey: String?
    }

    struct Row: Sendable {
        var object: String
        var key: String?
        var values: JSONObject
        /// Milliseconds since 1970.
        var modified: Int64?
        var created: Int64?
        var isDeleted = false
    }

    var apiVersions: [String]
    var orgId: String
    var organization: JSONObject
    var users: [User]
    var clients: [Client]
    /// The standard objects and those of the document.
    var schema: OrgSchema
    var briefcase: JSONValue
    var rows: [Row]
    var generate: [JSONValue]
    /// The modification time of rows without one.
    var stamp: Int64
    /// The time at which the clock is stopped.
    var frozenAt: Int64?
    /// The document of the definition, without the rows.
    var document: JSONValue

    init(_ document: JSONValue) throws {
        guard let members = document.objectValue?.members else {
            throw SoupError(.badConfiguration, "the description of an org must be a JSON object")
        }
        self.document = .object(JSONObject(members.filter { $0.key != "seed" && $0.key != "generate" }))
        apiVersions =
            document.apiVersions?.arrayValue?.compactMap(\.stringValue) ?? (42...66).map { "\($0).0" }
        let org = document.org?.objectValue ?? JSONObject()
        orgId = org["id"]?.stringValue.flatMap(RecordID.normalized) ?? RecordID.make("00D", 1)
        organization = org
        users = (document.users?.arrayValue ?? []).enumerated().map { Self.user($1, Int64($0 + 1)) }
        if users.isEmpty { users = [Self.user(["key": "me"], 1)] }
        if users.count == 1 {
            users.append(
                Self.user(
                    ["key": "other", "username": "other@example.org", "name": "Other User", "password": "demo"], 2))
        }
        clients = (document.clients?.arrayValue ?? []).map { client in
            Client(
                id: client.id?.stringValue ?? "", secret: client.secret?.stringValue,
                grants: client.grants?.arrayValue?.compactMap(\.stringValue) ?? [],
                publicKey: client.publicKey?.stringValue)
        }
        if clients.isEmpty { clients = [Client(id: "emu-client", secret: "emu-secret", grants: [], publicKey: nil)] }
        var reader = SchemaReader()
        try StandardObjects.add(to: &reader)
        reader.add(document.objects?.objectValue ?? JSONObject())
        schema = try reader.schema()
        briefcase = document.briefcase ?? []
        rows = try (document.seed?.arrayValue ?? []).enumerated().map { try Self.row($1, at: $0) }
        generate = document.generate?.arrayValue ?? []
        let frozen = document.freeze?.stringValue.flatMap { DateText.milliseconds($0) }
        frozenAt = frozen
        stamp = document.stamp?.stringValue.flatMap { DateText.milliseconds($0) } ?? frozen ?? 1_705_320_000_000
    }

    /// Returns all problems of a document.
    static func problems(of document: JSONValue) -> [ConfigurationProblem] {
        var problems = SeedShape.problems(of: document)
        var reader = SchemaReader()
        guard (try? StandardObjects.add(to: &reader)) != nil, let standard = try? reader.schema() else {
            return problems
        }
        problems += SchemaCheck(document["objects"]?.objectValue ?? JSONObject(), standard: standard).problems
        problems += AccessCheck(document).problems
        if let id = document["org"]?["id"]?.stringValue, RecordID.normalized(id) == nil {
            problems.append(
                ConfigurationProblem(
                    at: SoupError.Place(path: "org.id"), "\"\(id)\" is not an id",
                    hint: "Write 15 or 18 letters and digits."))
        }
        // Rows cannot be checked without valid objects.
        reader.add(document["objects"]?.objectValue ?? JSONObject())
        do {
            let schema = try reader.schema()
            problems += DescribedFieldCheck(document["objects"]?.objectValue ?? JSONObject(), schema).problems
            problems +=
                ShapeCheck(document["objects"]?.objectValue ?? JSONObject(), schema, standard: standard).problems
            problems += SeedCheck(document, schema).problems
            // Tables cannot be created for an invalid schema.
            if problems.isEmpty { problems += try SchemaTrial(schema).problems }
        } catch let error as ConfigurationError {
            problems += error.problems
        } catch {
            // Otherwise it is already reported, with its position.
            if problems.isEmpty {
                let error = error as? SoupError
                problems.append(
                    ConfigurationProblem(
                        at: error?.place ?? SoupError.Place(), error?.message ?? "the objects cannot be made",
                        hint: error?.hint))
            }
        }
        return problems
    }

    /// The objects that every org has.
    static func standardSchema() throws -> OrgSchema {
        var reader = SchemaReader()
        try StandardObjects.add(to: &reader)
        return try reader.schema()
    }

    /// The user of requests without a token.
    var caller: User { users[0] }

    /// Returns the key of a user without one, by the position in the list, counted from 1.
    static func userKey(_ number: Int) -> String { "user\(number)" }

    private static func user(_ json: JSONValue, _ number: Int64) -> User {
        let name = json.name?.stringValue ?? "Demo User"
        let parts = name.split(separator: " ")
        let username = json.username?.stringValue ?? (number == 1 ? "demo" : userKey(Int(number))) + "@example.org"
        return User(
            key: json.key?.stringValue ?? userKey(Int(number)), id: RecordID.make("005", number), username: username,
            password: json.password?.stringValue ?? "demo",
            securityToken: json.securityToken?.stringValue ?? "emu-token",
            firstName: parts.count > 1 ? parts.dropLast().joined(separator: " ") : nil,
            lastName: parts.last.map(String.init) ?? "User", email: json.email?.stringValue ?? username)
    }

    private static func row(_ json: JSONValue, at index: Int) throws -> Row {
        guard let object = json["object"]?.stringValue else {
            throw SoupError(
                .badConfiguration, "a seed row needs the name of its object",
                place: SoupError.Place(path: "seed[\(index)]"))
        }
        return Row(
            object: object, key: json.key?.stringValue, values: json["values"]?.objectValue ?? JSONObject(),
            modified: json.modified?.stringValue.flatMap { DateText.milliseconds($0) },
            isDeleted: json.deleted?.boolValue ?? false)
    }
}
