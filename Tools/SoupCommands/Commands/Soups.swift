// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools

internal import ArgumentParser
internal import SoupKit

/// The command `soup soups`.
struct Soups: SoupCommand {
    static let configuration = CommandConfiguration(
        abstract: "List the soups of the store, or remove one.",
        discussion: """
            Soups whose names begin with syncs_ are maintained by the syncs, as the last column shows. You can read them; \
            the commands do not write to them.

            --remove removes a soup with its entries; a soup in userstore.json is recreated, without entries, when the \
            store is opened next. A soup with local changes that were not sent is removed only with --force.

            With --json prints {"soupName","count","dirty","indexes"} for each soup, or for the removed one; a soup of the \
            syncs also has "purpose".
            """)

    @Option(help: ArgumentHelp("Remove this soup with all its entries.", valueName: "soup"))
    var remove: String?

    @Flag(help: "Remove the soup even if it has local changes, which are lost.")
    var force = false

    @OptionGroup var options: GlobalOptions

    func validate() throws {
        if force, remove == nil { throw ValidationError("--force requires --remove.") }
    }

    func perform(_ console: Console) async throws {
        if let remove { return try await removeSoup(SoupName(remove), console) }
        let store = try await options.openStore()
        var table = TextTable(
            ["soup", "entries", "with local changes", "indexes", "maintained by the syncs"], alignRight: [1, 2, 3])
        for name in try await store.soupNames() {
            let soup = try await SoupSummary(name, in: store)
            console.event(soup.json)
            table.add([
                name.rawValue, String(soup.count), String(soup.dirty), String(soup.indexes.count), name.purpose ?? "",
            ])
        }
        console.table(table, ifEmpty: "the store has no soups")
    }

    private func removeSoup(_ name: SoupName, _ console: Console) async throws {
        guard !SoupName.reserved.contains(name) else {
            throw SoupError(
                .badSoupName, "\"\(name)\" is maintained by the syncs: \(name.purpose ?? "")",
                hint: "Use soup stores --remove to remove a whole store.")
        }
        let store = try await options.openStore(registersSoups: false)
        try await store.requireSoup(name)
        let soup = try await SoupSummary(name, in: store)
        let force = force
        try await store.write { writer in
            let dirty = try writer.dirtyIds(in: name).count
            guard force || dirty == 0 else {
                throw SoupError(
                    .localChanges, "soup \"\(name)\" has \(dirty) entries with local changes that were not sent",
                    hint: "Run a sync up first, or add --force to lose the changes.")
            }
            try writer.removeSoup(name)
        }
        console.event(soup.json)
        console.print("Removed \(name) with \(soup.count) entries.")
    }
}

extension SoupName {
    /// Checks that commands may write to the soup.
    ///
    /// - Throws: ``SoupError`` with `badSoupName` for a soup that the syncs maintain.
    func requireWritable() throws {
        guard let purpose else { return }
        throw SoupError(
            .badSoupName, "soup \"\(self)\" is maintained by the syncs (\(purpose)), so this command cannot change it",
            hint: "Read it with `soup query` or `soup retrieve`. To change a sync, edit usersyncs.json and run "
                + "`soup sync NAME --renew` with its name. To resolve a conflict or an unknown outcome, run `soup resolve`."
        )
    }
}

extension SmartStore {
    /// Checks that the store has a soup.
    ///
    /// - Throws: ``SoupError`` with `soupNotFound`, and the most similar name as a hint.
    func requireSoup(_ name: SoupName) async throws {
        guard try await !soupExists(name) else { return }
        let known = try await soupNames().filter { $0.purpose == nil }.map(\.rawValue).sorted()
        throw SoupError(
            .soupNotFound, "there is no soup named \"\(name)\"",
            hint: NameDistance.question(
                for: name.rawValue, among: known, else: "Run soup soups to list the soups."))
    }
}

/// The indexes and the numbers of entries of a soup.
struct SoupSummary {
    let name: SoupName
    let indexes: [IndexSpec]
    let count: Int
    let dirty: Int

    /// - Throws: ``SoupError`` with `soupNotFound`.
    init(_ name: SoupName, in store: SmartStore) async throws {
        self.name = name
        indexes = try await store.indexSpecs(of: name)
        count = try await store.count(.all(name))
        dirty = try await store.read { try $0.dirtyIds(in: name).count }
    }

    var json: JSONValue {
        var object: JSONObject = [
            "soupName": .string(name.rawValue), "count": .int(Int64(count)), "dirty": .int(Int64(dirty)),
            "indexes": .array(
                indexes.map { ["path": .string($0.path.rawValue), "type": .string($0.kind.rawValue)] }),
        ]
        object["purpose"] = name.purpose.map { .string($0) }
        return .object(object)
    }
}

#endif
