// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// Lookups that the resources of the UI API share.
struct UserInterface {
    let context: OrgContext

    /// Returns an object that the UI API supports.
    ///
    /// - Throws: ``OrgError`` with `INVALID_TYPE` for any other name.
    func object(_ name: String) throws -> OrgObject {
        guard let object = context.schema[name], object.flags.queryable else {
            throw OrgError(404, "INVALID_TYPE", message: "Object \(name) is not supported in UI API")
        }
        return object
    }

    /// Returns the responses for a list of names; an error is the result of its name.
    func batch(_ list: String, _ body: (String) throws -> JSONValue) -> OrgAnswer {
        var hasErrors = false
        let results: [JSONValue] = OrgRequest.list(of: list).map { name in
            do {
                return ["result": try body(name), "statusCode": 200]
            } catch {
                hasErrors = true
                let error = error as? OrgError ?? OrgError(500, "UNKNOWN_EXCEPTION", message: "\(error)")
                return ["result": error.json, "statusCode": .int(Int64(error.status))]
            }
        }
        return OrgAnswer(["hasErrors": .bool(hasErrors), "results": .array(results)])
    }

    /// Returns an entity tag that changes with a text, the version and the schema.
    func eTag(of text: String) -> String {
        let bytes = Array("\(text) \(context.apiPath) \(context.org.described)".utf8)
        let digits = String(Gzip.checksum(bytes), radix: 16)
        return String(repeating: "0", count: 8 - digits.count) + digits
    }
}

extension OrgObject {
    /// The record types of the object, the master record type last.
    var recordTypesWithMaster: [RecordType] {
        recordTypes + [
            RecordType(
                id: ObjectDescription.masterRecordType, developerName: "Master", name: "Master",
                isDefault: !recordTypes.contains { $0.isDefault })
        ]
    }

    /// The fields of a full layout: all but the components of compound fields.
    var layoutFields: [OrgField] { fields.filter { $0.compound == nil } }

    /// The fields of a compact layout: the name and the first editable fields, five in total.
    var compactLayoutFields: [OrgField] {
        let named = fields.filter { $0.isNameField }
        let others = layoutFields.filter { field in
            (field.isCreateable || field.isUpdateable) && !field.isNameField && !field.isCompound
                && !field.isReference && !field.isLongText
        }
        return Array((named + others).prefix(5))
    }

    /// The names of the fields that form the name of a record.
    var nameFieldNames: [JSONValue] {
        let parts = ["FirstName", "LastName"].filter { field($0) != nil }
        let names = parts.count == 2 ? parts : nameField.map { [$0.name] } ?? []
        return names.map { .string($0) }
    }
}

extension OrgRequest {
    /// Returns the values of a list parameter, each one of the known values.
    ///
    /// - Throws: ``OrgError`` with `ILLEGAL_QUERY_PARAMETER_VALUE` for an unknown value.
    func choices(_ name: String, of values: [String]) throws -> [String] {
        try (list(name) ?? []).map { text in
            guard let value = values.first(where: { $0.lowercased() == text.lowercased() }) else {
                throw OrgError(
                    400, "ILLEGAL_QUERY_PARAMETER_VALUE",
                    message: "\(name) must be of \(values.joined(separator: ", ")), not \(text)")
            }
            return value
        }
    }

    /// Returns the value of a parameter, one of the known values.
    ///
    /// - Throws: ``OrgError`` with `INVALID_INPUT` for an unknown value.
    func choice(_ name: String, of values: [String], default usual: String? = nil) throws -> String {
        guard let text = parameter(name) else { return usual ?? values[0] }
        guard let value = values.first(where: { $0.lowercased() == text.lowercased() }) else {
            throw OrgError(
                400, "INVALID_INPUT",
                message: "\(name) must be one of \(values.joined(separator: ", ")), not \(text)")
        }
        return value
    }
}
