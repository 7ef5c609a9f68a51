// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// Answers `/ui-api/object-info/{object}/picklist-values/{recordType}`: the values of all picklists, or of one.
struct UIPicklistHandler: ResourceHandler {
    private let context: OrgContext
    private let interface: UserInterface
    private let path: PathPattern.Values

    init(request: OrgRequest, context: OrgContext) {
        self.context = context
        interface = UserInterface(context: context)
        path = request.path
    }

    func allFields() throws -> OrgAnswer {
        let object = try object()
        let fields = object.fields.filter { [.picklist, .multipicklist].contains($0.type) }
        return OrgAnswer([
            "eTag": .string(interface.eTag(of: "\(object.name) \(path["recordType"])")),
            "picklistFieldValues": .object(
                JSONObject(fields.map { (key: $0.name, value: values(of: $0, object)) })),
        ])
    }

    func oneField() throws -> OrgAnswer {
        let object = try object()
        let name = path["field"]
        guard let field = object.field(name), [.picklist, .multipicklist].contains(field.type) else {
            throw OrgError(
                400, "INVALID_FIELD", message: "No picklist '\(name)' on sobject of type \(object.name)")
        }
        return OrgAnswer(values(of: field, object))
    }

    /// Returns the object of the path, which must have the record type of the path.
    private func object() throws -> OrgObject {
        let object = try interface.object(path["object"])
        let recordType = path["recordType"]
        let id = RecordID.normalized(recordType)
        guard object.recordTypesWithMaster.contains(where: { $0.id == id }) else {
            throw OrgError(404, "NOT_FOUND", message: "The record type \(recordType) is not one of \(object.name)")
        }
        return object
    }

    private func values(of field: OrgField, _ object: OrgObject) -> JSONValue {
        func value(_ text: String) -> JSONValue {
            ["attributes": nil, "label": .string(text), "validFor": [], "value": .string(text)]
        }
        let chosen = field.picklist.first { field.defaultValue == .string($0) }
        let base = "\(context.apiPath)/ui-api/object-info/\(object.name)/picklist-values/\(path["recordType"])"
        return [
            "controllerValues": [:], "defaultValue": chosen.map(value) ?? .null,
            "eTag": .string(interface.eTag(of: "\(object.name).\(field.name)")),
            "url": .string("\(base)/\(field.name)"), "values": .array(field.picklist.map(value)),
        ]
    }
}
