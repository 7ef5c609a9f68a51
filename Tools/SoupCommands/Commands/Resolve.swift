// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools

internal import ArgumentParser
internal import SoupKit

/// The command `soup resolve`.
struct Resolve: SoupCommand {
    static let configuration = CommandConfiguration(
        abstract: "Resolve a create with an unknown outcome, or a conflict.",
        discussion: """
            If the connection breaks or the process ends after a new record was sent and before the response arrived, it is \
            unknown whether the server created the record. The next sync up looks it up by its external ID or its client key, \
            if the target has one of them. A record without them is not sent again automatically, because that could create \
            a duplicate. Check the server, then give --created with the ID of the record there, or --resend if it is not \
            there. Without an entry the command lists the entries with an unknown outcome, with --json one \
            {"soup","entryId","error"} per line.

            A record that soup conflicts lists was changed locally and on the server. Give --keep local or --keep remote for \
            the fields in conflict, or --merged with a file (- for standard input) that contains their values as a JSON \
            object. A field in conflict that is not in the file keeps its local value, and the command lists such fields; \
            fields that are not in conflict stay merged. The next sync up sends the changes to the server. For a record that \
            LEAVE_IF_CHANGED did not send, --keep local applies all local changes to the server's version, and --keep remote \
            undoes all of them: the fields that soup conflicts lists.

            --created asks the server for the record, and refuses an ID that the server does not have, or whose record has \
            other values than those that were sent. --unverified omits this, without a connection or if another user has \
            changed the record since; with a merge mode that detects conflicts, local changes that were made since become \
            a conflict then.

            --resend and --keep can resolve several entries: soup resolve contacts 17 18 --keep remote, --all for every \
            entry of the soup, or --where with a condition of Smart SQL for those that it selects: \
            soup resolve contacts --where "{contacts:Region} = 'West'" --keep remote. If one of the given entries has \
            nothing to resolve in that way, none are resolved. If an entry cannot be resolved because the server's version \
            cannot be fetched, it is reported with the reason; the others are resolved, and the exit code is 1.
            """)

    /// A side of a conflict.
    enum Side: String, ExpressibleByArgument, CaseIterable {
        case local
        case remote
    }

    @Argument(help: "The soup.")
    var soup: String?

    @Argument(help: "The IDs of the entries: their _soupEntryId.", transform: EntryArgument.id)
    var ids: [Int64] = []

    @Flag(name: .long, help: "Resolve all entries of the soup with an unknown outcome or a conflict.")
    var all = false

    @Option(
        name: .customLong("where"),
        help: ArgumentHelp(
            "Resolve the entries of the soup that a condition of Smart SQL selects.", valueName: "condition"))
    var condition: String?

    @Option(name: .long, help: ArgumentHelp("The record is on the server and has this ID.", valueName: "server id"))
    var created: String?

    @Flag(name: .long, help: "With --created: do not ask the server for the record.")
    var unverified = false

    @Flag(name: .long, help: "The record is not on the server: send it with the next sync up.")
    var resend = false

    @Option(name: .long, help: ArgumentHelp("The side of a conflict that wins.", valueName: "side"))
    var keep: Side?

    @Option(name: .long, help: ArgumentHelp("The values that resolve a conflict.", valueName: "file"))
    var merged: String?

    @OptionGroup var options: GlobalOptions

    func validate() throws {
        let answers = [created != nil, resend, keep != nil, merged != nil].filter { $0 }.count
        let isList = soup == nil && ids.isEmpty
        let choices = [!ids.isEmpty, all, condition != nil].filter { $0 }.count
        if soup != nil, choices == 0 {
            throw ValidationError("Give the IDs of the entries, --where or --all, or omit the soup for a list.")
        }
        if choices > 1 { throw ValidationError("Give either IDs of entries, or --where, or --all.") }
        if unverified, created == nil { throw ValidationError("Use --unverified only with --created.") }
        if isList, answers > 0 || choices > 0 { throw ValidationError("Give the soup and the IDs of the entries.") }
        if !isList, answers != 1 {
            throw ValidationError(
                "Give one of --created and --resend for an unknown outcome, or of --keep and --merged for a conflict.")
        }
        if created != nil || merged != nil, all || condition != nil || Set(ids).count > 1 {
            throw ValidationError("Give a single entry with --created or --merged.")
        }
    }

