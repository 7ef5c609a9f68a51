// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// A page whose records were checked, with the values that are needed to save them.
///
/// The values are read while the previous page is written.
struct FetchedPage: Sendable {
    /// The page without its records, which are in ``levels``.
    var head: RecordPage
    let levels: [FetchedLevel]

    /// - Throws: ``SoupError`` with `json` for a record that is not a JSON object or has no ID.
    init(_ page: RecordPage, _ layout: RecordLayout) throws {
        head = page
        head.levels = []
        levels = try zip(page.levels, layout.levels).enumerated().map { position, level in
            try FetchedLevel(position, of: layout, records: level.0)
        }
    }
}

/// The records of a page that belong to one level of the layout.
struct FetchedLevel: Sendable {
    /// The position of the level in the layout; 0 for the roots of trees.
    let position: Int
    let layout: RecordLayout.Level
    /// The bytes of the records.
    let batch: RecordBatch
    let records: [PageRecord]

    /// Reads the values of the records.
    ///
    /// The bytes of a record are read here at most once, and not at all if the target scanned the page: see
    /// ``RecordBatch``. The backend then takes its indexed paths from the same positions.
    init(_ position: Int, of layout: RecordLayout, records batch: RecordBatch) throws {
        let level = layout.levels[position]
        do throws(RecordBatch.InvalidRecord) {
            self.batch = try batch.scanned()
        } catch {
            throw SoupError(
                .json, "record \(error.index) of the page for soup \"\(level.soup)\" is invalid: \(error.error)",
                cause: error.error)
        }
        self.position = position
        self.layout = level
        records = try PageRecordReader(level, isTree: layout.isTree).records(of: self.batch)
    }

    /// Returns the text of a record's ID, as the stored entry will have it; `nil` if the record's stamp removes it.
    func id(of record: PageRecord) -> JSONText? {
        batch.value(of: layout.idField, in: record.id, of: record.index)
    }

    /// Returns the text of a record with the values that its stamp sets, and without the members that it removes.
    func stampedText(of record: PageRecord) -> JSONText {
        let text = batch[record.index]
        let stamp = batch.stamps.isEmpty ? RecordBatch.Stamp.none : batch.stamps[record.index]
        guard !stamp.members.isEmpty, let members = text.members else { return text }
        let names = Set(stamp.members.map { Array($0.name.utf8) })
        let own = members.filter { !names.contains(Array($0.key.utf8)) }.map { (name: $0.key, value: $0.value) }
        return .object(own + stamp.members.compactMap { member in member.value.map { (member.name, $0) } })
    }
}

/// The values of one record of a page that are needed to save it.
struct PageRecord: Sendable, Hashable {
    /// The position of the record in its batch.
    let index: Int
    /// The position of the ID in the bytes of the batch.
    ///
    /// The record's stamp can replace it: see ``FetchedLevel/id(of:)``.
    let id: JSONField
    /// The modification date in milliseconds that the stored entry will have; `nil` if missing or unreadable.
    let date: Int64?
    /// The IDs that connect a record of a tree; `nil` for other records, whose IDs are rarely needed as text.
    let link: TreeLink?

    /// The IDs by which a record is found in its tree.
    struct TreeLink: Sendable, Hashable {
        /// The ID of the record; `nil` if it is neither a string nor a number.
        let id: String?
        /// The ID of the parent; `nil` for roots and for records without a readable one.
        let parentId: String?
    }
}

/// A reader of the values of the records of one level.
private struct PageRecordReader {
    private let level: RecordLayout.Level
    private let isTree: Bool
    private let projection: JSONProjection

    init(_ level: RecordLayout.Level, isTree: Bool) {
        self.level = level
        self.isTree = isTree
        let parentIdField = isTree ? level.parentIdField : nil
        projection = JSONProjection(
            [level.modificationDateField, level.idField, parentIdField].compactMap { $0.map { JSONPath($0) } })
    }

    func records(of batch: RecordBatch) throws -> [PageRecord] {
        var projected = JSONProjected()
        return try batch.ranges.indices.map { index in
            try batch.project(projection, of: index, into: &projected)
            let fields = projected.fields
            guard hasId(index, of: batch, in: fields[1]) else { throw missingId(index) }
            return PageRecord(
                index: index, id: fields[1], date: date(of: index, of: batch, in: fields[0]),
                link: isTree ? link(of: index, of: batch, in: fields) : nil)
        }
    }

    private func link(of index: Int, of batch: RecordBatch, in fields: [JSONField]) -> PageRecord.TreeLink {
        PageRecord.TreeLink(
            id: batch.value(of: level.idField, in: fields[1], of: index)?.value.idText,
            parentId: level.parentIdField.flatMap { batch.value(of: $0, in: fields[2], of: index)?.value.idText })
    }

    /// Returns the modification date that the stored entry will have: the date in the record's stamp, or else in its
    /// bytes.
    private func date(of index: Int, of batch: RecordBatch, in field: JSONField) -> Int64? {
        if let member = batch.stampedMember(level.modificationDateField, of: index) {
            return level.dateFormat.milliseconds(in: member.value)
        }
        if field.kind == .string, level.dateFormat == .iso8601 {
            return DateText.milliseconds(batch.bytes[field.start + 1..<field.end - 1])
        }
        guard !field.isMissing, field.kind != .collected else { return nil }
        return level.dateFormat.milliseconds(in: JSONText.text(of: field, in: batch.bytes[...]))
    }

    /// Returns whether a record has an ID.
    ///
    /// A value that is neither a string nor a number is accepted here. The store rejects it if it cannot match it.
    private func hasId(_ index: Int, of batch: RecordBatch, in field: JSONField) -> Bool {
        if let member = batch.stampedMember(level.idField, of: index) {
            return member.value?.value.idText?.isEmpty == false
        }
        if field.isMissingOrNull { return false }
        return field.kind != .string || field.end - field.start > 2
    }

    private func missingId(_ index: Int) -> SoupError {
        SoupError(
            .json, "record \(index) of the page for soup \"\(level.soup)\" has no \"\(level.idField)\"",
            hint: "Select the field in the target's query. If it is selected: \(SoupError.changedResponsesHint)")
    }
}

extension RecordBatch {
    /// Returns the value that a stored entry will have: the one in the record's stamp, or else in its bytes.
    ///
    /// A path that leads through an array has no value here, because an array is not an ID.
    fileprivate func value(of name: String, in field: JSONField, of index: Int) -> JSONText? {
        if let member = stampedMember(name, of: index) { return member.value }
        return field.kind == .collected ? nil : JSONText.text(of: field, in: bytes[...])
    }
}
