// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools

internal import ArgumentParser
internal import SoupKit

/// The command `soup upsert`.
struct Upsert: SoupCommand {
    static let configuration = CommandConfiguration(
        abstract: "Write entries from standard input without setting local flags.",
        discussion: """
            Standard input contains one JSON object, an array of objects, or one object per line. Each object replaces the \
            entry that it matches, or becomes a new entry; all are written in one transaction, or none. Prints the entries. \
            Memory use does not grow with the input: input from a pipe is first copied to a temporary file.

            The command sets no local flags: use create and edit for changes that the next sync up is to send. An entry \
            that is replaced loses its local changes.
            """)

    @Argument(help: "The soup.")
    var soup: String

    @Option(
        help: ArgumentHelp(
            "Match entries by the value at this indexed path instead of _soupEntryId.", valueName: "path"))
    var externalId: String?

    @OptionGroup var options: GlobalOptions

    func perform(_ console: Console) async throws {
        let soup = SoupName(soup)
        try soup.requireWritable()
        let input = try await SpooledInput.standardInput()
        let store = try await options.openStore()
        try await store.requireSoup(soup)
        let match: UpsertMatch = externalId.map { .path(JSONPath($0)) } ?? .entryId
        // Write all batches in one transaction, so that either all of the input is written or nothing.
        let ids = try await store.write { writer in
            var records = RecordStream(reading: input.read)
            var ids: [Int64] = []
            while let batch = try records.next() {
                do {
                    ids += try writer.upsert(RecordBatch(batch), into: soup, matching: match).map(\.id)
                } catch let error as SoupError {
                    throw error.countingRecords(from: ids.count)
                }
            }
            return ids
        }
        if !ids.isEmpty { console.noteSoupsInMemory([soup], of: store) }
        for start in stride(from: 0, to: ids.count, by: RecordStream.batchCount) {
            let slice = Array(ids[start...].prefix(RecordStream.batchCount))
            let found = try await store.read { try $0.retrieve(slice, from: soup) }
            let entries = Dictionary(found.map { ($0.id, $0) }) { first, _ in first }
            for id in slice { if let entry = entries[id] { console.emit(entry.json) } }
        }
    }
}

extension SoupError {
    /// Returns the error of a batch, `[3]: ...`, with the position of the record in the whole input.
    fileprivate func countingRecords(from first: Int) -> SoupError {
        guard first > 0, let path = place?.path, path.hasPrefix("["),
            let number = Int(path.dropFirst().prefix { $0 != "]" })
        else { return self }
        var error = self
        error.place?.path = "[\(number + first)]" + path.drop { $0 != "]" }.dropFirst()
        error.message = error.message.replacing("record \(number) of the batch", with: "record \(number + first)")
        return error
    }
}

#endif
