// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// Fields that hold bytes: files as clients send and fetch them.
extension OrgContext {
    /// The fields of a record that a request brings: a JSON object, or parts of which the first is one and the others
    /// are the bytes of fields.
    ///
    /// - Throws: ``OrgError`` with `JSON_PARSER_ERROR` for a body that is neither.
    func recordBody(_ request: OrgRequest) throws -> JSONObject {
        guard let body = try MultipartBody(request, code: "JSON_PARSER_ERROR") else { return try request.jsonObject() }
        guard let first = body.parts.first else { throw OrgError.badJSON("The body has no parts") }
        var record = try OrgRequest(method: request.method, url: "/", body: Array(first.bytes)).jsonObject()
        for (name, bytes) in body.parts.dropFirst() { record[name] = .string(Base64.encoded(bytes)) }
        return record
    }

    /// The bytes of a field as they are, with the type that the record says they have.
    func bytes(of field: OrgField, _ object: OrgObject, _ row: StoredRow) throws -> OrgAnswer {
        guard let text = row.cells[field.position].text, let bytes = Base64.decoded(text) else {
            throw OrgError.notFound
        }
        let type = object.field("ContentType").flatMap { row.cells[$0.position].text }
        var answer = OrgAnswer(200, body: bytes, contentType: type ?? "application/octet-stream")
        answer.isVerbatim = true
        return answer
    }
}
