// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// The records of a page whose entries were last written by another sync down of the same soup.
///
/// When a sync down fetches such an entry for the first time, it becomes the last writer, and both syncs are recorded
/// as owners. After that, an entry that already has the same bytes as the record is not written again only to change
/// its last writer.
struct SharedEntries {
    private struct Shared {
        var key: EntryKey
        var recordId: String
        /// The ID of the sync that wrote the entry last.
        var writer: Int64
        /// Whether this sync down is already recorded as an owner.
        var isNoted: Bool
    }

    private let syncId: Int64
    /// The shared records, by their positions in the batch.
    private var shared: [Int: Shared] = [:]

    /// Whether there is no shared entry.
    var isEmpty: Bool { shared.isEmpty }

    /// Finds the shared entries among those that the records of a batch match.
    ///
    /// - Parameter others: the other sync downs that write to the soup. If there are none, nothing is read.
    init(
        _ batch: RecordBatch, _ part: RecordLayout.Part, syncId: Int64, others: Set<Int64>, in reader: any StoreReader
    ) throws {
        self.syncId = syncId
        guard !others.isEmpty else { return }
        let projection = JSONProjection([JSONPath(part.idField)])
        var projected = JSONProjected()
        var positions: [Int64: (Int, String)] = [:]
        for index in batch.ranges.indices {
            // A record that is unreadable or has no ID is rejected later by the write.
            guard (try? batch.project(projection, of: index, into: &projected)) != nil else { continue }
            let stamped = batch.stampedMember(part.idField, of: index)
            let value =
                stamped.map { $0.value?.value } ?? JSONText.text(of: projected.fields[0], in: batch.bytes[...])?.value
            guard let value, let recordId = value.idText,
                let id = try reader.lookup(value, at: JSONPath(part.idField), in: part.soup)
            else { continue }
            positions[id] = (index, recordId)
        }
        let hasNotes = try SyncMemberships.exists(in: reader)
        for entry in try reader.retrieve(Array(positions.keys), from: part.soup) {
            guard let writer = entry[JSONPath(EntryField.syncId)]?.intValue, others.contains(writer),
                let (index, recordId) = positions[entry.id]
            else { continue }
            let key = EntryKey(soup: part.soup, id: entry.id)
            shared[index] = Shared(
                key: key, recordId: recordId, writer: writer,
                isNoted: try hasNotes && SyncMemberships.notes(syncId, key, in: reader))
        }
    }

    /// Returns the batch, in which the entries that need no change of owner keep their last writer.
    func keepingWriters(in batch: RecordBatch) -> RecordBatch {
        let stamps = shared.filter(\.value.isNoted).mapValues {
            RecordBatch.Stamp().setting(EntryField.syncId, .integer($0.writer))
        }
        return batch.stamping(stamps)
    }

    /// Records the owners, and this sync down as the last writer of the entries that changed.
    ///
    /// - Parameter results: the results of the records, by their positions in the batch.
    func apply(_ results: [Int: UpsertResult], in writer: any StoreWriter) throws {
        let ours = RecordBatch.Stamp().setting(EntryField.syncId, .integer(syncId))
        var stamps: [SoupName: [EntryStamp]] = [:]
        var memberships: [SyncMemberships.Membership] = []
        for (index, shared) in shared.sorted(by: { $0.key < $1.key }) {
            if shared.isNoted {
                guard results[index]?.outcome == .updated else { continue }
                stamps[shared.key.soup, default: []].append(EntryStamp(id: shared.key.id, stamp: ours))
            } else {
                for owner in [shared.writer, syncId] {
                    memberships.append(.init(key: shared.key, syncId: owner, recordId: shared.recordId))
                }
            }
        }
        try SyncMemberships.add(memberships, in: writer)
        for (soup, stamps) in stamps { _ = try writer.stamp(stamps, in: soup) }
    }
}
