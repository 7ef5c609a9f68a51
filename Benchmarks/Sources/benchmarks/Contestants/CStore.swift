// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import CBaseline
internal import SoupCore

/// The hand-written C of the `CBaseline` target, on a table that is built exactly like SoupKit's and with the settings
/// that SoupKit's connection has during a load.
struct CStore: Contestant {
    let name = "c"
    let repetitions = 3
    /// SoupKit's own table, taken from a file that it made.
    private let table: SoupTable
    /// The indexes that SoupKit builds after the rows of a first load.
    private let deferred: [String]

    /// Builds its table like the one that SoupKit makes, and puts the same indexes off.
    ///
    /// - Parameter indexesInPlace: true to keep all indexes while the rows come in, as nearly everybody's code does.
    static func likeSoupKit(indexesInPlace: Bool = false) async throws -> CStore {
        try await Rounds.inTemporaryFolder { folder in
            let model = try await SoupKitStore().open(in: folder)
            try await model.close()
            return CStore(model.table, indexesInPlace: indexesInPlace)
        }
    }

    private init(_ model: SoupTable, indexesInPlace: Bool) {
        // What a load itself searches by stays, and so do indexes over the few rows that have local changes.
        let stays = { (definition: String) in
            !definition.hasPrefix("CREATE INDEX") || definition.contains("( \(model.columns[0]) )")
                || definition.contains(" WHERE ")
        }
        var table = model
        table.definitions = model.definitions.filter { indexesInPlace || stays($0) }
        self.table = table
        deferred = model.definitions.filter { !indexesInPlace && !stays($0) }.map {
            "CREATE INDEX IF NOT EXISTS" + $0.dropFirst("CREATE INDEX".count)
        }
    }

    func open(in folder: String) throws -> any OpenStore {
        try OpenCStore(path: folder + "/c.db", table: table, finishing: deferred + ["PRAGMA wal_checkpoint(PASSIVE)"])
    }

    /// Pages of 8 KiB; the write-ahead log, synchronised at checkpoints; a checkpoint every 16,000 pages;
    /// 16 MB of pages in memory.
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
