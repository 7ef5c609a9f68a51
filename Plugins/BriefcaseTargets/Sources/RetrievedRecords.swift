// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import SoupSalesforce
internal import SoupCore

extension SalesforceClient {
    /// Fetches records by ID, and keeps the server's bytes.
    ///
    /// - Returns: the records that the server has; `missing` is the number of IDs for which it returned null, because
    ///   the record was deleted, or hidden from the user, after the list was created.
    /// - Throws: ``SoupError``: `server`, `network`, `json`.
    func retrieveBatch(
        _ ids: [String], of info: BriefcaseObjectInfo
    ) async throws -> (records: RecordBatch, missing: Int) {
        let body = JSONText.object([
            ("ids", .array(ids.map { .string($0) })), ("fields", .array(info.fields.map { .string($0) })),
        ])
        let path = "\(apiPath)/composite/sobjects/\(URLText.segment(info.sobjectType))"
        let answer = try await send(.post, path, json: body)
        guard answer.isOK else {
            throw answer.salesforceFailure(of: "the retrieve of \(info.sobjectType) records")
        }
        let scan: JSONPageScan?
        do throws(JSONError) {
            scan = try JSONScanner.page(answer.body, recordsAt: "", allowsNull: true)
        } catch {
            guard error.reason != .notAnObject else {
                throw SoupError(.json, "the response to the retrieve has an element that is neither a record nor null")
            }
            scan = nil
        }
        guard let scan, scan.foundRecords, scan.records.count + scan.nullCount == ids.count else {
            throw SoupError(.json, "the response to the retrieve is not an array of \(ids.count) elements")
        }
        let batch = RecordBatch(bytes: answer.body, scan: scan)
        try check(batch, requested: ids, of: info)
        return (batch, scan.nullCount)
    }

    /// Checks that these are the requested records, if they are identified by ID.
    ///
    /// The engine rejects records without the field by which entries are matched.
    ///
    /// - Throws: ``SoupError`` with `json` for the response to another request: otherwise the requested records would
    ///   be missing.
    private func check(_ batch: RecordBatch, requested ids: [String], of info: BriefcaseObjectInfo) throws {
        guard info.isIdentifiedById else { return }
        let matcher = SalesforceID.Matcher(ids, field: info.idFieldName)
        let projection = JSONProjection([JSONPath(info.idFieldName)])
        var projected = JSONProjected()
        for index in 0..<batch.count {
            try batch.project(projection, of: index, into: &projected)
            let id = JSONText.text(of: projected.fields[0], in: batch.bytes[...])?.string
            guard let id, !matcher.matches(id).isEmpty else {
                throw SoupError(
                    .json,
                    "the response to a retrieve of \(ids.count) ID(s) contains a record "
                        + (id.map { "that was not requested, \($0)" } ?? "without \"\(info.idFieldName)\""),
                    hint: SoupError.changedResponsesHint)
            }
        }
    }
}
