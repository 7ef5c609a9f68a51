// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import SoupCore

/// The place of the cursor in a response.
///
/// In a configuration it is the path in the body, or an object such as `{"header": "Next-Page"}`.
enum CursorLocation: Sendable, Hashable, Decodable, CustomStringConvertible {
    case body(JSONPath)
    /// The name of a header, which is checked by ``check(at:)``.
    case header(String)

    private enum CodingKeys: String, CodingKey {
        case header
    }

    init(from decoder: any Decoder) throws {
        if let text = try? decoder.singleValueContainer().decode(String.self) {
            self = .body(JSONPath(configured: text))
            return
        }
        self = .header(try decoder.container(keyedBy: CodingKeys.self).decode(String.self, forKey: .header))
    }

    /// The path in the body; nil for a header.
    var path: JSONPath? {
        guard case .body(let path) = self else { return nil }
        return path
    }

    /// The place for messages, such as `at "next"`.
    var description: String {
        switch self {
        case .body(let path): "at \"\(path)\""
        case .header(let name): "of the header \"\(name)\""
        }
    }

    /// Returns the value of the header; nil if the header is missing, and for a path in the body.
    func value(in response: HTTPResponse) -> JSONValue? {
        guard case .header(let name) = self, let field = HTTPField.Name(name) else { return nil }
        return response.headerFields[field].map { .string($0) }
    }

    /// Checks the name of the header.
    ///
    /// - Throws: ``SoupError`` with the place of an invalid name.
    func check(at place: String) throws {
        guard case .header(let name) = self, HTTPField.Name(name) == nil else { return }
        throw SoupError(
            .badConfiguration, "\"\(name.excerpt(100))\" is not the name of a header",
            place: SoupError.Place(path: "\(place).header"), hint: "Write a name such as \"Next-Page\".")
    }
}