    func perform(_ console: Console) async throws {
        let kit = try await options.open()
        guard let soup = soup.map({ SoupName($0) }) else { return try await list(kit, console) }
        try await kit.store.requireSoup(soup)
        if keep != nil || merged != nil {
            try await resolveConflicts(in: soup, kit, console)
        } else {
            try await resolveCreates(in: soup, kit, console)
        }
    }

    /// The given IDs without duplicates.
    private var named: [Int64] {
        var seen: Set<Int64> = []
        return ids.filter { seen.insert($0).inserted }
    }

    /// Returns the entries that `--where` selects; nil without the option.
    private func selected(in soup: SoupName, _ kit: SoupClient) async throws -> Set<Int64>? {
        guard let condition else { return nil }
        let sql = "select {\(soup):\(EntryField.entryId)} from {\(soup)} where \(condition)"
        return Set(try await kit.store.rows(sql).compactMap { $0.arrayValue?.first?.intValue })
    }

    // MARK: Unknown outcomes

    /// Asks the server whether it has the record of an entry under an ID, and returns the resolution.
    private func verify(
        _ serverId: String, of id: Int64, in soup: SoupName, with kit: SoupClient, on console: Console
    ) async throws -> SyncManager.Resolution {
        guard !unverified else { return .created(serverId) }
        switch try await kit.syncs.verifyCreated(serverId, entryId: id, soup: soup) {
        case .verified(let date): return .created(serverId, modificationDate: date)
        case .notVerified:
            console.info("the record \(serverId) was not compared: no sync up of the soup can fetch it")
            return .created(serverId)
        }
    }

    private func resolveCreates(in soup: SoupName, _ kit: SoupClient, _ console: Console) async throws {
        let unknown = try await kit.syncs.unknownCreations()[soup] ?? []
        // If the outcome of some entries is known, resolve only these, so that each is reported with its error.
        let others = named.filter { !unknown.contains($0) }
        let selected = try await selected(in: soup, kit)
        let ids =
            all
            ? unknown
            : selected.map { selected in unknown.filter(selected.contains) } ?? (others.isEmpty ? named : others)
        try await EntryBatch(console: console, operation: "resolved").forEach(ids) { id in
            let created = try await serverId(of: id, in: soup, kit)
            var duplicate: Int64?
            var resolution = SyncManager.Resolution.resend
            if let created {
                resolution = try await verify(created, of: id, in: soup, with: kit, on: console)
                duplicate = try await entry(with: created, in: soup, kit)
            }
            try await kit.syncs.resolveUnknown(entryId: id, soup: soup, as: resolution)
            reportResolved(entry: id, in: soup, as: created == nil ? "resend" : "created", on: console)
            guard let created else {
                let isInStore = try await !kit.store.retrieve([id], from: soup).isEmpty
                return console.print(
                    "entry \(id) "
                        + (isInStore ? "is sent with the next sync up" : "was deleted locally and is removed"))
            }
            console.print("entry \(id) is \(created) on the server")
            if let duplicate, duplicate != id {
                console.print("entry \(duplicate), which had the same record, is merged into it")
            }
        }
        if ids.isEmpty {
            console.print("no \(condition == nil ? "" : "selected ")create of soup \(soup) has an unknown outcome")
        }
    }

    /// Returns the entry with an ID of the server; nil if the soup has none, or no index for the look-up.
    private func entry(with serverId: String, in soup: SoupName, _ kit: SoupClient) async throws -> Int64? {
        let known = RecordConventions(of: soup, in: configuration()[options.scope].syncs ?? SyncsConfig())
        let path = JSONPath(known.idField)
        guard let index = try await kit.store.indexSpecs(of: soup).first(where: { $0.path == path }) else { return nil }
        let number = index.kind == .integer ? Int64(serverId) : nil
        return try await kit.store.lookup(number.map { .int($0) } ?? .string(serverId), at: path, in: soup)
    }

