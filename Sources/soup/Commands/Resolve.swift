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
            an entry the command lists those that wait for an answer, one {"soup","entryId"} a line with --json.

            A record that soup conflicts lists was changed here and on the server. Say --keep local or --keep remote for \
            the fields in conflict, or --merged with a file (- for standard input) that holds their values as a JSON \
            object. What goes to the server goes with the next sync up. Of a record that LEAVE_IF_CHANGED did not send, \
            --keep local puts the changes on top of the server's version, and --keep remote takes them back.
            """)

    /// A side of a conflict.
    enum Side: String, ExpressibleByArgument, CaseIterable {
        case local
        case remote
    }

    @Argument(help: "The soup.")
    var soup: String?

    @Argument(help: "The entry's id in the soup.")
    var id: Int64?

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
        if soup != nil, id == nil { throw ValidationError("Name the entry's id, or leave the soup out for a list.") }
        if id == nil, answers > 0 { throw ValidationError("Name the soup and the entry's id.") }
        if id != nil, answers != 1 {
            throw ValidationError(
                "Say one of --created and --resend for a lost answer, or of --keep and --merged for a conflict.")
        }
    }

    func perform(_ console: Console) async throws {
        let kit = try await options.open()
        guard let soup, let id else { return try await list(kit, console) }
        if let resolution = try await resolution() {
            try await settle(EntryName(soup: SoupName(soup), id: id), as: resolution, kit, console)
        } else {
            let created = try await serverId(of: id, in: SoupName(soup), kit)
            try await kit.syncs.resolveUnknown(
                entryId: id, soup: SoupName(soup), as: created.map { .created($0) } ?? .resend)
            tell(soup, id, created == nil ? "resend" : "created", console)
            console.say(
                created.map { "entry \(id) is \($0) on the server" } ?? "entry \(id) goes up with the next sync")
        }
    }

    /// The id that was given; of Salesforce's in the form of 18 characters, which is how records come down.
    private func serverId(of entryId: Int64, in soup: SoupName, _ kit: SoupKit) async throws -> String? {
        guard let created else { return nil }
        let entry = try await kit.store.retrieve([entryId], from: soup).first
        guard entry?["attributes.type"]?.stringValue != nil else { return created }
        guard let id = SalesforceID.longForm(of: created) else {
            throw SoupError(
                .badConfiguration, "\"\(created)\" is no id of a Salesforce record",
                hint: "Give the 15 or 18 letters and digits that the record has on the server.")
        }
        return id
    }

    /// What was said of a conflict; nil when a lost answer is meant.
    private func resolution() async throws -> ConflictResolution? {
        if let merged {
            let document = try await JSONInput.document(from: merged)
            guard let json = document.json, json.objectValue != nil else {
                throw SoupError(
                    .json, "the merged record is no JSON object", place: Place(file: merged),
                    hint: "Give an object with the fields in conflict.")
            }
            return .merged(try json.jsonText())
        }
        return keep.map { $0 == .local ? .local : .remote }
    }

    private struct EntryName {
        var soup: SoupName
        var id: Int64
    }

    private func settle(
        _ entry: EntryName, as resolution: ConflictResolution, _ kit: SoupKit, _ console: Console
    ) async throws {
        let conflicts = try await kit.syncs.conflicts()
        guard let conflict = conflicts.first(where: { $0.soup == entry.soup && $0.entryId == entry.id }) else {
            throw SoupError(
                .notInConflict, "entry \(entry.id) of soup \"\(entry.soup)\" is in no conflict",
                hint: "soup conflicts lists those that are.")
        }
        try await kit.syncs.resolveConflict(conflict, as: resolution)
        tell(entry.soup.rawValue, entry.id, keep?.rawValue ?? "merged", console)
        console.say(
            "the conflict of entry \(entry.id) is settled; what the server has to be told goes up with the next sync")
    }

    private func tell(_ soup: String, _ id: Int64, _ what: String, _ console: Console) {
        console.event(["soup": .string(soup), "entryId": .int(id), "resolved": .string(what)])
    }

    private func list(_ kit: SoupKit, _ console: Console) async throws {
        var table = Table(["soup", "entry"], alignRight: [1])
        for (soup, ids) in try await kit.syncs.unknownCreations().sorted(by: { $0.key < $1.key }) {
            for id in ids {
                console.event(["soup": .string(soup.rawValue), "entryId": .int(id)])
                table.add([soup.rawValue, String(id)])
            }
        }
        console.table(table)
    }
}

#endif
