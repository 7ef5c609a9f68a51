// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import CBaseline
internal import Foundation
internal import SoupSQLite
internal import SoupCore
internal import Synchronization

/// Reading, beside C on the same file; how loads treat those who read meanwhile; and what costs more the more there is.
struct StoreReads: Suite {
    let name = "store_reads"

    func run(_ settings: Settings) async throws -> [Metric] {
        try await Rounds.inTemporaryFolder { folder in
            let pages = ResponsePages(count: settings.records, version: 0)
            let reading = try await ReadSoup(in: folder, pages)
            var metrics = try await reading.pagesAndScans(settings)
            metrics.append(try await reading.farPages(settings))
            metrics += try await reading.readsDuringLoad(settings)
            metrics.append(try await Self.fullText(settings, pages))
            metrics.append(try await Self.tenthBatch(settings, pages))
            return metrics
        }
    }

    /// A load with full text on one field against one without.
    private static func fullText(_ settings: Settings, _ pages: ResponsePages) async throws -> Metric {
        let indexes = BenchmarkSoup.indexes
        var plain: [Double] = []
        var searched: [Double] = []
        for round in 0..<settings.rounds {
            for turn in 0..<2 {
                let isSearched = (round + turn).isMultiple(of: 2)
                let specs = isSearched ? indexes + [IndexSpec("Description", .fullText)] : indexes
                let seconds = try await load(pages, specs, settings).reduce(0, +)
                if isSearched { searched.append(seconds) } else { plain.append(seconds) }
            }
        }
        return Metric("store.fulltext.insert.vs_plain", Rounds.ratio(of: plain, to: searched), goal: .atLeast(0.6))
    }

    /// The tenth part of a load against its first.
    private static func tenthBatch(_ settings: Settings, _ pages: ResponsePages) async throws -> Metric {
        var first: [Double] = []
        var tenth: [Double] = []
        for _ in 0..<settings.rounds {
            let seconds = try await load(pages, BenchmarkSoup.indexes, settings)
            let part = max(1, pages.bodies.count / 10)
            first.append(seconds.prefix(part).reduce(0, +))
            tenth.append(seconds.dropLast().suffix(part).reduce(0, +))
        }
        return Metric("store.tenth_batch", Rounds.ratio(of: first, to: tenth), goal: .atLeast(0.9))
    }

    /// Loads a new store.
    ///
    /// - Returns: the seconds of each page, and last those of what ends a load.
    private static func load(
        _ pages: ResponsePages, _ specs: [IndexSpec], _ settings: Settings
    ) async throws -> [Double] {
        try await Rounds.inTemporaryFolder { folder in
            let store = try await SQLiteStore.open(.init(path: folder + "/load.db"))
            try await store.write { try $0.registerSoup(BenchmarkSoup.name, specs) }
            sync()
            await store.bulkLoad(true)
            var seconds: [Double] = []
            for body in pages.bodies {
                let start = settings.clock.now
                try await store.write(page: body)
                seconds.append(settings.clock.now - start)
            }
            let start = settings.clock.now
            await store.bulkLoad(false)
            seconds.append(settings.clock.now - start)
            try await store.close()
            return seconds
        }
    }
}

extension SQLiteStore {
    /// Slices a page and upserts it, as a sync down does.
    func write(page body: [UInt8], into soup: SoupName = BenchmarkSoup.name) async throws {
        let batch = RecordBatch(bytes: body, scan: try JSONScanner.page(body, recordsAt: "records"))
        _ = try await write { writer in
            try writer.upsert(
                batch, into: soup, matching: .path(BenchmarkSoup.externalId),
                stamping: .synced(by: BenchmarkSoup.syncId), guarding: .dirty)
        }
    }
}

/// A soup full of accounts, to read from.
private struct ReadSoup {
    let store: SQLiteStore
    let path: String
    let count: Int
    let pages: ResponsePages

    private static let industry: JSONPath = "Industry"
    private static let soup: SoupName = "accounts"

    init(in folder: String, _ pages: ResponsePages) async throws {
        path = folder + "/read.db"
        store = try await SQLiteStore.open(.init(path: path))
        try await store.write { writer in
            for soup in [Self.soup, "other"] {
                try writer.registerSoup(
                    soup,
                    [
                        IndexSpec(BenchmarkSoup.externalId, .string), IndexSpec(Self.industry, .string),
                        IndexSpec("AnnualRevenue", .floating), IndexSpec("__local__", .string),
                    ])
            }
        }
        await store.bulkLoad(true)
        for body in pages.bodies { try await store.write(page: body) }
        await store.bulkLoad(false)
        count = pages.count
        self.pages = pages
    }

    // MARK: Beside C

    private static let repetitions = 2000

