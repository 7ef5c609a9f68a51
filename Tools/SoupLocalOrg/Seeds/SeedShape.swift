// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// A JSON object of a seed document with a fixed set of keys.
protocol ClosedObject: Decodable {
    associatedtype CodingKeys: CodingKey, CaseIterable
}

/// The form of a seed document: its keys and the types of their values.
///
/// It is decoded only to check the form: ``OrgDefinition`` reads the values.
struct SeedShape: ClosedObject {
    var apiVersions: [String]?
    var org: Organization?
    var users: [User]?
    var clients: [Client]?
    /// Null removes a standard object.
    var objects: [String: Object?]?
    var briefcase: [Briefcase]?
    var seed: [Row]?
    var generate: [Generator]?
    var stamp: String?
    var freeze: String?

    enum CodingKeys: String, CodingKey, CaseIterable {
        case apiVersions, org, users, clients, objects, briefcase, seed, generate, stamp, freeze
    }

    struct Organization: ClosedObject {
        var id: String?
        var name: String?
        var type: String?
        var isSandbox: Bool?
        var instanceName: String?

        enum CodingKeys: String, CodingKey, CaseIterable { case id, name, type, isSandbox, instanceName }
    }

    struct User: ClosedObject {
        var key: String?
        var username: String?
        var password: String?
        var securityToken: String?
        var name: String?
        var email: String?
        var profile: String?

        enum CodingKeys: String, CodingKey, CaseIterable {
            case key, username, password, securityToken, name, email, profile
        }
    }

    struct Client: ClosedObject {
        var id: String
        var secret: String?
        var grants: [String]?
        var publicKey: String?

        enum CodingKeys: String, CodingKey, CaseIterable { case id, secret, grants, publicKey }
    }

    struct Row: ClosedObject {
        var object: String
        var key: String?
        var values: [String: JSONValue]?
        var modified: String?
        var deleted: Bool?

        enum CodingKeys: String, CodingKey, CaseIterable { case object, key, values, modified, deleted }
    }

    struct Generator: ClosedObject {
        var object: String
        var count: Int
        var seed: Int64?
        var values: [String: JSONValue]?

        enum CodingKeys: String, CodingKey, CaseIterable { case object, count, seed, values }
    }

    struct Object: ClosedObject {
        var label: String?
        var labelPlural: String?
        var keyPrefix: String?
        var custom: Bool?
        var nameField: String?
        var owner: Bool?
        var whole: Bool?
        var activities: Bool?
        var attachments: Bool?
        var flags: [String: Bool]?
        var recordTypes: [RecordType]?
        /// Null removes a field of a standard object.
        var fields: [String: Field?]?
        var validationRules: [Rule]?

        enum CodingKeys: String, CodingKey, CaseIterable {
            case label, labelPlural, keyPrefix, custom, nameField, owner, whole, activities, attachments, flags
            case recordTypes, fields, validationRules
        }
    }

    struct Briefcase: ClosedObject {
        var id: String?
        var object: String?
        var `where`: String?
        var orderBy: String?
        var limit: Int?
        var related: [String]?
        var relatedRules: [String]?

        enum CodingKeys: String, CodingKey, CaseIterable {
            case id, object, `where`, orderBy, limit, related, relatedRules
        }
    }

    struct RecordType: ClosedObject {
        var developerName: String
        var name: String?
        var `default`: Bool?
        var id: String?

        enum CodingKeys: String, CodingKey, CaseIterable { case developerName, name, `default`, id }
    }

    struct Rule: ClosedObject {
        var name: String?
        var when: String
        var on: Event?
        var message: String?
        var field: String?

        enum CodingKeys: String, CodingKey, CaseIterable { case name, when, on, message, field }
        enum Event: String, Decodable, CaseIterable { case insert, update, always }
    }

