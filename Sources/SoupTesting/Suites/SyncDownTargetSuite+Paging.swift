// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// All pages of a run, with the cursor that led to each.
struct PageWalk {
    struct Step {
        var cursor: PageCursor?
        var page: Page
    }

    var steps: [Step] = []

    /// The ids of the records of one part, in order.
    func ids(part: Int, idField: String) -> [String] {
        steps.flatMap { $0.page.ids(part: part, idField: idField) }
    }
}

extension Page {
    /// The server ids of the records of one part; an empty text where there is none.
    func ids(part: Int, idField: String) -> [String] {
        guard parts.indices.contains(part) else { return [] }
        return (0..<parts[part].count).map { parts[part].text(of: idField, at: $0) ?? "" }
    }
}

extension RecordBatch {
    /// The text of a member of a record as it will be stored, the record's own stamp applied.
    func text(of field: String, at index: Int) -> String? {
        if !stamps.isEmpty, let member = stamps[index].members.first(where: { $0.name == field }) {
            return member.value?.string ?? member.value?.description
        }
        switch self[index].value[field] {
        case .string(let text)?: return text
        case .int(let number)?: return String(number)
        default: return nil
        }
    }
}

extension SyncDownTargetSuite {
    /// Reads all pages from `cursor` on.
    func walk(_ target: Target, from cursor: PageCursor? = nil, in context: SyncContext) async throws -> PageWalk {
        var walk = PageWalk()
        var cursor = cursor
        repeat {
            try Task.checkCancellation()
            let page = try await target.page(after: cursor, in: context)
            walk.steps.append(.init(cursor: cursor, page: page))
            cursor = page.next
        } while cursor != nil && walk.steps.count < maximumPages
        return walk
    }

    func checkPaging(_ target: Target, _ report: inout SuiteReport) async -> PageWalk? {
        let walk = await report.expect("a whole run") { try await self.walk(target, in: context) }
        guard let walk, let last = walk.steps.last else { return nil }
        report.require(last.page.next == nil, "there is no end: still a next page after \(maximumPages) pages")
        let cursors = walk.steps.compactMap(\.page.next)
        report.require(Set(cursors).count == cursors.count, "a cursor leads to a page that was there before")
        let count = target.layout?.parts.count ?? 1
        for (number, step) in walk.steps.enumerated() {
            report.require(
                step.page.parts.count == count,
                "page \(number) has \(step.page.parts.count) parts, the layout has \(count)")
        }
        let records = walk.steps.reduce(0) { $0 + ($1.page.parts.first?.count ?? 0) }
        for total in Set(walk.steps.compactMap(\.page.totalSize)) {
            report.require(total == records, "the total size is told as \(total), but \(records) records came")
        }
        report.require(records > 0, "the server given to the suite brings no record")
        return last.page.next == nil ? walk : nil
    }

    func checkRecords(_ target: Target, _ walk: PageWalk, _ report: inout SuiteReport) {
        let parts =
            target.layout?.parts ?? [
                .init(
                    soup: context.soup, idField: target.idField, modificationDateField: target.modificationDateField)
            ]
        if let parent = target.layout?.parts.first {
            report.require(
                parent.idField == target.idField && parent.modificationDateField == target.modificationDateField,
                "the fields of the target are not those of the first part of its layout")
        }
        for (number, part) in parts.enumerated() {
            let ids = walk.ids(part: number, idField: part.idField)
            report.require(
                !ids.contains(""), "a record of part \(number) has no text or number in its id field \(part.idField)")
        }
        checkChildren(parts, walk, &report)
        guard target.ordersByModificationDate else { return }
        let dates = self.dates(target, walk)
        report.require(
            dates.allSatisfy { $0 != nil }, "it promises to order by date, but a record has no date that can be read")
        let known = dates.compactMap { $0 }
        report.require(known == known.sorted(), "it promises to order by date, and does not")
    }

    private func checkChildren(_ parts: [RecordLayout.Part], _ walk: PageWalk, _ report: inout SuiteReport) {
        for (number, part) in parts.enumerated() {
            guard let parentIdField = part.parentIdField, number > 0 else { continue }
            for step in walk.steps {
                let parents = Set(step.page.ids(part: 0, idField: parts[0].idField))
                let named = step.page.ids(part: number, idField: parentIdField)
                report.require(
                    parents.isSuperset(of: named), "a child names a parent in \(parentIdField) that is not on its page")
            }
        }
    }

    /// The modification dates of the records of part 0.
    func dates(_ target: Target, _ walk: PageWalk) -> [Int64?] {
        walk.steps.flatMap { step -> [Int64?] in
            guard let batch = step.page.parts.first else { return [] }
            return (0..<batch.count).map { index in
                batch.text(of: target.modificationDateField, at: index).flatMap { Timestamp.parse($0) }
            }
        }
    }

    func checkResuming(_ walk: PageWalk, _ report: inout SuiteReport) async {
        for (number, step) in walk.steps.enumerated() {
            guard let target = fresh() else { return report.note("it cannot be made a second time") }
            let rest = await report.expect("resuming at page \(number)") {
                try await self.walk(target, from: step.cursor, in: context)
            }
            guard let rest else { continue }
            let expected = PageWalk(steps: Array(walk.steps[number...])).ids(part: 0, idField: target.idField)
            report.require(
                rest.ids(part: 0, idField: target.idField) == expected,
                "resuming at page \(number) with a fresh target brings other records than the first time")
        }
    }

    func checkHighWaterMark(_ target: Target, _ walk: PageWalk, _ report: inout SuiteReport) async {
        let ids = walk.ids(part: 0, idField: target.idField)
        let dates = self.dates(target, walk)
        let known = dates.compactMap { $0 }.sorted()
        guard !known.isEmpty else { return }
        let middle = known[known.count / 2]
        for inclusive in [true, false] {
            var later = context
            later.highWaterMark = HighWaterMark(time: middle, inclusive: inclusive)
            let what = "a run from a high-water mark (\(inclusive ? "inclusive" : "exclusive"))"
            guard let resync = await report.expect(what, { try await self.walk(target, in: later) }) else { continue }
            let found = Set(resync.ids(part: 0, idField: target.idField))
            let missing = zip(ids, dates).filter { id, date in
                guard let date, !found.contains(id) else { return false }
                return inclusive ? date >= middle : date > middle
            }
            report.require(missing.isEmpty, "\(what) misses \(missing.map(\.0))")
            report.require(found.isSubset(of: ids), "\(what) brings records that a full run does not")
        }
    }
}