    /// Pages of 25 by exact match, and all rows in pages of 2,000, as raw JSON; inside of one snapshot on both sides.
    func pagesAndScans(_ settings: Settings) async throws -> [Metric] {
        let page = QuerySpec.exact(Self.soup, Self.industry, "Energy", pageSize: 25)
        let scan = QuerySpec.all(Self.soup, pageSize: 2000)
        let pagePlain = try Plain(path, "SELECT soup FROM TABLE_1 WHERE TABLE_1_1 = ?1 LIMIT 25", key: "Energy")
        let scanPlain = try Plain(path, "SELECT soup FROM TABLE_1", key: nil)
        let clock = settings.clock
        var ratios: (page: [Double], scan: [Double], calls: [Double]) = ([], [], [])
        var rates: (page: [Double], scan: [Double]) = ([], [])
        for _ in 0..<max(3, settings.rounds * 3) {
            let ours = try await store.read { reader in
                let start = clock.now
                for _ in 0..<Self.repetitions {
                    guard try reader.query(page).count == 25 else { throw ContestantError("not a page") }
                }
                return clock.now - start
            }
            let theirs = try clock.seconds { for _ in 0..<Self.repetitions { try pagePlain.read(expecting: 25) } }
            let start = clock.now
            for _ in 0..<Self.repetitions / 10 { _ = try await store.quickRead { try $0.query(page) } }
            ratios.calls.append((clock.now - start) * 10)
            ratios.page.append(theirs / ours)
            rates.page.append(ours / Double(Self.repetitions) * 1_000_000)
        }
        for _ in 0..<max(3, settings.rounds * 2) {
            let ours = try await store.read { reader in
                let start = clock.now
                var found = 0
                var position: QueryPosition?
                repeat {
                    let page = try reader.query(scan, after: position, arguments: [])
                    found += page.page.count
                    position = page.next
                } while position != nil
                guard found == self.count else { throw ContestantError("not all rows") }
                return clock.now - start
            }
            let theirs = try clock.seconds { try scanPlain.read(expecting: count) }
            ratios.scan.append(theirs / ours)
            rates.scan.append(Double(count) / ours)
        }
        return [
            Metric("store.page.microseconds", Rounds.median(rates.page)),
            Metric(
                "store.page.call.microseconds", Rounds.median(ratios.calls) / Double(Self.repetitions) * 1_000_000),
            Metric("store.page.vs_c", Rounds.median(ratios.page), goal: .atLeast(0.8)),
            Metric("store.scan.rows_per_s", Rounds.median(rates.scan)),
            Metric("store.scan.vs_c", Rounds.median(ratios.scan), goal: .atLeast(0.8)),
        ]
    }

    /// A statement of the C code.
    private final class Plain {
        private let store: OpaquePointer
        private let key: [CChar]?

        init(_ path: String, _ sql: String, key: String?) throws {
            guard let store = cb_plain_open(path, "PRAGMA cache_size = -2000", nil, sql) else {
                throw ContestantError("C cannot prepare \(sql)")
            }
            self.store = store
            self.key = key.map { Array($0.utf8CString) }
        }

        deinit { cb_plain_close(store) }

        func read(expecting count: Int) throws {
            var bytes = 0
            let read =
                key.map { key in
                    key.withUnsafeBufferPointer { cb_plain_read(store, $0.baseAddress, Int32($0.count - 1), &bytes) }
                } ?? cb_plain_read(store, nil, 0, &bytes)
            guard read == Int64(count), bytes > 0 else { throw ContestantError("C read \(read) rows") }
        }
    }

    // MARK: Far pages

    /// The thousandth page of an ordered query against its first.
    func farPages(_ settings: Settings) async throws -> Metric {
        let spec = QuerySpec.all(Self.soup, orderedBy: "AnnualRevenue", pageSize: max(1, count / 1000))
        let clock = settings.clock
        let times = try await store.read { reader -> (first: [Double], far: [Double]) in
            var position: QueryPosition?
            for _ in 0..<999 { position = try reader.query(spec, after: position, arguments: []).next }
            guard let far = position else { throw ContestantError("the query has no thousandth page") }
            var times: (first: [Double], far: [Double]) = ([], [])
            for _ in 0..<300 {
                times.first.append(
                    try clock.seconds { _ = try reader.query(spec, after: nil, arguments: []) })
                times.far.append(try clock.seconds { _ = try reader.query(spec, after: far, arguments: []) })
            }
            return times
        }
        return Metric(
            "store.page1000.vs_page1", Rounds.median(times.far) / Rounds.median(times.first), goal: .atMost(1.5))
    }

    // MARK: Reads during a load

    /// How long a page of 25 takes while a load of another soup runs, against a quiet store.
    func readsDuringLoad(_ settings: Settings) async throws -> [Metric] {
        let page = QuerySpec.exact(Self.soup, Self.industry, "Retail", pageSize: 25)
        let (store, pages) = (store, pages)
        @Sendable func read() async throws -> Double {
            let start = Stopwatch.wall.now
            _ = try await store.quickRead { try $0.query(page) }
            return (Stopwatch.wall.now - start) * 1000
        }
        var idle: [Double] = []
        for _ in 0..<2000 { idle.append(try await read()) }
        let load = Task {
            await store.bulkLoad(true)
            for body in pages.bodies { try await store.write(page: body, into: "other") }
            await store.bulkLoad(false)
            try await store.write { try $0.clearSoup("other") }
        }
        let ended = Mutex(false)
        let watch = Task {
            defer { ended.withLock { $0 = true } }
            try await load.value
        }
        var busy: [Double] = []
        while !ended.withLock({ $0 }) { busy.append(try await read()) }
        try await watch.value
        return [
            Metric("store.read_idle.p99_ms", Self.percentile(idle)),
            Metric("store.read_during_load.p99_ms", Self.percentile(busy)),
            Metric(
                "store.read_during_load.p99.vs_idle", Self.percentile(busy) / Self.percentile(idle), goal: .atMost(3)),
        ]
    }

    private static func percentile(_ values: [Double]) -> Double {
        let sorted = values.sorted()
        return sorted.isEmpty ? .nan : sorted[min(sorted.count - 1, sorted.count * 99 / 100)]
    }
}

extension Stopwatch {
    fileprivate func seconds(_ body: () throws -> Void) rethrows -> Double {
        let start = now
        try body()
        return now - start
    }
}
