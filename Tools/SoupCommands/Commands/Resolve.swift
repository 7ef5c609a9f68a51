// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools

internal import ArgumentParser
internal import SoupKit

/// The command `soup resolve`.
struct Resolve: SoupCommand {
    static let configuration = CommandConfiguration(
        abstract: "Settle a creation whose answer was lost, or a conflict.",
        discussion: """
            When the connection breaks, or the program is killed, after a new record was sent and before the answer came, \
            nobody here knows whether the server has it. Such a record is not sent again by itself: that could make two. \
            Look on the server, then say --created with the id it has there, or --resend when it is not there. Without \
            an entry the command lists those that wait for an answer, one {"soup","entryId","error"} a line with --json.

            A record that soup conflicts lists was changed here and on the server. Say --keep local or --keep remote for \
            the fields in conflict, or --merged with a file (- for standard input) that holds their values as a JSON \
            object. A field in conflict that the file does not name keeps the value of this device, and the command says \
            which; fields that are not in conflict stay merged as they are. What goes to the server goes with the next \
            sync up. Of a record that LEAVE_IF_CHANGED did not send, --keep local puts all that was changed here on top of \
            the server's version, and --keep remote takes all of it back: the fields that soup conflicts lists.

            Several entries can be settled at once, with --resend or --keep: soup resolve contacts 17 18 --keep remote, \
            or --all for every entry of the soup. None is when one of them does not wait for that answer. One that waits \
            and cannot be settled, because nobody could ask what the server has, is told with the reason; the others are \
            settled all the same, and the exit code is 1.
            """)

    /// A side of a conflict.
    enum Side: String, ExpressibleByArgument, CaseIterable {
        case local
        case remote
    }

    @Argument(help: "The soup.")
    var soup: String?

    @Argument(help: "The entries' ids in the soup.", transform: EntryArgument.id)
    var ids: [Int64] = []

    @Flag(name: .long, help: "All entries of the soup that wait for the answer.")
    var all = false

    @Option(name: .long, help: ArgumentHelp("The server has it, under this id.", valueName: "server id"))
    var created: String?

    @Flag(name: .long, help: "The server does not have it: send it with the next sync up.")
    var resend = false

    @Option(name: .long, help: ArgumentHelp("The side of a conflict that wins.", valueName: "side"))
    var keep: Side?

    @Option(name: .long, help: ArgumentHelp("The values that settle a conflict.", valueName: "file"))
    var merged: String?

    @OptionGroup var options: GlobalOptions

    func validate() throws {
        let answers = [created != nil, resend, keep != nil, merged != nil].filter { $0 }.count
        let isList = soup == nil && ids.isEmpty
        if soup != nil, ids.isEmpty, !all {
            throw ValidationError("Name the entries' ids, say --all, or leave the soup out for a list.")
        }
        if all, !ids.isEmpty { throw ValidationError("Name the entries' ids or say --all, not both.") }
        if isList, answers > 0 || all { throw ValidationError("Name the soup and the entries' ids.") }
        if !isList, answers != 1 {
            throw ValidationError(
                "Say one of --created and --resend for a lost answer, or of --keep and --merged for a conflict.")
        }
        if created != nil || merged != nil, all || Set(ids).count > 1 {
            throw ValidationError("--created and --merged are for one entry: name it alone.")
        }
    }

    func perform(_ console: Console) async throws {
        let kit = try await options.open()
        guard let soup = soup.map({ SoupName($0) }) else { return try await list(kit, console) }
        try await kit.store.requireSoup(soup)
        if keep != nil || merged != nil {
            try await settleConflicts(in: soup, kit, console)
        } else {
            try await settleCreations(in: soup, kit, console)
        }
    }

    /// The ids that were given, each once.
    private var named: [Int64] {
        var seen: Set<Int64> = []
        return ids.filter { seen.insert($0).inserted }
    }

    // MARK: Lost answers

    private func settleCreations(in soup: SoupName, _ kit: SoupClient, _ console: Console) async throws {
        let waiting = try await kit.syncs.unknownCreations()[soup] ?? []
        // When some do not wait, these alone are asked for, and each is refused with its reason.
        let others = named.filter { !waiting.contains($0) }
        let ids = all ? waiting : others.isEmpty ? named : others
        try await Settling(console: console).each(ids) { id in
            let created = try await serverId(of: id, in: soup, kit)
            var holder: Int64?
            if let created { holder = try await kit.store.lookup(.string(created), at: "Id", in: soup) }
            try await kit.syncs.resolveUnknown(
                entryId: id, soup: soup, as: created.map { .created($0) } ?? .resend)
            tell(soup, id, created == nil ? "resend" : "created", console)
            guard let created else {
                let isLeft = try await !kit.store.retrieve([id], from: soup).isEmpty
                return console.say(
                    "entry \(id) " + (isLeft ? "goes up with the next sync" : "was deleted here, and is gone for good"))
            }
            console.say("entry \(id) is \(created) on the server")
            if let holder, holder != id { console.say("entry \(holder), which had that record too, is joined with it") }
        }
        if ids.isEmpty { console.say("no creation of soup \(soup) waits for an answer") }
    }

