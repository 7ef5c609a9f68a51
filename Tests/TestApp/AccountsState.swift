// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

package import LocalOrg
package import SoupKit

/// What the org and the store of an app of accounts hold, as lines that can be compared.
package struct AccountsState: Sendable {
    private let org: LocalOrg
    /// Whether contacts are part of it.
    private let isTree: Bool

    package init(_ org: LocalOrg, isTree: Bool) {
        self.org = org
        self.isTree = isTree
    }

    /// An org with the accounts `Acme 1` to `Acme n`, keys `a1` and on, each with a contact, keys `c1` and on.
    package static func seed(_ count: Int) throws -> Seed {
        let rows = (1...count).flatMap { number in
            [
                #"{"object": "Account", "key": "a\#(number)", "values": {"Name": "Acme \#(number)", "Code__c": "C\#(number)"}}"#,
                #"{"object": "Contact", "key": "c\#(number)", "values": {"LastName": "Ng \#(number)", "AccountId": "@a\#(number)"}}"#,
            ]
        }
        let text = #"""
            {"objects": {"Account": {"fields": {"Code__c": {"type": "string", "length": 20, "externalId": true,
              "unique": true}}}}, "seed": [\#(rows.joined(separator: ","))]}
            """#
        return try Seed(json: Array(text.utf8))
    }

    /// A line for an account; without a description it is the one of a contact and its account.
    package static func line(_ name: JSONValue?, _ other: JSONValue?, code: JSONValue? = nil) -> String {
        "\(JSONValue.array([name ?? .null, other ?? .null] + (code.map { [$0] } ?? [])))"
    }

    /// The org's records that are not deleted.
    private func rows(_ object: String) throws -> [JSONValue] {
        try org.state(of: object).filter { $0["IsDeleted"] != true }
    }

    /// The org's records.
    package func orgLines() throws -> [String] {
        let accounts = try rows("Account")
        var lines = accounts.map { Self.line($0["Name"], $0["Description"], code: $0["Code__c"] ?? .null) }
        if isTree {
            let names = Dictionary(uniqueKeysWithValues: accounts.map { ($0["Id"] ?? .null, $0["Name"] ?? .null) })
            lines += try rows("Contact").map { Self.line($0["LastName"], names[$0["AccountId"] ?? .null]) }
        }
        return lines.sorted()
    }

    /// The store's entries in the same form; those with local changes or errors, or without an id of the org, say so.
    package func storeLines(_ kit: SoupKit) async throws -> [String] {
        let ids = Set(try (rows("Account") + rows("Contact")).compactMap { $0["Id"]?.stringValue })
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
        if isTree {
            let names = Dictionary(
                accounts.map { ($0["Id"] ?? .null, $0["Name"] ?? .null) }, uniquingKeysWith: { first, _ in first })
            lines += try await kit.store.query(.all("contacts", pageSize: 500)).entries.map {
                Self.line($0["LastName"], names[$0["AccountId"] ?? .null]) + marks($0)
            }
        }
        return lines.sorted()
    }

    /// Says what became of creations whose answer was lost, as somebody does who looks at the org.
    ///
    /// - Returns: how many there were.
    @discardableResult
    package func resolveUnknown(_ kit: SoupKit) async throws -> Int {
        var count = 0
        for (soup, ids) in try await kit.syncs.unknownCreations() {
            let (object, field) = soup == "accounts" ? ("Account", "Name") : ("Contact", "LastName")
            let records = try rows(object)
            for entry in try await kit.store.retrieve(ids, from: soup) {
                let found = records.first { $0[field] == entry[JSONPath(field)] }?["Id"]?.stringValue
                try await kit.syncs.resolveUnknown(
                    entryId: entry.id, soup: soup, as: found.map { .created($0) } ?? .resend)
                count += 1
            }
        }
        return count
    }
}
