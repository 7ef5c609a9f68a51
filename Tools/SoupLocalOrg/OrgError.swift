// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// An error response of the REST API: an HTTP status and an array of errors.
struct OrgError: Error {
    struct Item {
        var code: String
        var message: String
        /// The fields with an error; nil leaves the key out.
        var fields: [String]?
    }

    var status: Int
    var items: [Item]

    init(_ status: Int, _ code: String, message: String, fields: [String]? = nil) {
        self.status = status
        items = [Item(code: code, message: message, fields: fields)]
    }

    /// The body of the response.
    var json: JSONValue {
        .array(
            items.map { item in
                var object: JSONObject = ["message": .string(item.message), "errorCode": .string(item.code)]
                if let fields = item.fields { object["fields"] = .array(fields.map { .string($0) }) }
                return .object(object)
            })
    }

    /// The errors in the form of collection results.
    var itemErrors: JSONValue {
        .array(
            items.map { item in
                [
                    "statusCode": .string(item.code), "message": .string(item.message),
                    "fields": .array((item.fields ?? []).map { .string($0) }),
                ]
            })
    }
}

extension OrgError {
    static let notFound = OrgError(404, "NOT_FOUND", message: "The requested resource does not exist")
    static let isDeleted = OrgError(404, "ENTITY_IS_DELETED", message: "entity is deleted", fields: [])
    static let isDeletedForReading = OrgError(
        404, "ENTITY_IS_DELETED", message: "The requested resource does not exist", fields: [])
    static let missingTarget = OrgError(
        404, "INVALID_CROSS_REFERENCE_KEY", message: "invalid cross reference id", fields: [])
    static let invalidSession = OrgError(401, "INVALID_SESSION_ID", message: "Session expired or invalid")

    static func noExternalId(_ text: String) -> OrgError {
        OrgError(
            404, "NOT_FOUND", message: "Provided external ID field does not exist or is not accessible: \(text)")
    }

    static func badJSON(_ message: String) -> OrgError { OrgError(400, "JSON_PARSER_ERROR", message: message) }
}
