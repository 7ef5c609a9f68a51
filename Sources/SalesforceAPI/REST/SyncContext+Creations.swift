// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

extension SyncContext {
    /// Looks creations up by their external ids: one query for each object and as many values as a URL holds.
    ///
    /// - Parameter form: the form of a change, which knows its object and its external id.
    /// - Returns: the server's id for each change, in order; nil for a record that the server does not have.
    /// - Throws: ``SoupError``: `notSupported` when a change has no external id or no object; `server`, `network`,
    ///   `json`; `CancellationError`.
    public func findCreated(_ changes: [RecordChange], form: (RecordChange) -> RecordForm) async throws -> [String?] {
        var groups: [ExternalIdField: [String: [Int]]] = [:]
        for (position, change) in changes.enumerated() {
            let form = form(change)
            guard let name = form.externalIdField, let value = form.externalId(of: change),
                let type = try? form.type(of: change)
            else {
                throw SoupError(
                    .notSupported, "a record without an external id cannot be looked up",
                    hint: "Give its target an externalIdFieldName and each new record a value there.")
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

    /// The ids of the records with these values, by value.
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
                    // A record that has a value exactly is not another one's: the field may tell case apart.
                    for value in asked.contains(value) ? [value] : spellings[field.folded(value)] ?? [] {
                        ids[value] = id
                    }
                }
            }
        }
        return ids
    }
}

/// A field that external ids are looked up in.
private struct ExternalIdField: Hashable {
    let type: String
    let name: String
    /// Whether the values are texts; otherwise they are numbers, which SOQL writes without quotes.
    let isText: Bool

    /// What is equal for spellings that the server may take for one value.
    func folded(_ value: String) -> String {
        isText ? value.lowercased() : Double(value)?.description ?? value
    }
}