    struct Field: ClosedObject {
        var type: String?
        var label: String?
        var length: Int?
        var precision: Int?
        var scale: Int?
        var required: Bool?
        var `default`: JSONValue?
        var readOnly: Bool?
        var calculated: Bool?
        var formula: String?
        var format: String?
        var externalId: Bool?
        var unique: Bool?
        var caseSensitive: Bool?
        var idLookup: Bool?
        var nameField: Bool?
        var picklist: [String]?
        var restricted: Bool?
        var compound: String?
        var referenceTo: [String]?
        var relationshipName: String?
        var childRelationshipName: String?
        var onDelete: DeleteRule?

        enum CodingKeys: String, CodingKey, CaseIterable {
            case type, label, length, precision, scale, required, `default`, readOnly, calculated, formula, format
            case externalId, unique, caseSensitive, idLookup, nameField, picklist, restricted, compound, referenceTo
            case relationshipName, childRelationshipName, onDelete
        }
    }
}

extension SeedShape {
    /// Returns the problems of a document's form: wrong types, missing keys, and unknown keys.
    static func problems(of document: JSONValue) -> [ConfigurationProblem] {
        var problems: [ConfigurationProblem] = []
        _ = ConfigurationDecoder.decode(SeedShape.self, from: document, problems: &problems)
        // The decoder's warnings are among the unknown keys.
        problems.removeAll { $0.severity == .warning }
        var keys = KeyCheck()
        keys.check(document)
        return problems + keys.problems
    }
}

/// Finds unknown keys, whose values would be ignored without a message.
private struct KeyCheck {
    var problems: [ConfigurationProblem] = []

    mutating func check(_ document: JSONValue) {
        closed(document, SeedShape.self, at: [])
        for index in problems.indices where document[problems[index].place.path ?? ""]?.arrayValue != nil {
            // These are probably rows, under the name of their object or of another tool's key.
            problems[index].hint =
                "Write rows in \"seed\": [{\"object\": \"Account\", \"values\": {\"Name\": \"Acme\"}}]."
        }
        closed(document["org"], SeedShape.Organization.self, at: [.key("org")])
        each(document["users"], SeedShape.User.self, at: [.key("users")])
        each(document["clients"], SeedShape.Client.self, at: [.key("clients")])
        each(document["briefcase"], SeedShape.Briefcase.self, at: [.key("briefcase")])
        each(document["seed"], SeedShape.Row.self, at: [.key("seed")])
        each(document["generate"], SeedShape.Generator.self, at: [.key("generate")])
        for (name, object) in document["objects"]?.objectValue?.members ?? [] {
            let path: [ConfigurationStep] = [.key("objects"), .key(name)]
            closed(object, SeedShape.Object.self, at: path)
            known(object["flags"], SchemaReader.flagPaths.map(\.name), at: path + [.key("flags")])
            each(object["recordTypes"], SeedShape.RecordType.self, at: path + [.key("recordTypes")])
            each(object["validationRules"], SeedShape.Rule.self, at: path + [.key("validationRules")])
            for (field, json) in object["fields"]?.objectValue?.members ?? [] {
                closed(json, SeedShape.Field.self, at: path + [.key("fields"), .key(field)])
            }
        }
    }

    private mutating func each<Object: ClosedObject>(
        _ list: JSONValue?, _ type: Object.Type, at path: [ConfigurationStep]
    ) {
        for (index, element) in (list?.arrayValue ?? []).enumerated() {
            closed(element, type, at: path + [.index(index)])
        }
    }

    private mutating func closed<Object: ClosedObject>(
        _ json: JSONValue?, _ type: Object.Type, at path: [ConfigurationStep]
    ) {
        known(json, Object.CodingKeys.allCases.map(\.stringValue), at: path)
    }

    private mutating func known(_ json: JSONValue?, _ names: [String], at path: [ConfigurationStep]) {
        for key in json?.objectValue?.keys ?? [] where !names.contains(key) {
            problems.append(
                ConfigurationProblem(
                    at: SoupError.Place(path: (path + [.key(key)]).text), "the key \"\(key)\" is not known",
                    hint: NameDistance.question(for: key, among: names)))
        }
    }
}
