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
        var isRecorded: Bool
    }

    private let syncId: Int64
    /// The shared records, by ``PageRecord/index``.
    private var shared: [Int: Shared] = [:]

    /// Finds the shared entries among those that the records of a level match.
    ///
    /// - Parameter others: the other sync downs that write to the soup. If there are none, nothing is read.
    init(of level: FetchedLevel, syncId: Int64, others: Set<Int64>, in reader: any StoreReader) throws {
        self.syncId = syncId
        guard !others.isEmpty else { return }
        let soup = level.layout.soup
        var records: [Int64: (index: Int, id: String)] = [:]
        for record in level.records {
            // A record whose ID cannot be matched is rejected later by the write.
            guard let value = level.id(of: record)?.value, let recordId = value.idText,
                let id = try reader.lookup(value, at: JSONPath(level.layout.idField), in: soup)
            else { continue }
            records[id] = (record.index, recordId)
        }
        let hasOwners = try EntryOwners.exists(in: reader)
        for entry in try reader.retrieve(Array(records.keys), from: soup) {
            guard let writer = entry[JSONPath(EntryField.syncId)]?.intValue, others.contains(writer),
                let record = records[entry.id]
            else { continue }
            let key = EntryKey(soup: soup, id: entry.id)
            shared[record.index] = Shared(
                key: key, recordId: record.id, writer: writer,
                isRecorded: try hasOwners && EntryOwners.isRecorded(syncId, key, in: reader))
        }
    }

    /// Returns the batch, in which the entries that need no change of owner keep their last writer.
    func keepingWriters(in batch: RecordBatch) -> RecordBatch {
        let stamps = shared.filter(\.value.isRecorded).mapValues {
            RecordBatch.Stamp().setting(EntryField.syncId, .integer($0.writer))
        }
        return batch.stamping(stamps)
    }

    /// Saves the owners of the entries that this sync down fetches for the first time.
    func saveOwners(in writer: any StoreWriter) throws {
        let unrecorded = shared.filter { !$0.value.isRecorded }.sorted { $0.key < $1.key }
        let ownerships = unrecorded.flatMap { _, shared in
            [shared.writer, syncId].map { owner in
                EntryOwners.Ownership(key: shared.key, syncId: owner, recordId: shared.recordId)
            }
        }
        try EntryOwners.add(ownerships, in: writer)
    }

    /// Returns whether a write changed an entry that has kept its last writer.
    ///
    /// The record has to be written once more, with this sync down as the last writer. A stamp would move that member
    /// behind the others, so that the next sync down would find other bytes.
    func needsOwnWriter(_ write: RecordWrite) -> Bool {
        write.result?.outcome == .updated && shared[write.record.index]?.isRecorded == true
    }
}
