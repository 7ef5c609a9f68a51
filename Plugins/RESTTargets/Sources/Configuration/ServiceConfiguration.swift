// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// The keys that the targets of both directions have.
struct ServiceConfiguration: Sendable, Hashable, Decodable {
    var connection: String?
    var url: String?
    var path: String?
    var item: String?
    var headers: [String: String]?
    var records: String?
    var record: String?
    var id: FieldLocation?
    var modified: FieldLocation?
    var dateFormat: RecordDateFormat?
    var version: FieldLocation?
    var minInterval: Double?
    var gone: GoneConfiguration?
    var error: ErrorConfiguration?
    /// The keys with these names in other targets.
    var idFieldName: String?
    var modificationDateFieldName: String?
}

/// The form of the response for a record that does not exist.
struct GoneConfiguration: Sendable, Hashable, Decodable {
    /// The statuses; 404 and 410 by default.
    var statuses: [Int]?
    /// The path of a value that only this response has; nil if the target has to check the path of the record.
    var path: String?
    /// The values at ``path``; nil for any that is not null, false, 0 or empty.
    var values: [JSONValue]?
}

/// The paths in the body of an error.
struct ErrorConfiguration: Sendable, Hashable, Decodable {
    var code: String?
    var message: String?
    var fields: String?
}