    /// The id that was given; of Salesforce's in the form of 18 characters, which is how records come down.
    private func serverId(of entryId: Int64, in soup: SoupName, _ kit: SoupClient) async throws -> String? {
        guard let created else { return nil }
        let entry = try await kit.store.retrieve([entryId], from: soup).first
        guard let type = entry?["attributes.type"]?.stringValue else { return created }
        guard let id = SalesforceID.longForm(of: created) else {
            throw SoupError(
                .badConfiguration, "\"\(created)\" is no id of a Salesforce record",
                hint: "Give the 15 or 18 letters and digits that the record has on the server.")
        }
        // The first three letters tell the object.
        let known = try await kit.store.query(.all(soup, pageSize: 100)).entries.first {
            $0["attributes.type"]?.stringValue == type && $0["Id"]?.stringValue.flatMap(SalesforceID.longForm) != nil
        }
        if let known = known?["Id"]?.stringValue, !known.utf8.prefix(3).elementsEqual(id.utf8.prefix(3)) {
            throw SoupError(
                .badConfiguration,
                "\(id) is no record of \(type): their ids begin with \(String(known.utf8.prefix(3)) ?? "")",
                hint: "Look the record up on the server.")
        }
        return id
    }

    // MARK: Conflicts

    private func settleConflicts(in soup: SoupName, _ kit: SoupClient, _ console: Console) async throws {
        let open = try await kit.syncs.conflicts().filter { $0.soup == soup }
        let others = named.filter { id in !open.contains { $0.entryId == id } }
        try await Settling(console: console).each(others) { id in
            throw SoupError(
                .notInConflict, "entry \(id) of soup \"\(soup)\" is in no conflict",
                hint: "soup conflicts lists those that are.")
        }
        let conflicts = all ? open : named.compactMap { id in open.first { $0.entryId == id } }
        try await Settling(console: console).each(conflicts) { conflict in
            var record: MergedRecord?
            if let merged { record = try await MergedRecord(readFrom: merged, for: conflict) }
            let resolution = record.map { ConflictResolution.merged($0.json) } ?? (keep == .local ? .local : .remote)
            try await kit.syncs.resolveConflict(conflict, as: resolution)
            let kept = record?.fieldsLeftOut ?? []
            tell(soup, conflict.entryId, keep?.rawValue ?? "merged", keptLocal: kept, console)
            let rest = try await Self.rest(of: conflict, kit)
            console.say("the conflict of entry \(conflict.entryId) is settled; \(rest)")
            guard let file = merged, !kept.isEmpty else { return }
            console.say(
                "  not in \(file == "-" ? "standard input" : file), so as they are here: \(kept.joined(separator: ", "))"
            )
        }
        if conflicts.isEmpty { console.say("nothing in soup \(soup) is in conflict") }
    }

    /// What became of an entry whose conflict was settled, and what is left to do.
    private static func rest(of conflict: RecordConflict, _ kit: SoupClient) async throws -> String {
        guard let entry = try await kit.store.retrieve([conflict.entryId], from: conflict.soup).first else {
            return "it is gone here, as on the server"
        }
        let isChanged = entry[JSONPath(EntryField.local)]?.isSetFlag ?? false
        return isChanged
            ? "what the server has to be told goes up with the next sync"
            : "it is as the server has it, which hears nothing"
    }

    private func tell(
        _ soup: SoupName, _ id: Int64, _ what: String, keptLocal: [String] = [], _ console: Console
    ) {
        var object: JSONObject = [
            "soup": .string(soup.rawValue), "entryId": .int(id), "resolved": .string(what),
        ]
        if !keptLocal.isEmpty { object["keptLocal"] = .array(keptLocal.map { .string($0) }) }
        console.event(.object(object))
    }

    private func list(_ kit: SoupClient, _ console: Console) async throws {
        var table = Table(["soup", "entry", "code", "message"], alignRight: [1])
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
        console.table(table, orSay: "no creation waits for an answer")
    }
}

#endif
