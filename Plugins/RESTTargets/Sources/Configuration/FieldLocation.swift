// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// The place of a value in the server's records, and the field of an entry that contains it.
///
/// In a configuration it is a path, or an object such as `{"path": "meta.id", "field": "Id"}`.
struct FieldLocation: Sendable, Hashable, Decodable {
    /// The path in the server's record.
    var path: JSONPath
    /// The member of an entry; by default the last key of the path.
    var field: String

    /// Whether the target has to copy the value to ``field``.
    var isCopied: Bool { path.rawValue != field }

    init(_ path: String, field: String? = nil) {
        self.path = JSONPath(configured: path)
        self.field = field ?? self.path.keys.last ?? path
    }

    private enum CodingKeys: String, CodingKey {
        case path
        case field
    }

    init(from decoder: any Decoder) throws {
        if let text = try? decoder.singleValueContainer().decode(String.self) {
            self.init(text)
            return
        }
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            try container.decode(String.self, forKey: .path),
            field: try container.decodeIfPresent(String.self, forKey: .field))
    }

    /// Checks the names.
    ///
    /// - Throws: ``SoupError`` with the place of an invalid name.
    func check(at place: String) throws {
        guard !path.keys.isEmpty, !path.keys.contains("") else {
            throw SoupError(
                .badConfiguration, "\"\(path)\" is not a path", place: SoupError.Place(path: place),
                hint: "Write the keys that lead to the value, with dots between them.")
        }
        guard !field.isEmpty, !field.contains(".") else {
            throw SoupError(
                .badConfiguration, "\"\(field)\" cannot be a field of an entry", place: SoupError.Place(path: place),
                hint: "Add \"field\" with a name without dots.")
        }
    }
}
