// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import CBaseline
internal import Foundation
internal import SoupCore

/// The part of a load before the disk: slicing a page, reading the indexed members of each record, and splicing the
/// stamps of a sync.
///
/// SoupKit validates every byte; the C code does not.
struct ReadPage: Suite {
    let name = "read_page"

    func run(_ settings: Settings) async throws -> [Metric] {
        let pages = ResponsePages(count: min(settings.records, 20_000), version: 0)
        let megabytes = Double(pages.byteCount) / 1_000_000
        let suffix = Array((CShape.stamps + "}").utf8)
        var slices: [Double] = []
        var ours: [Double] = []
        var c: [Double] = []
        var foundation: [Double] = []
        for _ in 0..<settings.rounds {
            var written = 0
            slices.append(
                try await Rounds.seconds(settings.clock) { for body in pages.bodies { _ = try Self.slice(body) } })
            ours.append(
                try await Rounds.seconds(settings.clock) {
                    for body in pages.bodies { written += try Self.read(body, suffix: suffix) }
                }
            )
            var writtenByC = 0
            c.append(
                try await Rounds.seconds(settings.clock) {
                    for body in pages.bodies { writtenByC += try Self.readInC(body) }
                })
            guard written == writtenByC else { throw ContestantError("\(written) bytes, but \(writtenByC) in C") }
            foundation.append(
                try await Rounds.seconds(settings.clock) { for body in pages.bodies { try Self.readTree(body) } })
        }
        let rate = { (seconds: [Double]) in megabytes / Rounds.median(seconds) }
        return [
            Metric("\(name).slice.mb_per_s", rate(slices)),
            Metric("\(name).whole.mb_per_s", rate(ours)),
            Metric("\(name).whole.c.mb_per_s", rate(c)),
            Metric("\(name).foundation_tree.mb_per_s", rate(foundation)),
            Metric("\(name).whole.vs_c", Rounds.median(zip(c, ours).map(/))),
        ]
    }

    /// Slices a response, as a target does.
    private static func slice(_ body: [UInt8]) throws -> JSONPageScan {
        try JSONScanner.page(body, recordsAt: "records", envelope: ["totalSize", "nextRecordsUrl"])
    }

    /// Creates the texts of the rows, as target and store do.
    private static func read(_ body: [UInt8], suffix: [UInt8]) throws -> Int {
        let scan = try slice(body)
        var projected = JSONProjected()
        var text: [UInt8] = []
        var written = 0
        let batch = RecordBatch(bytes: body, scan: scan)
        for (index, range) in scan.records.enumerated() {
            try batch.project(projection, of: index, into: &projected)
            let removing = projected.fields.dropFirst(dirty).filter { !$0.isMissing }
            text.removeAll(keepingCapacity: true)
            if removing.isEmpty {
                text += body[range]
            } else {
                JSONSplice.append(
                    body[range],
                    removing: removing.map { $0.memberStart - range.lowerBound..<$0.end - range.lowerBound },
                    adding: [], to: &text)
            }
            text[text.count - 1] = UInt8(ascii: ",")
            text += suffix
            written += text.count
        }
        return written
    }

    private static let dirty = BenchmarkSoup.indexes.count - 1

    private static func readTree(_ body: [UInt8]) throws { _ = try JSONSerialization.jsonObject(with: Data(body)) }

    /// The indexed paths, the last of which is a flag, and all other members that stamps and system fields replace.
    private static let projection = JSONProjection(
        BenchmarkSoup.indexes.map(\.path)
            + EntryField.localFlags.dropFirst().map { JSONPath($0) }
            + [JSONPath(EntryField.syncId), JSONPath(EntryField.lastError), JSONPath(EntryField.entryId)]
            + [JSONPath(EntryField.lastModified)])

    private static func readInC(_ body: [UInt8]) throws -> Int {
        let shape = CShape(BenchmarkSoup.indexes.map(\.path.rawValue))
        let written = body.withUnsafeBufferPointer {
            cb_read_page(
                $0.baseAddress, $0.count, shape.columns.baseAddress, Int32(shape.columns.count), CShape.stamps)
        }
        guard written >= 0 else { throw ContestantError("C cannot read the page") }
        return Int(written)
    }
}
