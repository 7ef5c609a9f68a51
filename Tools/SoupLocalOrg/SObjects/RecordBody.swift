// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// Fields that contain bytes: files as clients send and fetch them.
extension OrgRequest {
    /// Returns the fields of the record in the body: a JSON object, or a multipart body whose first part is a JSON
    /// object and whose other parts are the bytes of fields.
    ///
    /// - Throws: ``OrgError`` with `JSON_PARSER_ERROR` for any other body.
    func recordFields() throws -> JSONObject {
        guard let parts = try MultipartBody(self, code: "JSON_PARSER_ERROR") else { return try jsonObject() }
        guard let first = parts.parts.first else { throw OrgError.badJSON("The body has no parts") }
        var record = try OrgRequest(method: method, url: "/", body: Array(first.bytes)).jsonObject()
        for (name, bytes) in parts.parts.dropFirst() { record[name] = .string(Base64.encoded(bytes)) }
        return record
    }
}

extension OrgAnswer {
    /// A response with the bytes of a record's field, with the media type that the record names.
    ///
    /// - Throws: ``OrgError/notFound`` if the field is empty.
    static func bytes(of field: OrgField, _ object: OrgObject, row: StoredRow) throws -> OrgAnswer {
        guard let text = row.cells[field.position].text, let bytes = Base64.decoded(text) else {
            throw OrgError.notFound
        }
        let type = object.field("ContentType").flatMap { row.cells[$0.position].text }
        var answer = OrgAnswer(200, body: bytes, contentType: type ?? "application/octet-stream")
        answer.isVerbatim = true
        return answer
    }
}
