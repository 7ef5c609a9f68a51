// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import CBaseline
internal import Foundation
internal import SoupSQLite
internal import SoupCore
internal import Synchronization

/// Reads compared with C on the same file, reads during a load, and costs that must not grow with the soup.
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

    /// Compares a load with full text on one field with a load without it.
    private static func fullText(_ settings: Settings, _ pages: ResponsePages) async throws -> Metric {
        let indexes = BenchmarkSoup.indexes
        var plain: [Double] = []
        var searched: [Double] = []
        for round in 0..<settings.rounds {
            for turn in 0..<2 {
                let isSearched = (round + turn).isMultiple(of: 2)
                let specs = isSearched ? indexes + [IndexSpec("Description", .fullText)] : indexes
                let seconds = try await load(pages, indexes: specs, settings: settings).reduce(0, +)
                if isSearched { searched.append(seconds) } else { plain.append(seconds) }
            }
        }
        return Metric("store.fulltext.insert.vs_plain", Rounds.ratio(of: plain, to: searched), goal: .atLeast(0.6))
    }

    /// Compares the tenth part of a load with its first.
    private static func tenthBatch(_ settings: Settings, _ pages: ResponsePages) async throws -> Metric {
        var first: [Double] = []
        var tenth: [Double] = []
        for _ in 0..<settings.rounds {
            let seconds = try await load(pages, indexes: BenchmarkSoup.indexes, settings: settings)
            let part = max(1, pages.bodies.count / 10)
            first.append(seconds.prefix(part).reduce(0, +))
            tenth.append(seconds.dropLast().suffix(part).reduce(0, +))
        }
        return Metric("store.tenth_batch", Rounds.ratio(of: first, to: tenth), goal: .atLeast(0.9))
    }

    /// Loads a new store.
    ///
    /// - Returns: the seconds of each page, followed by those of the end of the load.
    private static func load(
        _ pages: ResponsePages, indexes specs: [IndexSpec], settings: Settings
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

/// A soup with accounts, for reading.
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

    // MARK: Compared with C

    private static let repetitions = 2000

    /// Measures pages of 25 by exact match, and all rows in pages of 2,000, as raw JSON, in one snapshot on both sides.
    func pagesAndScans(_ settings: Settings) async throws -> [Metric] {
        try await pageMetrics(settings) + scanMetrics(settings)
    }

    private func pageMetrics(_ settings: Settings) async throws -> [Metric] {
        let page = QuerySpec.exact(Self.soup, Self.industry, equals: "Energy", pageSize: 25)
        let plain = try CStatement(path, "SELECT soup FROM TABLE_1 WHERE TABLE_1_1 = ?1 LIMIT 25", key: "Energy")
        let clock = settings.clock
        var (ratios, calls, rates): ([Double], [Double], [Double]) = ([], [], [])
        for _ in 0..<max(3, settings.rounds * 3) {
            let ours = try await store.read { reader in
                let start = clock.now
                for _ in 0..<Self.repetitions {
                    guard try reader.query(page).count == 25 else { throw ContestantError("a page has not 25 entries") }
                }
                return clock.now - start
            }
            let theirs = try clock.seconds { for _ in 0..<Self.repetitions { try plain.read(expecting: 25) } }
            let start = clock.now
            for _ in 0..<Self.repetitions / 10 { _ = try await store.quickRead { try $0.query(page) } }
            calls.append((clock.now - start) * 10)
            ratios.append(theirs / ours)
            rates.append(ours / Double(Self.repetitions) * 1_000_000)
        }
        return [
            Metric("store.page.microseconds", Rounds.median(rates)),
            Metric("store.page.call.microseconds", Rounds.median(calls) / Double(Self.repetitions) * 1_000_000),
            Metric("store.page.vs_c", Rounds.median(ratios), goal: .atLeast(0.8)),
        ]
    }

    private func scanMetrics(_ settings: Settings) async throws -> [Metric] {
        let scan = QuerySpec.all(Self.soup, pageSize: 2000)
        let plain = try CStatement(path, "SELECT soup FROM TABLE_1", key: nil)
        let clock = settings.clock
        var (ratios, rates): ([Double], [Double]) = ([], [])
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
                guard found == self.count else { throw ContestantError("the scan did not return all rows") }
                return clock.now - start
            }
            let theirs = try clock.seconds { try plain.read(expecting: count) }
            ratios.append(theirs / ours)
            rates.append(Double(count) / ours)
        }
        return [
            Metric("store.scan.rows_per_s", Rounds.median(rates)),
            Metric("store.scan.vs_c", Rounds.median(ratios), goal: .atLeast(0.8)),
        ]
    }

    /// A statement of the C code.
    private final class CStatement {
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

    /// Compares the thousandth page of an ordered query with its first.
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

    /// Compares the latency of pages of 25 during a load of another soup with that of an idle store.
    func readsDuringLoad(_ settings: Settings) async throws -> [Metric] {
        let page = QuerySpec.exact(Self.soup, Self.industry, equals: "Retail", pageSize: 25)
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