    /// Returns the given ID; a Salesforce ID with 18 characters, the form in which records are fetched.
    private func serverId(of entryId: Int64, in soup: SoupName, _ kit: SoupClient) async throws -> String? {
        guard let created else { return nil }
        let entry = try await kit.store.retrieve([entryId], from: soup).first
        guard let type = entry?["attributes.type"]?.stringValue else { return created }
        guard let id = SalesforceID.longForm(of: created) else {
            throw SoupError(
                .badConfiguration, "\"\(created)\" is not the ID of a Salesforce record",
                hint: "Give the ID of the record on the server, 15 or 18 letters and digits.")
        }
        // The first three characters identify the object.
        let known = try await kit.store.query(.all(soup, pageSize: 100)).entries.first {
            $0["attributes.type"]?.stringValue == type && $0["Id"]?.stringValue.flatMap(SalesforceID.longForm) != nil
        }
        if let known = known?["Id"]?.stringValue, !known.utf8.prefix(3).elementsEqual(id.utf8.prefix(3)) {
            throw SoupError(
                .badConfiguration,
                "\(id) is not the ID of a record of \(type), because these begin with \(String(known.utf8.prefix(3)) ?? "")",
                hint: "Look up the record on the server, and pass its ID.")
        }
        return id
    }

    // MARK: Conflicts

    private func resolveConflicts(in soup: SoupName, _ kit: SoupClient, _ console: Console) async throws {
        let open = try await kit.syncs.conflicts().filter { $0.soup == soup }
        let others = named.filter { id in !open.contains { $0.entryId == id } }
        let batch = EntryBatch(console: console, operation: "resolved")
        try await batch.forEach(others) { id in
            throw SoupError(
                .notInConflict, "entry \(id) of soup \"\(soup)\" is not in conflict",
                hint: "Run soup conflicts to list the entries in conflict.")
        }
        let selected = try await selected(in: soup, kit)
        let conflicts =
            all
            ? open
            : selected.map { selected in open.filter { selected.contains($0.entryId) } }
                ?? named.compactMap { id in open.first { $0.entryId == id } }
        try await batch.forEach(conflicts) { conflict in
            var record: MergedRecord?
            if let merged { record = try await MergedRecord(readFrom: merged, for: conflict) }
            let resolution = record.map { ConflictResolution.merged($0.json) } ?? (keep == .local ? .local : .remote)
            try await kit.syncs.resolveConflict(conflict, as: resolution)
            let kept = record?.fieldsLeftOut ?? []
            reportResolved(
                entry: conflict.entryId, in: soup, as: keep?.rawValue ?? "merged", keptLocal: kept, on: console)
            let result = try await Self.result(of: conflict, kit)
            console.print("the conflict of entry \(conflict.entryId) is resolved; \(result)")
            guard let file = merged, !kept.isEmpty else { return }
            console.print(
                "  not in \(file == "-" ? "standard input" : file), so the local values are kept: "
                    + kept.joined(separator: ", "))
        }
        if conflicts.isEmpty {
            console.print("no \(condition == nil ? "" : "selected ")entry of soup \(soup) is in conflict")
        }
    }

    /// Returns the state of an entry after its conflict was resolved.
    private static func result(of conflict: RecordConflict, _ kit: SoupClient) async throws -> String {
        guard let entry = try await kit.store.retrieve([conflict.entryId], from: conflict.soup).first else {
            return "the entry is removed, because the record was deleted on the server"
        }
        let isChanged = entry[JSONPath(EntryField.local)]?.isSetFlag ?? false
        return isChanged
            ? "the next sync up sends its local changes"
            : "the entry equals the server's version, and nothing is sent"
    }

    /// Prints how an entry was resolved, with `--json` only.
    private func reportResolved(
        entry id: Int64, in soup: SoupName, as resolution: String, keptLocal: [String] = [], on console: Console
    ) {
        var object: JSONObject = [
            "soup": .string(soup.rawValue), "entryId": .int(id), "resolved": .string(resolution),
        ]
        if !keptLocal.isEmpty { object["keptLocal"] = .array(keptLocal.map { .string($0) }) }
        console.event(.object(object))
    }

    private func list(_ kit: SoupClient, _ console: Console) async throws {
        var table = TextTable(["soup", "entry", "code", "message"], alignRight: [1])
        let failures = Dictionary(grouping: try await kit.syncs.failures(), by: \.soup)
        for (soup, ids) in try await kit.syncs.unknownCreations().sorted(by: { $0.key < $1.key }) {
            let reasons = Dictionary(
                (failures[soup] ?? []).map { ($0.entryId, $0.failure) }, uniquingKeysWith: { first, _ in first })
            for id in ids {
                let failure = reasons[id]
                console.event([
                    "soup": .string(soup.rawValue), "entryId": .int(id), "error": failure?.json ?? .null,
                ])
                table.add([soup.rawValue, String(id), failure?.code ?? "", failure?.message ?? ""])
            }
        }
        console.table(table, ifEmpty: "no create has an unknown outcome")
    }
}

#endif
