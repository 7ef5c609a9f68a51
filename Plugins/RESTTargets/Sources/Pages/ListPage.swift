// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import SoupCore

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// A page of a list: its records, those that are marked as deleted, and the values around them.
struct ListPage: Sendable {
    /// The records, without deleted ones.
    var records: RecordBatch
    /// The IDs of all elements, also of deleted ones.
    var ids: [String]
    var deletedIds: [String]
    /// The date and the ID of the last element; nil on an empty page.
    var last: (date: JSONText?, id: JSONText)?
    /// Whether the dates of the elements ascend, as keyset paging needs; true without readable dates.
    var isAscending = true
    /// The value at the place of the cursor.
    var next: JSONValue?
    var more: JSONValue?
    var pages: Int?
    var total: Int?
    var token: String?
    /// The links of the `Link` header; nil without the header.
    var links: LinkHeader?
    /// The name of a member that reports a next page in a usual form, whatever is configured.
    var usualNext: String?
}

extension ListPage {
    /// Reads a successful response.
    ///
    /// - Throws: ``SoupError`` with `json` if it is not a page of the list.
    init(_ answer: HTTPAnswer, of list: RecordList) throws {
        let service = list.service
        let envelope = [
            list.paging.next?.path, list.paging.more, list.paging.pages, list.total, list.token, list.deletedIds,
        ]
        let paths = envelope.map { $0 ?? Self.absent } + Self.usualMembers
        let scan: JSONPageScan
        let columns =
            [service.id.path]
            + [service.modified?.path, service.version?.path, list.deleted?.path].map {
                $0 ?? Self.absent
            }
        let bytes = answer.body[...]
        do {
            scan = try JSONScanner.page(
                bytes.span, recordsAt: service.records, envelope: paths, projecting: JSONProjection(columns))
        } catch {
            throw SoupError(
                .json, "the server's page does not have the expected JSON structure: \(error)",
                hint: "Check \"records\", the path of the records in the response.", cause: error)
        }
        guard scan.foundRecords else { throw PageIds.missingList(service.records) }
        guard !scan.repeatsMembers else {
            throw SoupError(.json, "the server's page contains a member twice", hint: SoupError.changedResponsesHint)
        }
        func value(_ position: Int, _ path: JSONPath?) -> JSONText? {
            path == nil ? nil : JSONText.text(of: scan.envelope[position], in: bytes)
        }
        func column(_ column: Int, of record: Int) -> JSONText? {
            JSONText.text(of: scan.fields[record * columns.count + column], in: bytes, collected: scan.collected)
        }
        next = value(0, envelope[0])?.value ?? list.paging.next?.value(in: answer.response)
        more = value(1, envelope[1])?.value
        pages = value(2, envelope[2])?.value.intValue.flatMap { Int(exactly: $0) }
        total = value(3, envelope[3])?.value.intValue.flatMap { Int(exactly: $0) }
        token = value(4, envelope[4])?.value.idText
        usualNext = Self.usualMembers.indices.first {
            Self.reportsNext(JSONText.text(of: scan.envelope[envelope.count + $0], in: bytes)?.value)
        }.map { Self.usualMembers[$0].description }
        links = HTTPField.Name("Link").flatMap { answer.response.headerFields[$0] }.map { LinkHeader($0) }

        ids = []
        deletedIds = try Self.ids(at: value(5, envelope[5]), of: service)
        var kept: [Bool] = []
        var states = StateCheck(service)
        var latest: Date?
        var stamps: [Int: RecordBatch.Stamp] = [:]
        for record in scan.records.indices {
            guard let id = column(0, of: record), let text = id.value.idText, ServerId.isPossible(text) else {
                throw SoupError(
                    .json, "record \(record) of the page has no ID at \"\(service.id.path)\"",
                    hint: "Check \"id\", the path of the ID in a record.")
            }
            ids.append(text)
            if list.paging.kind == .keyset,
                let date = column(1, of: record).flatMap({ service.dateFormat.date(in: $0) })
            {
                if let latest, date < latest { isAscending = false }
                latest = date
            }
            last = (column(1, of: record), id)
            let isDeleted = list.deleted?.marks(column(3, of: record)) ?? false
            // Of a deleted record, many services return only the ID and the mark.
            if isDeleted {
                deletedIds.append(text)
            } else {
                states.note(date: column(1, of: record), version: column(2, of: record))
            }
            kept.append(!isDeleted)
            var stamp = RecordBatch.Stamp.none
            for (location, position) in [(service.id, 0), (service.modified, 1), (service.version, 2)] {
                if let location, location.isCopied {
                    stamp = stamp.setting(location.field, column(position, of: record))
                }
            }
            if !stamp.isEmpty { stamps[record] = stamp }
        }
        if list.needsStates { try states.finish() }
        records = RecordBatch(bytes: answer.body, scan: scan).stamping(stamps).filter { kept[$0] }
    }

    /// Returns the IDs in a list of IDs, or of objects with IDs; null and a missing list contain none.
    private static func ids(at list: JSONText?, of service: Service) throws -> [String] {
        guard let list, list != .null else { return [] }
        guard let elements = list.elements else {
            throw SoupError(
                .json, "the value at \"deletedIds\" is not an array",
                hint: "Set \"deletedIds\" to the path of a list of IDs, or of objects with IDs.")
        }
        return try PageIds(elements, of: service).ids
    }

    /// Members that report a next page, by a URL or by true.
    private static let usualMembers: [JSONPath] = [
        "next", "links.next", "_links.next.href", "meta.next", "nextLink", "@nextLink",
        JSONPath(configured: #"@odata\.nextLink"#), "next_page_url", "has_more", "hasMore",
        "has_next", "hasNext", "meta.has_more", "pagination.has_more",
    ]

    private static func reportsNext(_ value: JSONValue?) -> Bool {
        if let text = value?.stringValue { return text.contains("/") || text.hasPrefix("?") }
        return value == true
    }

    /// A path that no server uses, in place of one that is not configured.
    private static let absent: JSONPath = "\u{1}"
}
