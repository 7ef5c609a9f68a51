// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

package import SoupLocalOrg
package import SoupKit

/// The records in the org and in the store of an app with accounts, as lines to compare.
package struct AccountsState: Sendable {
    private let org: LocalOrg
    /// The levels below the accounts.
    private let levels: [TreeLevel]

    package init(_ org: LocalOrg, _ scenario: SyncScenario) {
        self.org = org
        levels = scenario.levels
    }

    /// Returns a seed with the accounts `Acme 1` to `Acme n` (keys `a1` to `an`), each with one record of each level.
    ///
    /// - Parameter levels: the levels below the accounts; if empty, contacts (keys `c1` to `cn`).
    package static func seed(_ count: Int, levels: [TreeLevel] = []) throws -> OrgSeed {
        let levels = levels.isEmpty ? [.contacts] : levels
        let rows = (1...count).flatMap { number in
            [
                #"{"object": "Account", "key": "a\#(number)", "values": {"Name": "Acme \#(number)", "Code__c": "C\#(number)"}}"#
            ]
                + zip(levels, ["a"] + levels.map(\.key)).map { level, above in
                    #"""
                    {"object": "\#(level.object)", "key": "\#(level.key)\#(number)",
                      "values": {"\#(level.name)": "\#(level.title) \#(number)", "\#(level.parent)": "@\#(above)\#(number)"}}
                    """#
                }
        }
        let account = #"""
            "Account": {"fields": {"Code__c": {"type": "string", "length": 20, "externalId": true, "unique": true}}}
            """#
        let objects = [account] + levels.compactMap(\.definition)
        let text = #"""
            {"objects": {\#(objects.joined(separator: ","))}, "seed": [\#(rows.joined(separator: ","))]}
            """#
        return try OrgSeed(json: Array(text.utf8))
    }

    /// Returns the line of an account with its code, or, without a code, the line of another record with its parent.
    package static func line(_ name: JSONValue?, _ other: JSONValue?, code: JSONValue? = nil) -> String {
        "\(JSONValue.array([name ?? .null, other ?? .null] + (code.map { [$0] } ?? [])))"
    }

    /// Returns the org's records of an object that are not deleted.
    private func rows(_ object: String) throws -> [JSONValue] {
        try org.state(of: object).filter { $0["IsDeleted"] != true }
    }

    /// Returns the org's records, one per line.
    package func orgLines() throws -> [String] {
        let accounts = try rows("Account")
        var lines = accounts.map { Self.line($0["Name"], $0["Description"], code: $0["Code__c"] ?? .null) }
        var parents = (records: accounts, name: "Name")
        for level in levels {
            let names = Dictionary(
                uniqueKeysWithValues: parents.records.map { ($0["Id"] ?? .null, $0[parents.name] ?? .null) })
            parents = (try rows(level.object), level.name)
            lines += parents.records.map { Self.line($0[level.name], names[$0[level.parent] ?? .null]) }
        }
        return lines.sorted()
    }

    /// Returns the store's entries in the same form, with a mark for local changes, errors, and IDs that the org lacks.
    package func storeLines(_ kit: SoupClient) async throws -> [String] {
        let objects = ["Account"] + levels.map(\.object)
        let ids = Set(try objects.flatMap { try rows($0) }.compactMap { $0["Id"]?.stringValue })
        func marks(_ entry: SoupEntry) -> String {
            let isClean = ["__local__", "__locally_created__", "__locally_updated__", "__locally_deleted__"]
                .allSatisfy { entry[JSONPath($0)] != true }
            let error = entry["__last_error__"].map { " \($0)" } ?? ""
            return (isClean ? "" : " dirty") + error
                + (ids.contains(entry["Id"]?.stringValue ?? "") ? "" : " not in the org")
        }
        let accounts = try await kit.store.query(.all("accounts", pageSize: 500)).entries
        var lines = accounts.map {
            Self.line($0["Name"], $0["Description"], code: $0["Code__c"] ?? .null) + marks($0)
        }
        var parents = (entries: accounts, name: JSONPath("Name"))
        for level in levels {
            let names = Dictionary(
                parents.entries.map { ($0["Id"] ?? .null, $0[parents.name] ?? .null) },
                uniquingKeysWith: { first, _ in first })
            parents = (try await kit.store.query(.all(level.soup, pageSize: 500)).entries, JSONPath(level.name))
            lines += parents.entries.map {
                Self.line($0[parents.name], names[$0[JSONPath(level.parent)] ?? .null]) + marks($0)
            }
        }
        return lines.sorted()
    }

    /// Resolves creates with an unknown outcome as a user does who checks the org.
    ///
    /// - Returns: the number of these creates.
    @discardableResult
    package func resolveUnknown(_ kit: SoupClient) async throws -> Int {
        var count = 0
        for (soup, ids) in try await kit.syncs.unknownCreations() {
            let level = levels.first { $0.soup == soup }
            let (object, field) = (level?.object ?? "Account", level?.name ?? "Name")
            let records = try rows(object)
            for entry in try await kit.store.retrieve(ids, from: soup) {
                let found = records.first { $0[field] == entry[JSONPath(field)] }?["Id"]?.stringValue
                try await kit.syncs.resolveUnknown(
                    entryId: entry.id, soup: soup,
                    as: await resolution(of: entry.id, in: soup, foundAs: found, kit.syncs))
                count += 1
            }
        }
        return count
    }

    /// Returns the resolution that `soup resolve` chooses for a creation, by the ID of its record.
    private func resolution(
        of entryId: Int64, in soup: SoupName, foundAs serverId: String?, _ syncs: SyncManager
    ) async -> SyncManager.Resolution {
        guard let serverId else { return .resend }
        let verification = try? await syncs.verifyCreated(serverId, entryId: entryId, soup: soup)
        guard case .verified(let date)? = verification else { return .created(serverId) }
        return .created(serverId, modificationDate: date)
    }
}
