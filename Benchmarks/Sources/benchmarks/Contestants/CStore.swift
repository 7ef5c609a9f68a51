// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import CBaseline
internal import SoupCore

/// The hand-written C of the target `CBaseline`, on a table with the definitions of SoupKit's table and with the settings
/// of SoupKit's connection during a load.
struct CStore: Contestant {
    let name = "c"
    let repetitions = 3
    /// The definition of SoupKit's table, read from a file that SoupKit created.
    private let table: SoupTable
    /// The indexes that SoupKit builds after the rows of a first load.
    private let deferred: [String]

    /// Returns a store with SoupKit's table that builds the same indexes after the rows.
    ///
    /// - Parameter indexesInPlace: whether all indexes exist while rows are inserted, as in most programs.
    static func likeSoupKit(indexesInPlace: Bool = false) async throws -> CStore {
        try await Rounds.inTemporaryFolder { folder in
            let model = try await SoupKitStore().open(in: folder)
            try await model.close()
            return CStore(model.table, indexesInPlace: indexesInPlace)
        }
    }

    private init(_ model: SoupTable, indexesInPlace: Bool) {
        // The index of the load's look-ups is kept, and so are partial indexes of rows with local changes.
        let isKept = { (definition: String) in
            !definition.hasPrefix("CREATE INDEX") || definition.contains("( \(model.columns[0]) )")
                || definition.contains(" WHERE ")
        }
        var table = model
        table.definitions = model.definitions.filter { indexesInPlace || isKept($0) }
        self.table = table
        deferred = model.definitions.filter { !indexesInPlace && !isKept($0) }.map {
            "CREATE INDEX IF NOT EXISTS" + $0.dropFirst("CREATE INDEX".count)
        }
    }

    func open(in folder: String) throws -> any OpenStore {
        try OpenCStore(path: folder + "/c.db", table: table, finishing: deferred + ["PRAGMA wal_checkpoint(PASSIVE)"])
    }

    /// Pages of 8 KiB; a write-ahead log, synchronised at checkpoints; a checkpoint every 16,000 pages; a cache of 16 MB.
    static let pragmas = [
        "PRAGMA page_size = 8192", "PRAGMA journal_mode = WAL", "PRAGMA synchronous = NORMAL",
        "PRAGMA wal_autocheckpoint = 16000", "PRAGMA cache_size = -16000",
    ]
}

private final class OpenCStore: OpenStore {
    let path: String
    let table: SoupTable
    private let finishing: [String]
    let keepsTexts = true
    private let shape: CShape
    private var store: OpaquePointer?

    init(path: String, table: SoupTable, finishing: [String]) throws {
        self.path = path
        self.table = table
        self.finishing = finishing
        shape = CShape(table.columns)
        let setup = (CStore.pragmas + table.definitions).joined(separator: ";")
        store = cb_open(
            path, setup, shape.keep(table.name), shape.columns.baseAddress, Int32(shape.columns.count),
            Int32(CShape.dirty), shape.keep(CShape.stamps))
        guard store != nil else { throw ContestantError("C cannot open its store: \(setup)") }
    }

    deinit {
        if let store { cb_close(store) }
    }

    func load(_ pages: ResponsePages) throws {
        var counts = cb_counts()
        for body in pages.bodies {
            let status = body.withUnsafeBufferPointer { cb_write_page(store, $0.baseAddress, $0.count, &counts) }
            guard status == 0 else { throw ContestantError("C: \(String(cString: cb_error(store)))") }
        }
        for statement in finishing where cb_run(store, statement) != 0 {
            throw ContestantError("C: \(String(cString: cb_error(store)))")
        }
    }

    func close() throws {
        guard let store else { return }
        self.store = nil
        guard cb_close(store) == 0 else { throw ContestantError("C cannot close its store") }
    }
}
