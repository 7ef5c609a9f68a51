// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import CBaseline
internal import SoupCore

/// C that receives the columns of each row, and upserts them as SQLite's manual shows: with one statement, with all
/// indexes in place, and in write-ahead mode with the default checkpoints.
///
/// Its table has SoupKit's definitions, except that the index of the external ID is unique, which the statement needs.
struct PlainCStore: Contestant {
    let name = "plain_c"
    let repetitions = 1
    private let model: SoupTable

    static func likeSoupKit() async throws -> PlainCStore {
        try await Rounds.inTemporaryFolder { folder in
            let store = try await SoupKitStore().open(in: folder)
            try await store.close()
            return PlainCStore(model: store.table)
        }
    }

    func open(in folder: String) throws -> any OpenStore { try OpenPlainCStore(path: folder + "/plain.db", model) }
}

private final class OpenPlainCStore: OpenStore {
    let path: String
    let table: SoupTable
    let keepsTexts = true
    private var store: OpaquePointer?

    init(path: String, _ model: SoupTable) throws {
        self.path = path
        var table = model
        let key = "( \(model.columns[0]) )"
        table.definitions = model.definitions.map { definition in
            definition.contains(key) ? "CREATE UNIQUE INDEX " + definition.dropFirst("CREATE INDEX ".count) : definition
        }
        self.table = table
        let setup = ["PRAGMA page_size = 8192", "PRAGMA journal_mode = WAL", "PRAGMA synchronous = NORMAL"]
        let columns = table.columns
        let upsert = """
            INSERT INTO \(table.name) (soup, created, lastModified, \(columns.joined(separator: ", "))) \
            VALUES (?1, ?2, ?2, ?3, ?4, ?5, ?6) ON CONFLICT (\(columns[0])) DO UPDATE SET soup = excluded.soup, \
            lastModified = excluded.lastModified, \
            \(columns.dropFirst().map { "\($0) = excluded.\($0)" }.joined(separator: ", "))
            """
        store = cb_plain_open(path, (setup + table.definitions).joined(separator: ";"), upsert, nil)
        guard store != nil else { throw ContestantError("plain C cannot open its store") }
    }

    deinit {
        if let store { cb_plain_close(store) }
    }

    /// Prepares the columns and writes the rows; suites call ``prepare(_:)`` before the measurement.
    func load(_ pages: ResponsePages) throws { try load(try Self.prepare(pages)) }

    /// Returns the rows of each page.
    static func prepare(_ pages: ResponsePages) throws -> [PlainRows] { try pages.bodies.map(PlainRows.init) }

    func load(_ pages: [PlainRows]) throws {
        for page in pages {
            guard page.withRows({ cb_plain_write(store, $0.baseAddress, $0.count) }) == 0 else {
                throw ContestantError("plain C cannot write")
            }
        }
    }

    func close() throws {
        guard let store else { return }
        self.store = nil
        guard cb_plain_close(store) == 0 else { throw ContestantError("plain C cannot close its store") }
    }
}

/// The rows of a page with their columns.
struct PlainRows {
    private let bytes: [UInt8]
    private var ranges: [[Range<Int>]] = []
    private var revenues: [Double] = []

    init(_ body: [UInt8]) throws {
        let scan = try JSONScanner.page(body, recordsAt: "records")
        let projection = JSONProjection(["Id", "Name", "AnnualRevenue"])
        let stamps = Array((CShape.stamps + "}").utf8)
        var projected = JSONProjected()
        var bytes = Array("false".utf8)
        for record in scan.records {
            try JSONScanner.project(projection, from: body, in: record, into: &projected)
            let start = bytes.count
            bytes += body[record].dropLast()
            bytes.append(UInt8(ascii: ","))
            bytes += stamps
            var parts = [start..<bytes.count]
            for field in projected.fields[0...1] {
                let text = JSONText(trusted: body[field.range]).string ?? ""
                parts.append(bytes.count..<bytes.count + text.utf8.count)
                bytes += text.utf8
            }
            ranges.append(parts)
            revenues.append(JSONText(trusted: body[projected.fields[2].range]).value.doubleValue ?? 0)
        }
        self.bytes = bytes
    }

    func withRows<T>(_ body: (UnsafeBufferPointer<cb_row>) -> T) -> T {
        bytes.withUnsafeBufferPointer { bytes in
            let rows = ranges.indices.map { index in
                let parts = ranges[index].map { UnsafeBufferPointer(rebasing: bytes[$0]) }
                return cb_row(
                    text: parts[0].baseAddress, id: parts[1].baseAddress, name: parts[2].baseAddress,
                    flag: bytes.baseAddress, text_length: Int32(parts[0].count), id_length: Int32(parts[1].count),
                    name_length: Int32(parts[2].count), flag_length: 5, revenue: revenues[index])
            }
            return rows.withUnsafeBufferPointer(body)
        }
    }
}

/// A type that stores rows with prepared columns.
protocol PreparedStore: OpenStore {
    func load(_ pages: [PlainRows]) throws
}

extension OpenPlainCStore: PreparedStore {}
