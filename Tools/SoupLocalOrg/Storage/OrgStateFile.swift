// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import GRDB
internal import SoupCore

/// The file in which an org is stored: its tables, and its state as JSON in the table `_org`.
///
/// The header of the file identifies it as an org's file and contains its format. It is written in the transaction of
/// the seed's rows: if the first filling is interrupted, the file has no org yet.
enum OrgStateFile {
    /// A part of the state; each part is written if it has changed.
    enum Part: String, CaseIterable { case document, keys, counters, tokens, clock, described }

    /// The state in a file.
    struct Contents {
        var definition: OrgDefinition
        var keys: [String: String]
        var counters: OrgCore.Counters
        var tokens: TokenRegister
        var clock: OrgClock.Position
        /// When the describes last changed; nil in files of versions that did not store it.
        var described: Int64?
    }

    /// Marks the files of orgs: "SpOg".
    private static let applicationId: Int32 = 0x5370_4F67
    /// The format of the file; increased with each change that earlier versions cannot read.
    private static let format: Int32 = 1

    /// Returns the state in the file; nil if it has no org yet.
    ///
    /// - Throws: ``SoupError`` with `storeUnusable` for a file of another program or of a later version.
    static func read(_ queue: DatabaseQueue, file: String) throws -> Contents? {
        try queue.inDatabase { db in
            func number(_ sql: String) throws -> Int32 { try Int32.fetchOne(db, sql: sql) ?? 0 }
            let application = try number("PRAGMA application_id")
            let version = try number("PRAGMA user_version")
            let tables = try number("SELECT count(*) FROM sqlite_master")
            if application == 0, version == 0, tables == 0 { return nil }
            guard application == applicationId else { throw OrgDatabase.foreign(file) }
            guard version == format else {
                throw SoupError(
                    .storeUnusable,
                    "the state file \(file) has the format \(version), and this version reads \(format)",
                    hint: "Use the version of soup that created it, or another file.")
            }
            do {
                func text(_ part: Part) throws -> String? {
                    try String.fetchOne(
                        db, sql: "SELECT value FROM _org WHERE name = ?", arguments: [part.rawValue])
                }
                func part<T: Decodable>(_ part: Part) throws -> T { try JSONText(text(part) ?? "").decode(T.self) }
                // Decoding would lose the order of objects and fields, which determines the assigned key prefixes.
                let document = try JSONValue(parsing: Array((text(.document) ?? "").utf8))
                return Contents(
                    definition: try OrgDefinition(document), keys: try part(.keys),
                    counters: try part(.counters), tokens: try part(.tokens), clock: try part(.clock),
                    described: try text(.described).flatMap { Int64($0) })
            } catch {
                throw SoupError(
                    .storeUnusable, "the state file \(file) is damaged: \(error)",
                    hint: "Remove the file; the org then starts from its seed.")
            }
        }
    }

    /// Marks the file as an org's file.
    static func mark(_ db: Database) throws {
        try db.execute(sql: "PRAGMA application_id = \(applicationId); PRAGMA user_version = \(format)")
    }
}

extension OrgCore {
    /// Continues from the state of a file.
    ///
    /// There is always a valid access token: if the first one has ended, a new one replaces it.
    func restore(_ contents: OrgStateFile.Contents) throws {
        (keys, counters, tokens) = (contents.keys, contents.counters, contents.tokens)
        clock.position = contents.clock
        // In a file without this time the schema may have changed just before.
        described = contents.described ?? max(clock.now, definition.stamp)
        savedClock = contents.clock
        unsaved = []
        if tokens.access(tokens.first.access, now: clock.now) == nil {
            startTokens()
        }
        try queue.inDatabase { db in
            try db.inTransaction {
                try OrgDatabase.completeTables(schema, in: db)
                try save(in: db)
                return .commit
            }
        }
    }

    /// Writes the changed parts of the state into the state file, if there is one.
    ///
    /// Call it in the transaction of the change, so that no ID is issued twice.
    func save(in db: Database) throws {
        guard options.stateFile != nil else { return unsaved = [] }
        if clock.position != savedClock { unsaved.insert(.clock) }
        guard !unsaved.isEmpty else { return }
        if unsaved.contains(.document) { try OrgStateFile.mark(db) }
        for part in unsaved {
            let text =
                switch part {
                case .document: try JSONText(definition.document)
                case .keys: try JSONText(encoding: keys)
                case .counters: try JSONText(encoding: counters)
                case .tokens: try JSONText(encoding: tokens)
                case .clock: try JSONText(encoding: clock.position)
                case .described: try JSONText(encoding: described)
                }
            try db.statement(
                "INSERT OR REPLACE INTO _org (name, value) VALUES (?, ?)",
                [.text(part.rawValue), .text(text.description)]
            ).run()
        }
        unsaved = []
        savedClock = clock.position
    }
}
