// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// The IDs of a list: of objects, or of the elements themselves.
struct PageIds: Sendable {
    let ids: [String]

    /// Reads a response.
    ///
    /// - Throws: ``SoupError`` with `json` if it is not a list in which every element has an ID.
    init(_ answer: HTTPAnswer, of service: Service) throws {
        guard let elements = try answer.json().part(at: service.records)?.elements else {
            throw Self.missingList(service.records)
        }
        try self.init(elements, of: service)
    }

    init(_ elements: [JSONText], of service: Service) throws {
        ids = try elements.map { element in
            let value = element.bytes.first == UInt8(ascii: "{") ? element[service.id.path] : element.value
            guard let id = value?.idText, ServerId.isPossible(id) else {
                throw SoupError(
                    .json, "an element of the server's list has no ID at \"\(service.id.path)\"",
                    hint: "Check \"id\", the path of the ID in a record.")
            }
            return id
        }
    }

    static func missingList(_ path: JSONPath) -> SoupError {
        SoupError(
            .json,
            path.keys.isEmpty
                ? "the server's response is not an array" : "the server's response has no array at \"\(path)\"",
            hint: "Set \"records\" to the path of the records in the response.")
    }
}
