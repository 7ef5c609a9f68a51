// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupSalesforce
internal import SoupCore

/// The text of a query and the schema, for error messages.
struct QuerySource {
    /// The text; empty if there is none to which a position could refer.
    var text: String
    var schema: OrgSchema
    /// The time zone to which functions convert times.
    var zone = OrgZone()

    /// Returns the error for a text that cannot be parsed.
    func malformed(_ error: SoupError, _ code: String) -> OrgError {
        guard let line = error.place?.line, let column = error.place?.column else {
            return OrgError(400, code, message: error.message)
        }
        let lines = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        let offset = lines.prefix(line - 1).reduce(0) { $0 + $1.count + 1 } + column - 1
        return failure(code, error.message, at: SOQLPosition(offset))
    }

    /// Returns an error that shows the position in the query.
    func failure(_ code: String, _ message: String, at position: SOQLPosition) -> OrgError {
        guard let offset = position.offset, !text.isEmpty else { return OrgError(400, code, message: message) }
        return OrgError(400, code, message: Self.block(text, offset) + message)
    }

    func unknownField(_ name: String, of object: String, _ position: SOQLPosition) -> OrgError {
        failure(
            "INVALID_FIELD",
            "No such column '\(name)' on entity '\(object)'. If you are attempting to use a custom field, be sure to "
                + "append the '__c' after the custom field name. Please reference your WSDL or the describe call for the "
                + "appropriate names.", at: position)
    }

    func unknownRelationship(_ name: String, _ position: SOQLPosition, inFrom: Bool = false) -> OrgError {
        failure(
            "INVALID_FIELD",
            "Didn't understand relationship '\(name)' in \(inFrom ? "FROM part of query call" : "field path"). If you are "
                + "attempting to use a custom relationship, be sure to append the '__r' after the custom relationship "
                + "name. Please reference your WSDL or the describe call for the appropriate names.", at: position)
    }

    func unknownObject(_ name: String, _ position: SOQLPosition) -> OrgError {
        failure(
            "INVALID_TYPE",
            "sObject type '\(name)' is not supported. If you are attempting to use a custom object, be sure to append "
                + "the '__c' after the entity name. Please reference your WSDL or the describe call for the appropriate "
                + "names.", at: position)
    }

    /// Returns a part of the query, a caret below the position, and the row and column.
    static func block(_ text: String, _ offset: Int) -> String {
        let bytes = Array(text.utf8)
        let offset = min(offset, bytes.count)
        let before = bytes[..<offset]
        let row = before.count { $0 == UInt8(ascii: "\n") } + 1
        let lineStart = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        let lineEnd = bytes[offset...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
        // Columns count characters, and no character is split.
        let ahead = Array(String(decoding: bytes[lineStart..<offset], as: UTF8.self).unicodeScalars)
        let behind = String(decoding: bytes[offset..<lineEnd], as: UTF8.self).unicodeScalars.prefix(40)
        var fragment = String.UnicodeScalarView(ahead.suffix(40))
        let caret = String(repeating: " ", count: fragment.count) + "^"
        fragment += behind
        return "\n\(String(fragment))\n\(caret)\nERROR at Row:\(row):Column:\(ahead.count + 1)\n"
    }
}
