// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SalesforceAPI
internal import SoupCore

/// A page of parents with their children inside, cut into a batch of each.
///
/// Nothing is written anew: the parents' batch says that the member with the children is left out, the children's batch
/// says which parent each belongs to.
struct FamilyPage {
    let scan: QueryPageScan
    private let family: Family
    /// The page, and behind it the further pages of children.
    private var bytes: [UInt8]
    private var childRanges: [Range<Int>] = []
    private var childStamps: [Stamp] = []
    /// Children that the server holds back for a page of their own.
    private var rest: [(url: String, stamp: Stamp)] = []

    /// - Throws: ``SoupError`` with `json` when the answer is not such a page.
    init(_ answer: HTTPAnswer, _ family: Family) throws {
        let plural = family.children.sobjectTypePlural
        self.family = family
        scan = try QueryPageScan(answer, projecting: [JSONPath(family.parent.idFieldName), JSONPath(plural)])
        bytes = answer.body
        for parent in 0..<scan.count {
            let field = scan.field(1, in: parent)
            guard field.kind == .object else {
                guard field.isMissingOrNull else {
                    throw SoupError(.json, "the member \(plural) of a parent is neither null nor a page of children")
                }
                continue
            }
            guard let id = JSONText.text(of: scan.field(0, in: parent), in: bytes[...]) else {
                throw SoupError(.json, "a parent with children has no \(family.parent.idFieldName)")
            }
            let stamp = Stamp.none.setting(family.children.parentIdFieldName, id)
            try take(Array(bytes[field.range]), at: field.start, stamp)
        }
    }

    /// Fetches the children that are on pages of their own.
    ///
    /// They belong to the same page as their parents: when the run breaks off in between, both come again.
    mutating func fetchRest(in context: SyncContext) async throws {
        while let next = rest.popLast() {
            try Task.checkCancellation()
            let answer = try await context.nextPage(next.url)
            let start = bytes.count
            bytes += answer.body
            try take(answer.body, at: start, next.stamp)
        }
    }

    private mutating func take(_ page: [UInt8], at start: Int, _ stamp: Stamp) throws {
        let children = try QueryPageScan(page)
        childRanges += children.records.map { $0.lowerBound + start..<$0.upperBound + start }
        childStamps += Array(repeating: stamp, count: children.count)
        if let next = children.next { rest.append((next, stamp)) }
    }

    var parents: RecordBatch {
        let stamp = Stamp.none.setting(family.children.sobjectTypePlural, nil)
        return scan.batch(stamping: Array(repeating: stamp, count: scan.count))
    }

    var children: RecordBatch { RecordBatch(bytes: bytes, ranges: childRanges, stamps: childStamps) }
}
