// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// A page and what saving it needs to know of its records, taken from their bytes while the page before is written.
struct FetchedPage: Sendable {
    /// What is known of the records of one part, in their order.
    struct Facts: Sendable {
        /// Modification dates in milliseconds; nil when missing or unreadable.
        var dates: [Int64?] = []
        /// Ids; gathered for trees only.
        var ids: [String?] = []
        /// Ids of the parents; gathered for the children of trees only.
        var parentIds: [String?] = []
    }

    var page: Page
    var facts: [Facts]

    init(_ page: Page, _ layout: RecordLayout) throws {
        self.page = page
        facts = try zip(page.parts, layout.parts).map { batch, part in
            try Self.facts(of: batch, part, isTree: layout.isTree)
        }
    }

    private static func facts(of batch: RecordBatch, _ part: RecordLayout.Part, isTree: Bool) throws -> Facts {
        let paths = [part.modificationDateField, part.idField, part.parentIdField ?? ""]
        let projection = JSONProjection(
            paths.prefix(isTree ? (part.parentIdField == nil ? 2 : 3) : 1).map { JSONPath($0) })
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
            facts.dates.append(date(projected.fields[0], in: batch.bytes))
            guard isTree else { continue }
            let stamp = batch.stamps.isEmpty ? nil : batch.stamps[index]
            func id(_ position: Int) -> String? {
                if let member = stamp?.members.first(where: { $0.name == paths[position] }) {
                    return member.value?.value.idText
                }
                return JSONText.text(of: projected.fields[position], in: bytes)?.value.idText
            }
            facts.ids.append(id(1))
            if part.parentIdField != nil { facts.parentIds.append(id(2)) }
        }
        return facts
    }

    private static func date(_ field: JSONField, in bytes: [UInt8]) -> Int64? {
        switch field.kind {
        case .string: Timestamp.parse(bytes[field.start + 1..<field.end - 1])
        case .escapedString: JSONText.text(of: field, in: bytes[...])?.string.flatMap { Timestamp.parse($0) }
        default: nil
        }
    }
}
