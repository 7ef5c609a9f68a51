// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// The saving of a page: which records go in, and what became of them.
///
/// It runs inside the page's transaction.
struct PageWrite: Sendable {
    var fetched: FetchedPage
    var layout: RecordLayout
    var syncId: Int64
    /// Which entries keep their local changes.
    var guarding: WriteGuard
    /// See ``SavedPage/horizon``.
    var horizon: Int64?

    /// Writes the page.
    ///
    /// - Throws: what the store throws, with the soup's name; then nothing of the page is kept.
    func save(in writer: any StoreWriter) throws -> SavedPage {
        let blocked = layout.isTree ? try BlockedTrees(fetched, layout, guarding, in: writer) : BlockedTrees()
        var saved = SavedPage(horizon: horizon)
        for (position, part) in layout.parts.prefix(fetched.page.parts.count).enumerated() {
            let batch = fetched.page.parts[position]
            let dates = fetched.facts[position].dates
            // Records of a tree that keeps its local changes are left out; of the others each is judged by the guard.
            let isOpen = batch.ranges.indices.map { !blocked.contains($0, of: position, fetched) }
            let open = batch.filter { isOpen[$0] }
            let results = try writer.upsert(
                open, into: part.soup, matching: .path(JSONPath(part.idField)), stamping: .synced(by: syncId),
                guarding: guarding)
            var written = results.makeIterator()
            // For trees the parents decide: the server is asked for parents by their dates, never for children alone.
            let counts = position == 0 || !layout.isTree
            for index in batch.ranges.indices {
                let result = isOpen[index] ? written.next() : nil
                let outcome = result?.outcome ?? .skipped
                if result?.replacesLocalChanges ?? false { saved.replaced += 1 }
                switch outcome {
                case .inserted, .updated: saved.saved += 1
                case .unchanged: saved.unchanged += 1
                case .skipped: saved.skipped += 1
                }
                guard counts else { continue }
                saved.count += 1
                saved.note(dates[index], isSkipped: outcome == .skipped)
            }
        }
        return saved
    }
}
