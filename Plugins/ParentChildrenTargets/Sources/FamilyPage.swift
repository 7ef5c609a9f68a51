// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupSalesforce
internal import SoupCore

/// A page of one type of records with all nested descendants, split into a batch for each type.
///
/// The bytes are not copied: the batches define which members of a record are omitted because they contain its
/// children, and which parent each child belongs to.
struct FamilyPage {
    /// Children that the server returns on a separate page.
    struct Rest: Hashable {
        /// The position of their type.
        var part: Int
        var parentId: String
        var url: String
        /// The number of children of this parent so far, and the number that the server announced.
        var count = QueryCount()
    }

    let scan: QueryPageScan
    let part: Int
    private let tree: FamilyTree
    private let bytes: [UInt8]
    /// The fields to read, by type; created once instead of for the children of each record.
    private let projections: [JSONProjection]
    private var ranges: [[Range<Int>]]
    private var stamps: [[Stamp]]
    /// The positions of the page's own records that are kept; nil for all.
    private let kept: Set<Int>?
    /// The omitted records: children of the records, and further children of the same parent.
    private(set) var rest: [Rest] = []

    /// - Parameters:
    ///   - part: the position of the page's own type.
    ///   - held: the children that the page contains; nil for roots, and for records with their parents' IDs.
    ///   - kept: the positions of the requested records; nil for all.
    /// - Throws: ``SoupError``: `json` if the response is not such a page, `incompleteAnswer` if children are missing.
    init(
        _ answer: HTTPAnswer, _ tree: FamilyTree, part: Int = 0, of held: Rest? = nil, keeping kept: Set<Int>? = nil
    ) throws {
        let part = held?.part ?? part
        let parentId = held?.parentId
        self.tree = tree
        self.part = part
        self.kept = kept
        bytes = answer.body
        ranges = tree.members.map { _ in [] }
        stamps = ranges.map { _ in [] }
        projections = tree.members.indices.map { position in
            let own = position == part && parentId == nil ? tree.members[part].parentIdField : nil
            return JSONProjection(Self.paths(of: position, tree) + [own].compactMap { $0.map { JSONPath($0) } })
        }
        scan = try QueryPageScan(answer.body, projecting: projections[part])
        if var held {
            try held.count.add(scan, of: "the query for \(tree.members[part].plural) of \(held.parentId)")
            if let url = scan.next {
                held.url = url
                rest.append(held)
            }
        }
        try take(scan, at: 0, part, parentId, keeping: kept)
    }

    private static func paths(of part: Int, _ tree: FamilyTree) -> [JSONPath] {
        let member = tree.members[part]
        return [JSONPath(member.info.idFieldName)] + member.children.map { JSONPath(tree.members[$0].plural) }
    }

    /// - Parameter start: the position of the page in the response.
    private mutating func take(
        _ page: QueryPageScan, at start: Int, _ part: Int, _ parentId: String?, keeping kept: Set<Int>? = nil
    ) throws {
        let member = tree.members[part]
        let common = member.children.reduce(Stamp.none) { $0.setting(tree.members[$1].plural, nil) }
        var (stamp, stamped) = (common, parentId)
        if let field = member.parentIdField, let parentId { stamp = stamp.setting(field, .string(parentId)) }
        for record in 0..<page.count where kept?.contains(record) != false {
            let range = page.records[record]
            ranges[part].append(range.lowerBound + start..<range.upperBound + start)
            if let field = member.parentIdField, parentId == nil {
                // A nested record with its own parent ID is stored unchanged. Otherwise a record that arrives both
                // nested and alone would differ each time.
                let place = page.field(1 + member.children.count, in: record)
                let id = JSONText.text(of: place, in: page.bytes[...])?.value.idText
                if id != stamped { stamp = id.map { common.setting(field, .string($0)) } ?? common }
                stamped = id
            }
            stamps[part].append(stamp)
            for (index, child) in member.children.enumerated() {
                try takeChildren(page, record, index + 1, at: start, child)
            }
        }
    }

    private mutating func takeChildren(
        _ page: QueryPageScan, _ record: Int, _ path: Int, at start: Int, _ child: Int
    ) throws {
        let field = page.field(path, in: record)
        guard field.kind == .object else {
            // The server returns null for no children; if the member is missing, this is the response to another query.
            guard !field.isMissing || part > 0 else {
                throw SoupError(
                    .json, "a parent in the server's page has no member \(tree.members[child].plural)",
                    hint: SoupError.changedResponsesHint)
            }
            guard field.isMissingOrNull else {
                throw SoupError(
                    .json,
                    "the member \(tree.members[child].plural) of a parent is neither null nor a page of children")
            }
            return
        }
        guard let id = JSONText.text(of: page.field(0, in: record), in: page.bytes[...])?.value.idText else {
            let member = tree.members[tree.members[child].parent]
            throw SoupError(.json, "a parent with children has no \(member.info.idFieldName)")
        }
        let children = try QueryPageScan(Array(page.bytes[field.range]), projecting: projections[child])
        try take(children, at: start + field.start, child, id)
        var count = QueryCount()
        try count.add(children, of: "the query for \(tree.members[child].plural) of \(id)")
        if let next = children.next { rest.append(Rest(part: child, parentId: id, url: next, count: count)) }
    }

    /// The batches, by part.
    var batches: [RecordBatch] {
        tree.members.indices.map { position in
            if position == part, kept == nil { return scan.batch(stamping: stamps[position]) }
            if ranges[position].isEmpty { return .empty }
            return RecordBatch(bytes: bytes, ranges: ranges[position], stamps: stamps[position])
        }
    }
}
