// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// A change of an org's objects in the form of a seed document, with null for removed parts.
///
/// It is merged with the org's description, so that a restart and a snapshot contain it.
struct SchemaPatch {
    private let definition: OrgDefinition
    private let standard: OrgSchema
    private var prefixes: Set<String>
    private var recordTypes: Int64
    /// The new descriptions of the objects.
    private(set) var objects: JSONObject
    /// The problems of parts that cannot be removed.
    private(set) var problems: [ConfigurationProblem] = []

    private typealias Path = [ConfigurationStep]

    /// - Parameters:
    ///   - changes: by the names of objects.
    /// - retired: the key prefixes that no new object may get.
    ///   - recordTypes: the number of the latest record type.
    init(
        _ changes: JSONObject, of definition: OrgDefinition, standard: OrgSchema, retired: [String],
        recordTypes: Int64
    ) {
        self.definition = definition
        self.standard = standard
        self.recordTypes = recordTypes
        prefixes = Set(definition.schema.objects.map(\.keyPrefix) + retired)
        prefixes.formUnion(changes.members.compactMap { $0.value["keyPrefix"]?.stringValue })
        objects = Self.pinned(definition)
        for (name, change) in changes.members { add(change, to: name) }
    }

    /// The org's document with the new objects.
    var document: JSONValue {
        var document = definition.document.objectValue ?? JSONObject()
        document["objects"] = .object(objects)
        return .object(document)
    }

    /// Returns the objects of a document with their key prefixes and record type IDs, so that these stay the same when
    /// an object is added or removed.
    private static func pinned(_ definition: OrgDefinition) -> JSONObject {
        let described = definition.document["objects"]?.objectValue ?? JSONObject()
        return JSONObject(
            described.members.map { name, description in
                guard case .object(var description) = description, let object = definition.schema[name] else {
                    return (key: name, value: description)
                }
                description["keyPrefix"] = .string(object.keyPrefix)
                if !object.recordTypes.isEmpty {
                    description["recordTypes"] = .array(object.recordTypes.map(\.description))
                }
                return (key: name, value: .object(description))
            })
    }

    private mutating func note(_ path: Path, _ message: String, hint: String) {
        problems.append(ConfigurationProblem(at: SoupError.Place(path: path.text), message, hint: hint))
    }

    private mutating func add(_ change: JSONValue, to name: String) {
        let path: Path = [.key("objects"), .key(name)]
        let object = definition.schema[name]
        let key = objects.spelled(name) ?? object?.name ?? name
        guard !change.isNull else { return remove(object, named: key, at: path) }
        guard case .object(var description) = change else { return objects[key] = change }
        let described = objects[key]?.objectValue ?? JSONObject()
        if let fields = description["fields"]?.objectValue {
            let isWhole = (change["whole"] ?? described["whole"])?.boolValue ?? false
            let own = described["fields"]?.objectValue ?? JSONObject()
            description["fields"] = .object(
                merged(
                    own, changes: fields, of: object, standard: isWhole ? nil : standard[name],
                    at: path + [.key("fields")]))
        }
        if let flags = description["flags"]?.objectValue {
            description["flags"] = .object((described["flags"]?.objectValue ?? JSONObject()).merged(with: flags))
        }
        if let types = description["recordTypes"]?.arrayValue {
            description["recordTypes"] = .array(types.map { numbered($0, object) })
        }
        var result = described.merged(with: description)
        if object == nil, standard[name] == nil, result["keyPrefix"] == nil {
            do throws(SoupError) {
                result["keyPrefix"] = .string(try SchemaReader.freePrefix(&prefixes))
            } catch {
                note(path, error.message, hint: error.hint ?? "")
            }
        }
        objects[key] = .object(result)
    }

    private mutating func remove(_ object: OrgObject?, named key: String, at path: Path) {
        guard let object else {
            let known = definition.schema.objects.map(\.name)
            return note(
                path, "there is no object \"\(key)\" to remove",
                hint: NameDistance.question(for: key, among: known, else: "Remove it."))
        }
        guard !SchemaCheck.indispensable.contains(object.name) else {
            return note(path, "the org itself needs \(object.name)", hint: "Leave it.")
        }
        objects[key] = standard[object.name] == nil ? nil : .some(.null)
    }

    /// Merges changes into the fields of a description.
    ///
    /// - Parameter standard: the built-in object, whose fields exist without a description.
    private mutating func merged(
        _ fields: JSONObject, changes: JSONObject, of object: OrgObject?, standard: OrgObject?, at path: Path
    ) -> JSONObject {
        var fields = fields
        for (name, change) in changes.members {
            let field = object?.field(name)
            let key = fields.spelled(name) ?? field?.name ?? name
            if case .object(let change) = change {
                fields[key] = .object((fields[key]?.objectValue ?? JSONObject()).merged(with: change))
                continue
            }
            guard change.isNull else {
                fields[key] = change
                continue
            }
            guard let object, let field else {
                let known = object?.fields.map(\.name) ?? []
                note(
                    path + [.key(name)], "there is no field \"\(name)\" to remove",
                    hint: NameDistance.question(for: name, among: known, else: "Remove it."))
                continue
            }
            if let reason = SchemaCheck.reasonToKeep(field) {
                note(path + [.key(name)], "\(object.name).\(field.name) \(reason.message)", hint: reason.hint)
                continue
            }
            for gone in [field] + object.parts(of: field) {
                let key = fields.spelled(gone.name) ?? gone.name
                // A standard field is set to null, because the built-in description contains it.
                fields[key] = standard?.field(gone.name) == nil || gone.compound != nil ? nil : .some(.null)
            }
        }
        return fields
    }

    /// Returns a record type with its ID: the existing one, or the next.
    private mutating func numbered(_ type: JSONValue, _ object: OrgObject?) -> JSONValue {
        guard case .object(var description) = type, let name = description["developerName"]?.stringValue else {
            return type
        }
        if let known = object?.recordTypes.first(where: { $0.developerName.lowercased() == name.lowercased() }) {
            description["id"] = .string(known.id)
        } else {
            recordTypes += 1
            description["id"] = .string(RecordID.make("012", recordTypes))
        }
        return .object(description)
    }
}

extension OrgObject.RecordType {
    /// The record type in the form of a seed document.
    fileprivate var description: JSONValue {
        [
            "developerName": .string(developerName), "name": .string(name), "default": .bool(isDefault),
            "id": .string(id),
        ]
    }
}

extension JSONObject {
    /// Returns the key as it is written, for a key in any case of letters.
    fileprivate func spelled(_ key: String) -> String? { keys.first { $0.lowercased() == key.lowercased() } }

    /// Returns the members, replaced by those of another object; null removes one.
    fileprivate func merged(with changes: JSONObject) -> JSONObject {
        var result = self
        for (key, value) in changes.members { result[key] = value.isNull ? nil : .some(value) }
        return result
    }
}
