// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// A page together with the values of its records that are needed to save it.
///
/// The values are read from the bytes while the previous page is written.
struct FetchedPage: Sendable {
    /// The values of the records of one part, in the order of the records.
    struct Facts: Sendable {
        /// Modification dates in milliseconds; `nil` if missing or unreadable.
        var dates: [Int64?] = []
        /// Record IDs; read for trees only.
        var ids: [String?] = []
        /// IDs of the parents; read only for the children of trees.
        var parentIds: [String?] = []
    }

    var page: RecordPage
    var facts: [Facts]

    init(_ page: RecordPage, _ layout: RecordLayout) throws {
        self.page = page
        facts = try zip(page.parts, layout.parts).map { batch, part in
            try Self.facts(of: batch, part, isTree: layout.isTree)
        }
    }

    private static func facts(of batch: RecordBatch, _ part: RecordLayout.Part, isTree: Bool) throws -> Facts {
        let paths = [part.modificationDateField, part.idField, part.parentIdField ?? ""]
        let projection = JSONProjection(
            paths.prefix(isTree && part.parentIdField != nil ? 3 : 2).map { JSONPath($0) })
        var facts = Facts()
        var projected = JSONProjected()
        let bytes = batch.bytes[...]
        for index in batch.ranges.indices {
            do {
                try batch.project(projection, of: index, into: &projected)
            } catch {
                throw SoupError(
                    .json, "record \(index) of the page for soup \"\(part.soup)\" is broken: \(error)", cause: error)
            }
            facts.dates.append(date(of: index, in: batch, field: projected.fields[0], part: part))
            guard hasId(index, in: batch, field: projected.fields[1], part: part) else {
                throw SoupError(
                    .json, "record \(index) of the page for soup \"\(part.soup)\" has no \"\(part.idField)\"",
                    hint: "Select the field in the target's query. If it is selected: \(SoupError.changedResponsesHint)"
                )
            }
            guard isTree else { continue }
            func id(_ position: Int) -> String? {
                if let member = batch.stampedMember(paths[position], of: index) { return member.value?.value.idText }
                return JSONText.text(of: projected.fields[position], in: bytes)?.value.idText
            }
            facts.ids.append(id(1))
            if part.parentIdField != nil { facts.parentIds.append(id(2)) }
        }
        return facts
    }

    /// Returns the modification date that the stored entry will have: the date in the record's stamp, or else in its
    /// bytes.
    private static func date(
        of index: Int, in batch: RecordBatch, field: JSONField, part: RecordLayout.Part
    ) -> Int64? {
        if let member = batch.stampedMember(part.modificationDateField, of: index) {
            return member.value?.string.flatMap { DateText.parse($0) }
        }
        return date(field, in: batch.bytes)
    }

    /// Whether a record has an ID.
    ///
    /// A value that is neither a string nor a number is accepted here. The store rejects it if it cannot match it.
    private static func hasId(
        _ index: Int, in batch: RecordBatch, field: JSONField, part: RecordLayout.Part
    ) -> Bool {
        if let member = batch.stampedMember(part.idField, of: index) {
            return member.value?.value.idText?.isEmpty == false
        }
        if field.isMissingOrNull { return false }
        return field.kind != .string || field.end - field.start > 2
    }

    private static func date(_ field: JSONField, in bytes: [UInt8]) -> Int64? {
        switch field.kind {
        case .string: DateText.parse(bytes[field.start + 1..<field.end - 1])
        case .escapedString: JSONText.text(of: field, in: bytes[...])?.string.flatMap { DateText.parse($0) }
        default: nil
        }
    }
}
