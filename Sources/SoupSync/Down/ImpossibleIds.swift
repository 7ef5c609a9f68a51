// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore
internal import Synchronization

/// The entries of a run whose IDs the server cannot have issued.
///
/// Their IDs are left out of every request, because a server rejects a whole request if one ID is malformed. Each
/// entry is reported once. Entries that were created locally are not reported: a sync up replaces their IDs.
final class ImpossibleIds: Sendable {
    private struct Occurrence: Hashable {
        var soup: SoupName
        var path: JSONPath
        var id: String
    }

    private struct State {
        var occurrences: Set<Occurrence> = []
        /// The occurrences for which ``outcomes(in:)`` has not returned outcomes yet.
        var unreported: [Occurrence] = []
        var reported: Set<EntryKey> = []
    }

    private let target: any SyncDownTarget
    private let layout: RecordLayout
    private let state = Mutex(State())

    init(_ target: any SyncDownTarget, _ layout: RecordLayout) {
        self.target = target
        self.layout = layout
    }

    /// Filters impossible IDs out of the values that a target reads from the store.
    func filter(_ context: inout SyncContext) {
        let (values, lacking) = (context.localValues, context.localValuesLacking)
        context.localValues = { path, soup in self.possible(try await values(path, soup), at: path, in: soup) }
        context.localValuesLacking = { path, missing, soup in
            self.possible(try await lacking(path, missing, soup), at: path, in: soup)
        }
    }

    private func possible(_ values: [String], at path: JSONPath, in soup: SoupName) -> [String] {
        let levels = layout.levels.indices.filter { layout.levels[$0].idField == path.rawValue }
        guard let level = levels.first(where: { layout.levels[$0].soup == soup }) ?? levels.first else { return values }
        return values.filter { id in
            if LocalId.isLocal(id) || target.isPossibleId(id, level: level) { return true }
            state.withLock { state in
                let occurrence = Occurrence(soup: soup, path: path, id: id)
                if state.occurrences.insert(occurrence).inserted { state.unreported.append(occurrence) }
            }
            return false
        }
    }

    /// Whether IDs have been left out since the last call of ``outcomes(in:)``.
    var hasUnreported: Bool { state.withLock { !$0.unreported.isEmpty } }

    /// Returns outcomes for the entries whose IDs have been left out since the last call.
    ///
    /// Runs one index query for each ID, because not every backend supports queries with a list of values.
    func outcomes(in reader: any StoreReader) throws -> [RecordOutcome] {
        let unreported = state.withLock { state in
            defer { state.unreported = [] }
            return state.unreported
        }
        return try unreported.sorted { ($0.soup, $0.id) < ($1.soup, $1.id) }.flatMap { occurrence in
            try reader.allEntries(
                .exact(occurrence.soup, occurrence.path, equals: .string(occurrence.id), pageSize: 100)
            ).filter {
                !$0.flags.created
            }.map { .impossible(occurrence.id, EntryKey(soup: occurrence.soup, id: $0.id)) }
        }
    }

    /// Returns the outcomes that have not been reported yet, and marks them as reported.
    func unreported(among outcomes: [RecordOutcome]) -> [RecordOutcome] {
        state.withLock { state in
            outcomes.filter { state.reported.insert(EntryKey(soup: $0.soup, id: $0.entryId)).inserted }
        }
    }
}

extension RecordOutcome {
    /// Returns the outcome of an entry whose record cannot be requested.
    static func impossible(_ id: String, _ key: EntryKey) -> RecordOutcome {
        RecordOutcome(
            soup: key.soup, entryId: key.id, id: id, action: .fetch, result: .failed,
            error: PushFailure(
                code: "IMPOSSIBLE_ID",
                message:
                    "\"\(id.excerpt(100))\" cannot be an ID of the server, so its record was not requested: correct "
                    + "the ID of the entry, or delete it from the store"))
    }
}
