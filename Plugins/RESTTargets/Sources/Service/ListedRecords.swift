// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// The records of a list, which show whether a record that seems to be missing exists.
struct ListedRecords: Sendable {
    let ids: [String]
    private let elements: [JSONText]
    /// The element of a record that was found by its ID; nil until there is one.
    var existing: JSONText?

    /// Reads the response with the list.
    ///
    /// - Throws: ``SoupError`` if it is not the service's list.
    init(_ answer: HTTPAnswer, _ path: String, of service: Service) throws {
        guard answer.isSuccess else { throw answer.failure(of: "GET", path) }
        guard let elements = try answer.json().part(at: service.records)?.elements else {
            throw PageIds.missingList(service.records)
        }
        self.elements = elements
        ids = try PageIds(elements, of: service).ids
    }

    func element(of id: String) -> JSONText? { ids.firstIndex(of: id).map { elements[$0] } }

    /// Returns whether the list contains a record, and not only the note that it was deleted.
    ///
    /// Such a note has fewer members than a record that exists, or one with a name such as `deleted_at`.
    func lists(_ id: String) -> Bool {
        guard let element = element(of: id) else { return false }
        let members = element.members ?? []
        let isMarked = members.contains { name, value in
            let name = name.lowercased()
            return Self.marks.contains { name.contains($0) } && DeletedConfiguration.isMark(value.value)
        }
        let lacksMembers = (existing?.members ?? []).contains { name, _ in !members.contains { $0.key == name } }
        return !isMarked && !lacksMembers
    }

    private static let marks = ["delet", "remov", "tomb", "trash", "purge", "gone"]
}
