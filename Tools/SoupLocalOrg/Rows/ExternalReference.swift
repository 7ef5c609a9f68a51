// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// A reference to another record by that record's external ID.
///
/// In bodies it has the form `"Account": {"Code__c": "A"}`, in columns of bulk data `Account.Code__c`.
struct ExternalReference {
    /// The reason why a reference is invalid.
    enum Fault: Error {
        /// The field does not refer to that object.
        case otherKind
        /// The other object has no such field.
        case unknownKey
        /// The field is neither an external ID nor a lookup field.
        case noKey(OrgObject, OrgField)
    }

    /// The field that refers to the record.
    let field: OrgField
    /// The object of the other record.
    let object: OrgObject
    /// The field of the other record that identifies it.
    let key: OrgField

    /// - Parameters:
    ///   - type: the name of the other record's object, in any case of letters.
    ///   - key: the name of one of its fields.
    init(_ field: OrgField, to type: String, by key: String, schema: OrgSchema) throws(Fault) {
        guard let object = schema[type], field.referenceTo.contains(object.name) else { throw .otherKind }
        guard let key = object.field(key) else { throw .unknownKey }
        guard key.isExternalId || key.isIdLookup || key.isUnique else { throw .noKey(object, key) }
        self.field = field
        self.object = object
        self.key = key
    }

    /// Returns the ID of the record with a value in the key; null for null.
    ///
    /// - Throws: ``OrgError`` if no record that is not deleted has the value, or if several have it.
    func id(for value: JSONValue, in context: OrgContext) throws -> JSONValue {
        if value.isNull { return .null }
        let cell = try FieldCoercion.cell(value, for: key)
        let found = cell.isNull ? [] : try context.rows.ids(of: object, where: key, equals: cell)
        guard let id = found.first, found.count == 1 else {
            let text = value.stringValue ?? value.description
            throw OrgError(
                400, "INVALID_FIELD",
                message: found.isEmpty
                    ? "Foreign key external ID: \(text) not found for field \(key.name) in entity \(object.name)"
                    : "More than 1 record found for external ID \(text) of field \(key.name) in entity \(object.name)",
                fields: [])
        }
        return .string(id)
    }
}

extension ExternalReference {
    /// Reads a reference from a member of a body: `{"Code__c": "A"}`, and for a polymorphic reference with the object,
    /// `{"attributes": {"type": "Contact"}, "Email": "ana@example.org"}`.
    ///
    /// - Parameter relationship: the member's name, as it is written.
    /// - Returns: the reference and the value of its key.
    /// - Throws: ``OrgError`` for any other form.
    static func read(
        _ json: JSONValue, of field: OrgField, relationship: String, schema: OrgSchema
    ) throws -> (reference: ExternalReference, value: JSONValue) {
        func refusal(_ message: String) -> OrgError { OrgError(400, "INVALID_FIELD", message: message, fields: []) }
        guard let members = json.objectValue?.members else {
            throw refusal("The value provided for foreign key reference \(relationship) is not a nested SObject")
        }
        let named = members.first { $0.key.lowercased() == "attributes" }?.value["type"]?.stringValue
        let type = named ?? (field.isPolymorphic ? "" : field.referenceTo.first ?? "")
        let keys = members.filter { $0.key.lowercased() != "attributes" }
        guard let key = keys.first, keys.count == 1 else {
            let entity = schema[type]?.name ?? relationship
            throw refusal(
                "\(keys.isEmpty ? "No" : "More than 1") field provided in an external foreign key reference in entity: "
                    + entity)
        }
        do {
            return (try ExternalReference(field, to: type, by: key.key, schema: schema), key.value)
        } catch .otherKind {
            throw refusal("The external foreign key reference does not reference a valid entity: \(relationship)")
        } catch .unknownKey {
            throw refusal("No such column '\(key.key)' on sobject of type \(schema[type]?.name ?? type)")
        } catch .noKey(let object, let field) {
            throw refusal("\(field.name) is not an External ID or indexed field for \(object.name)")
        }
    }
}
