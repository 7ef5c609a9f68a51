// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// An object of a seed document that has these keys and no others.
protocol ClosedObject: Decodable {
    associatedtype CodingKeys: CodingKey, CaseIterable
}

/// The form of a seed document: which keys there are, and what stands behind them.
///
/// It is there to be decoded: ``OrgDefinition`` reads the values.
struct SeedShape: ClosedObject {
    var apiVersions: [String]?
    var org: Organization?
    var users: [User]?
    var clients: [Client]?
    /// Null takes a standard object away.
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
        /// Null takes a field of a standard object away.
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
    /// What keeps a document from having this form: wrong types, missing keys, and keys that are not known.
    static func problems(of document: JSONValue) -> [ConfigurationProblem] {
        var problems: [ConfigurationProblem] = []
        _ = ConfigurationDecoder.decode(SeedShape.self, from: document, problems: &problems)
        // What the decoder warns of is among the unknown keys.
        problems.removeAll { $0.severity == .warning }
        var keys = KeyCheck()
        keys.check(document)
        return problems + keys.problems
    }
}

/// Looks for keys that nobody reads: what they say would be left out in silence.
private struct KeyCheck {
    var problems: [ConfigurationProblem] = []

    mutating func check(_ document: JSONValue) {
        closed(document, SeedShape.self, [])
        for index in problems.indices where document[problems[index].place.path ?? ""]?.arrayValue != nil {
            // Most likely these are rows, by the name of their object or of what other tools call them.
            problems[index].hint =
                "Rows stand in \"seed\": [{\"object\": \"Account\", \"values\": {\"Name\": \"Acme\"}}]."
        }
        closed(document["org"], SeedShape.Organization.self, [.key("org")])
        each(document["users"], SeedShape.User.self, [.key("users")])
        each(document["clients"], SeedShape.Client.self, [.key("clients")])
        each(document["briefcase"], SeedShape.Briefcase.self, [.key("briefcase")])
        each(document["seed"], SeedShape.Row.self, [.key("seed")])
        each(document["generate"], SeedShape.Generator.self, [.key("generate")])
        for (name, object) in document["objects"]?.objectValue?.members ?? [] {
            let path: [ConfigurationStep] = [.key("objects"), .key(name)]
            closed(object, SeedShape.Object.self, path)
            known(object["flags"], SchemaReader.flagPaths.map(\.name), path + [.key("flags")])
            each(object["recordTypes"], SeedShape.RecordType.self, path + [.key("recordTypes")])
            each(object["validationRules"], SeedShape.Rule.self, path + [.key("validationRules")])
            for (field, json) in object["fields"]?.objectValue?.members ?? [] {
                closed(json, SeedShape.Field.self, path + [.key("fields"), .key(field)])
            }
        }
    }

    private mutating func each<Object: ClosedObject>(
        _ list: JSONValue?, _ type: Object.Type, _ path: [ConfigurationStep]
    ) {
        for (index, element) in (list?.arrayValue ?? []).enumerated() { closed(element, type, path + [.index(index)]) }
    }

    private mutating func closed<Object: ClosedObject>(
        _ json: JSONValue?, _ type: Object.Type, _ path: [ConfigurationStep]
    ) {
        known(json, Object.CodingKeys.allCases.map(\.stringValue), path)
    }

    private mutating func known(_ json: JSONValue?, _ names: [String], _ path: [ConfigurationStep]) {
        for key in json?.objectValue?.keys ?? [] where !names.contains(key) {
            problems.append(
                ConfigurationProblem(
                    at: Place(path: (path + [.key(key)]).text), "the key \"\(key)\" is not known",
                    hint: NameDistance.question(for: key, among: names)))
        }
    }
}
