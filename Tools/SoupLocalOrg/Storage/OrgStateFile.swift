// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import GRDB
internal import SoupCore

/// The file that keeps an org: its tables, and beside them what the org remembers, as JSON in the table `_org`.
///
/// The header of the file tells that it is an org's, and of which format. It is written with the seed's rows, so that a
/// file whose first filling was cut off is a file that has no org yet.
enum OrgStateFile {
    /// What is remembered, each written when it has changed.
    enum Part: String, CaseIterable { case document, keys, counters, tokens, clock, described }

    /// What a file remembers.
    struct Kept {
        var definition: OrgDefinition
        var keys: [String: String]
        var counters: OrgCore.Counters
        var tokens: TokenRegister
        var clock: OrgClock.Position
        /// When what describes tell was last changed; nil in files of versions that did not note it.
        var described: Int64?
    }

    /// Marks the files of orgs: "SpOg".
    private static let applicationId: Int32 = 0x5370_4F67
    /// Raised with each change that earlier versions cannot read.
    private static let format: Int32 = 1

    /// What the file remembers; nil for one that has no org yet.
    ///
    /// - Throws: ``SoupError`` with `storeUnusable` for a file that something else has made, or a later version.
    static func read(_ queue: DatabaseQueue, file: String) throws -> Kept? {
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
                    hint: "Use the version of soup that made it, or another file.")
            }
            do {
                func text(_ part: Part) throws -> String? {
                    try String.fetchOne(
                        db, sql: "SELECT value FROM _org WHERE name = ?", arguments: [part.rawValue])
                }
                func part<T: Decodable>(_ part: Part) throws -> T { try JSONText(text(part) ?? "").decode(T.self) }
                // Decoding would lose the order of objects and fields, and with it key prefixes that nobody chose.
                let document = try JSONValue(parsing: Array((text(.document) ?? "").utf8))
                return Kept(
                    definition: try OrgDefinition(document), keys: try part(.keys),
                    counters: try part(.counters), tokens: try part(.tokens), clock: try part(.clock),
                    described: try text(.described).flatMap { Int64($0) })
            } catch {
                throw SoupError(
                    .storeUnusable, "the state file \(file) is damaged: \(error)",
                    hint: "Remove it, and the org is made anew from its seed.")
            }
        }
    }

    /// Marks the file as one that has an org.
    static func mark(_ db: Database) throws {
        try db.execute(sql: "PRAGMA application_id = \(applicationId); PRAGMA user_version = \(format)")
    }
}

extension OrgCore {
    /// Goes on from what a state file remembers.
    ///
    /// There is an access token that works in any case: when the first one has been ended, another takes its place.
    func restore(_ kept: OrgStateFile.Kept) throws {
        (keys, counters, tokens) = (kept.keys, kept.counters, kept.tokens)
        clock.position = kept.clock
        // A file that does not tell may have an org whose schema was changed just now.
        described = kept.described ?? max(clock.now, definition.stamp)
        savedClock = kept.clock
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

    /// Writes what has changed beside the tables into the state file, if there is one.
    ///
    /// It belongs into the transaction of the change: an id that was given away is never given away again.
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
            try OrgStatement(
                db, "INSERT OR REPLACE INTO _org (name, value) VALUES (?, ?)",
                [.text(part.rawValue), .text(text.description)]
            ).run()
        }
        unsaved = []
        savedClock = clock.position
    }
}
