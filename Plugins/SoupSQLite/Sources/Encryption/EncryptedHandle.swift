// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Encryption

internal import GRDBSQLite
internal import SoupEncryption

/// One open file of an encrypted store: SQLite reads and writes its content, the system its units.
final class EncryptedHandle {
    /// The file of the system, for locks and for the shared memory of the log.
    let inner: UnsafeMutablePointer<sqlite3_file>
    private let memory: UnsafeMutableRawPointer
    // SQLite calls the functions of a file one after the other.
    @exclusivity(unchecked) private var content: UnitFile<SQLiteRawFile>
    private let kind: ContentKind
    /// Whether the page size of a log is known.
    @exclusivity(unchecked) private var layoutIsKnown: Bool

    /// The length of the shortest page of SQLite; all reads before it are reads of the first page.
    private static let shortestPage: Int64 = 512

    /// The length of the units of journals, which are written in parts: that of a sector.
    private static let partLength = 4096

    /// Whether SQLite never writes a part of a unit.
    ///
    /// It asks the database for the properties of its journal, too.
    var isWrittenByUnits: Bool { kind == .log }

    /// Takes over memory with an open file.
    init(_ memory: UnsafeMutableRawPointer, key: DataKey, kind: ContentKind, unitLength: Int) {
        self.memory = memory
        self.kind = kind
        inner = memory.assumingMemoryBound(to: sqlite3_file.self)
        layoutIsKnown = kind != .log
        let layout: UnitLayout =
            switch kind {
            case .database: .uniform(unitLength)
            case .log: .log(pageSize: unitLength)
            case .temporary: .uniform(unitLength)
            case .journal, .value: .uniform(Self.partLength)
            }
        content = UnitFile(
            SQLiteRawFile(file: inner), key: key, kind: kind, layout: layout,
            start: kind == .database ? Int64(FileHeader.length) : 0)
    }

    deinit { memory.deallocate() }

    func close() -> Int32 { inner.pointee.pMethods?.pointee.xClose(inner) ?? SQLITE_OK }

    func read(_ buffer: UnsafeMutableRawBufferPointer, at offset: Int64) -> Int32 {
        do {
            try findLayout()
            let count = try content.read(buffer, at: offset)
            if count == buffer.count { return SQLITE_OK }
            // SQLite would continue with zeros for a page that is missing at the end of the file. It reads no page that
            // was never written, except those of an empty database.
            if kind == .database && count == 0 && offset >= Self.shortestPage { return SQLITE_CORRUPT }
            buffer[count...].initializeMemory(as: UInt8.self, repeating: 0)
            return SQLiteRawFile.shortRead
        } catch is UnitIsDamaged {
            if kind == .database && offset + Int64(buffer.count) < Self.shortestPage {
                // SQLite reads the first bytes of the file before it recovers the first page from the log or the
                // journal. If neither contains the page, the read of the whole page reports the damage.
                buffer.initializeMemory(as: UInt8.self, repeating: 0)
                return SQLiteRawFile.shortRead
            }
            guard toleratesDamage(at: offset) else { return SQLITE_CORRUPT }
            buffer.initializeMemory(as: UInt8.self, repeating: 0)
            return SQLITE_OK
        } catch {
            return Self.code(error)
        }
    }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) -> Int32 {
        Self.code {
            if kind == .log && offset == 0 && bytes.count >= UnitLayout.logHeader {
                setLayout(bytes)
            } else {
                try findLayout()
            }
            do {
                try content.write(bytes, at: offset)
            } catch is UnitIsDamaged where kind == .journal && offset == 0 {
                // The beginning of a new journal, over the rest of one that cannot be read.
                try content.truncate(to: 0)
                try content.write(bytes, at: offset)
            }
        }
    }

    func truncate(to length: Int64) -> Int32 {
        Self.code {
            try findLayout()
            try content.truncate(to: length)
        }
    }

    func size(_ size: inout Int64) -> Int32 {
        Self.code {
            try findLayout()
            size = try content.size()
        }
    }

    /// Whether SQLite looks for the end of a log or a journal at the offset: after a crash, the last units can be
    /// incomplete, and SQLite ignores them because their checksums are wrong.
    ///
    /// A page of the log that SQLite knows to be complete is read without the header of its frame.
    private func toleratesDamage(at offset: Int64) -> Bool {
        switch kind {
        case .journal: return true
        case .log:
            guard case .log(let pageSize) = content.layout else { return false }
            let header = Int64(UnitLayout.logHeader)
            return offset < header || (offset - header) % Int64(UnitLayout.frameHeader + pageSize) == 0
        case .database, .temporary, .value: return false
        }
    }

    /// Reads the page size in the header of a log that another connection has written.
    private func findLayout() throws {
        guard !layoutIsKnown, try content.raw.size() > 0 else { return }
        var header = [UInt8](repeating: 0, count: UnitLayout.logHeader)
        do {
            let count = try header.withUnsafeMutableBytes { try content.read($0, at: 0) }
            if count == header.count { header.withUnsafeBytes(setLayout) }
        } catch is UnitIsDamaged {
            // The log is empty for SQLite, which then begins a new one.
        }
    }

    private func setLayout(_ header: UnsafeRawBufferPointer) {
        let pageSize = header[8..<12].reduce(0) { $0 << 8 | Int($1) }
        guard (512...65536).contains(pageSize), pageSize & (pageSize - 1) == 0 else { return }
        layoutIsKnown = true
        content = content.with(.log(pageSize: pageSize))
    }

    private static func code(_ work: () throws -> Void) -> Int32 {
        do {
            try work()
            return SQLITE_OK
        } catch {
            return code(error)
        }
    }

    private static func code(_ error: any Error) -> Int32 {
        if error is UnitIsDamaged { return SQLITE_CORRUPT }
        return (error as? SQLiteRawFile.Failure)?.code ?? SQLITE_IOERR
    }
}

#endif
