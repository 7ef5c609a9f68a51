// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools

internal import ArgumentParser
internal import SoupKit

/// The command `soup upsert`.
struct Upsert: SoupCommand {
    static let configuration = CommandConfiguration(
        abstract: "Write entries from standard input, as they are.",
        discussion: """
            Standard input holds one JSON object, an array of objects, or one object a line. Each replaces the entry that \
            it matches, or becomes a new one; all are written or none, in one transaction. Prints the entries. Memory does \
            not grow with the input: what comes through a pipe is kept in a temporary file until it is written.

            No local flags are set: what is to be sent with the next sync up is made with create and edit. An entry that is \
            replaced loses the local changes that it had.
            """)

    @Argument(help: "The soup.")
    var soup: String

    @Option(
        help: ArgumentHelp(
            "Match entries by the value at this indexed path, and not by _soupEntryId.", valueName: "path"))
    var externalId: String?

    @OptionGroup var options: GlobalOptions

    func perform(_ console: Console) async throws {
        let soup = SoupName(soup)
        try soup.requireWritable()
        let input = try await SpooledInput.standardInput()
        let store = try await options.openStore()
        try await store.requireSoup(soup)
        let match: UpsertMatch = externalId.map { .path(JSONPath($0)) } ?? .entryId
        // One transaction, fed batch by batch: all of the input or nothing, whatever its size.
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
        for start in stride(from: 0, to: ids.count, by: RecordStream.batchCount) {
            let slice = Array(ids[start...].prefix(RecordStream.batchCount))
            let found = try await store.read { try $0.retrieve(slice, from: soup) }
            let entries = Dictionary(found.map { ($0.id, $0) }) { first, _ in first }
            for id in slice { if let entry = entries[id] { console.emit(entry.json) } }
        }
    }
}

extension SoupError {
    /// An error of a batch, `[3]: ...`, with the position of the record in the whole input.
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
