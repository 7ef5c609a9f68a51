// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

package import SoupCore

extension SalesforceClient {
    /// Finds created records by their external IDs or client keys: one query per object and as many values as a URL
    /// holds.
    ///
    /// - Parameter form: returns the form of a change, which contains its object and its external ID.
    /// - Returns: the server's ID for each change, in order; nil for a record that the server does not have. Nil in
    ///   place of the list if a change has neither, or no object.
    /// - Throws: ``SoupError``: `server`, `network`, `json`; `notUnique` if several records have the value of one
    ///   change, for example because a user has copied the record; `CancellationError`.
    package func findCreated(_ changes: [RecordChange], form: (RecordChange) -> RecordForm) async throws -> [String?]? {
        var groups: [ExternalIdField: [String: [Int]]] = [:]
        for (position, change) in changes.enumerated() {
            let form = form(change)
            guard let (name, value) = form.lookUpKey(of: change), let type = try? form.type(of: change) else {
                return nil
            }
            let field = ExternalIdField(type: type, name: name, isText: value.string != nil)
            groups[field, default: [:]][value.string ?? value.description, default: []].append(position)
        }
        var ids: [String?] = Array(repeating: nil, count: changes.count)
        for (field, positions) in groups {
            let found = try await records(with: positions.keys.sorted(), in: field)
            for (value, positions) in positions {
                guard let id = found[value] else { continue }
                for position in positions { ids[position] = id }
            }
        }
        return ids
    }

    /// Returns the IDs of the records with these values, by value.
    private func records(with values: [String], in field: ExternalIdField) async throws -> [String: String] {
        let asked = Set(values)
        let spellings = Dictionary(grouping: values, by: field.folded)
        var ids: [String: String] = [:]
        let fields = ["Id"].completed(with: [field.name]).joined(separator: ", ")
        for slice in SOQLIdList.slices(of: values, quoted: field.isText) {
            try Task.checkCancellation()
            let soql = "select \(fields) from \(field.type) where \(field.name) in \(slice.text)"
            try await forEachPage(of: soql, projecting: [JSONPath(field.name), "Id"]) { page in
                for record in 0..<page.count {
                    let value = try page.id(at: 0, field.name, in: record)
                    let id = try page.id(at: 1, "Id", in: record)
                    guard SalesforceID.isPossible(id) else {
                        throw SoupError(
                            .server, "the server returned \"\(id.excerpt(40))\" as the ID of a record, which is none")
                    }
                    // A record with an exact value does not match other spellings: the field may be case-sensitive.
                    for value in asked.contains(value) ? [value] : spellings[field.folded(value)] ?? [] {
                        if let other = ids.updateValue(id, forKey: value), other != id {
                            throw SoupError(
                                .notUnique,
                                "several records have the value \"\(value.excerpt(40))\" in \(field.name) of \(field.type): "
                                    + "\(other) and \(id)")
                        }
                    }
                }
            }
        }
        return ids
    }
}

/// A field whose values are used to find created records.
private struct ExternalIdField: Hashable {
    let type: String
    let name: String
    /// Whether the values are texts; otherwise they are numbers, which SOQL writes without quotes.
    let isText: Bool

    /// Returns a key that is equal for spellings that the server may treat as one value.
    func folded(_ value: String) -> String {
        isText ? value.lowercased() : Double(value)?.description ?? value
    }
}
