// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

extension SalesforceClient {
    /// Returns the `ids` that a query finds at `field`.
    ///
    /// Memory holds one page at a time, regardless of the size of the result. An ID of 15 characters equals its form of
    /// 18.
    ///
    /// - Parameters:
    ///   - asksForIds: whether the query requests only these IDs, so that a row with another ID belongs to the response
    ///     to another request.
    ///   - dateField: as for `forEachPage`.
    /// - Throws: ``SoupError`` if a page cannot be fetched or read, if rows are missing, and for a row without an ID.
    ///   It never returns an incomplete result.
    public func found(
        _ ids: [String], by soql: String, at field: String, asksForIds: Bool = false, dateField: String? = nil
    ) async throws -> Set<String> {
        guard !ids.isEmpty else { return [] }
        let wanted = SalesforceID.Matcher(ids, field: field)
        var found: Set<String> = []
        var rows = QueryRowIDs(field: field)
        try await forEachPage(of: soql, projecting: [JSONPath(field)], dateField: dateField) { page in
            for record in 0..<page.count {
                let id = try rows.add(page.id(at: 0, field, in: record))
                let known = wanted.matches(id)
                // The server compares other fields by its own rules.
                if asksForIds, known.isEmpty, field.lowercased() == "id" {
                    throw QueryPageScan.foreign(id, requested: ids.count)
                }
                found.formUnion(known)
            }
        }
        return found
    }

    /// Returns the `ids` whose records exist on the server, requested in slices that fit into a URL.
    public func existing(_ ids: [String], of type: String, idField: String) async throws -> Set<String> {
        var existing: Set<String> = []
        for slice in SOQLIdList.slices(of: ids) {
            try Task.checkCancellation()
            let soql = "select \(idField) from \(type) where \(idField) IN \(slice.text)"
            existing.formUnion(try await found(slice.ids, by: soql, at: idField, asksForIds: true))
        }
        return existing
    }

    /// Returns the `ids` whose records exist on the server; nil if records of this type do not belong to the object, or
    /// if the field is not `Id`.
    ///
    /// The server can change the values of other fields after the device has sent them.
    package func existing(
        _ ids: [String], type: String, of object: String, idField: String
    ) async throws -> Set<String>? {
        guard type.lowercased() == object.lowercased(), idField.lowercased() == "id" else { return nil }
        return try await existing(ids, of: object, idField: idField)
    }
}
