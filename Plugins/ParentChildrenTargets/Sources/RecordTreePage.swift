// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupSalesforce
internal import SoupCore

/// A page of the records of one level with all nested descendants, split into a batch for each level.
///
/// The bytes of a record are read once for its own level, and once for each level above it, where they are part of the
/// parent's member. They are not copied: the batches define which members of a record are omitted because they contain
/// its children, and which parent each child belongs to.
struct RecordTreePage {
    /// Children that the server returns on a separate page.
    struct Remaining: Hashable {
        /// The position of their level.
        var position: Int
        var parentId: String
        var url: String
        /// The number of children of this parent so far, and the number that the server announced.
        var count = QueryCount()
    }

    let scan: QueryPageScan
    /// The position of the page's own level.
    let ownPosition: Int
    private let tree: RecordTree
    private let bytes: [UInt8]
    /// The fields to read, by level; created once instead of for the children of each record.
    private let projections: [JSONProjection]
    /// The scanned pages of children inside this page, by level.
    private var nested: [[QueryPageScan]]
    private var stamps: [[RecordBatch.Stamp]]
    /// The positions of the page's own records that are kept; nil for all.
    private let kept: Set<Int>?
    /// The omitted records: children of the records, and further children of the same parent.
    private(set) var remaining: [Remaining] = []

    /// - Parameters:
    ///   - position: the position of the page's own level.
    ///   - children: the children that the page contains; nil for roots, and for records with their parents' IDs.
    ///   - kept: the positions of the requested records; nil for all.
    /// - Throws: ``SoupError``: `json` if the response is not such a page, `incompleteAnswer` if children are missing.
    init(
        _ answer: HTTPAnswer, in tree: RecordTree, position: Int = 0, of children: Remaining? = nil,
        keeping kept: Set<Int>? = nil
    ) throws {
        let ownPosition = children?.position ?? position
        let parentId = children?.parentId
        self.tree = tree
        self.ownPosition = ownPosition
        self.kept = kept
        bytes = answer.body
        nested = tree.levels.map { _ in [] }
        stamps = tree.levels.map { _ in [] }
        projections = tree.levels.indices.map { position in
            let own = position == ownPosition && parentId == nil ? tree.levels[position].parentIdField : nil
            return JSONProjection(Self.paths(of: position, in: tree) + [own].compactMap { $0.map { JSONPath($0) } })
        }
        scan = try QueryPageScan(answer.body, projecting: projections[ownPosition])
        if var children {
            try children.count.add(scan, of: "the query for \(tree.levels[ownPosition].plural) of \(children.parentId)")
            if let url = scan.next {
                children.url = url
                remaining.append(children)
            }
        }
        try add(scan, position: ownPosition, parentId: parentId, keeping: kept)
    }

    private static func paths(of position: Int, in tree: RecordTree) -> [JSONPath] {
        let level = tree.levels[position]
        return [JSONPath(level.info.idFieldName)] + level.children.map { JSONPath(tree.levels[$0].plural) }
    }

    /// Adds the records of a page, or of a page of children inside one.
    ///
    /// - Parameter position: the position of the page's level.
    private mutating func add(
        _ page: QueryPageScan, position: Int, parentId: String?, keeping kept: Set<Int>? = nil
    ) throws {
        let level = tree.levels[position]
        let common = level.children.reduce(RecordBatch.Stamp.none) { $0.setting(tree.levels[$1].plural, nil) }
        var (stamp, stamped) = (common, parentId)
        if let field = level.parentIdField, let parentId { stamp = stamp.setting(field, .string(parentId)) }
        for record in 0..<page.count where kept?.contains(record) != false {
            if let field = level.parentIdField, parentId == nil {
                // A nested record with its own parent ID is stored unchanged. Otherwise a record that arrives both
                // nested and alone would differ each time.
                let place = page.field(1 + level.children.count, in: record)
                let id = JSONText.text(of: place, in: page.bytes[...])?.value.idText
                if id != stamped { stamp = id.map { common.setting(field, .string($0)) } ?? common }
                stamped = id
            }
            stamps[position].append(stamp)
            for (index, child) in level.children.enumerated() {
                try addChildren(ofRecord: record, in: page, path: index + 1, position: child)
            }
        }
    }

    /// Adds the children of one level of a record.
    ///
    /// - Parameters:
    ///   - path: the position of the children's member in the projection.
    ///   - position: the position of the children's level.
    private mutating func addChildren(
        ofRecord record: Int, in page: QueryPageScan, path: Int, position: Int
    ) throws {
        let field = page.field(path, in: record)
        guard field.kind == .object else {
            // The server returns null for no children; if the member is missing, this is the response to another query.
            guard !field.isMissing || ownPosition > 0 else {
                throw SoupError(
                    .json, "a parent in the server's page has no member \(tree.levels[position].plural)",
                    hint: SoupError.changedResponsesHint)
            }
            guard field.isMissingOrNull else {
                throw SoupError(
                    .json,
                    "the member \(tree.levels[position].plural) of a parent is neither null nor a page of children")
            }
            return
        }
        guard let id = JSONText.text(of: page.field(0, in: record), in: page.bytes[...])?.value.idText else {
            let parent = tree.levels[tree.levels[position].parent]
            throw SoupError(.json, "a parent with children has no \(parent.info.idFieldName)")
        }
        let children = try QueryPageScan(bytes, in: field.range, projecting: projections[position])
        nested[position].append(children)
        try add(children, position: position, parentId: id)
        var count = QueryCount()
        try count.add(children, of: "the query for \(tree.levels[position].plural) of \(id)")
        guard let next = children.next else { return }
        remaining.append(Remaining(position: position, parentId: id, url: next, count: count))
    }

    /// The batches, by level.
    var batches: [RecordBatch] {
        tree.levels.indices.map { position in
            guard position == ownPosition else {
                return QueryPageScan.batch(of: nested[position], stamping: stamps[position])
            }
            guard let kept else { return scan.batch(stamping: stamps[position]) }
            let stamps = Dictionary(uniqueKeysWithValues: zip(stamps[position].indices, stamps[position]))
            return scan.batch().filter { kept.contains($0) }.stamping(stamps)
        }
    }
}
