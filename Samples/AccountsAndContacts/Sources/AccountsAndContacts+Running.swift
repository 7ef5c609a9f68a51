// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupKit
import SoupLocalOrg

extension AccountsAndContacts {
    /// Runs a sync to its end, a minute after the previous one.
    ///
    /// The org's clock is stopped, so that the dates of the records do not depend on the speed of the sample.
    ///
    /// - Throws: the error that ended the run.
    func run(_ name: String) async throws -> SyncResult {
        org.advanceClock(by: .seconds(60))
        return try await kit.syncs.reSync(named: name).value
    }

    /// Changes the entry with a name.
    func edit(_ soup: SoupName, where path: JSONPath, is name: String, setting values: JSONObject) async throws {
        let found = try await kit.store.query(.exact(soup, path, equals: .string(name), pageSize: 1))
        guard let entry = found.entries.first else { throw SoupError("notFound", "there is no entry \"\(name)\"") }
        try await kit.store.edit(entry.id, setting: values, in: soup)
    }

    /// Prints the trees in the store, which are two soups.
    func printStore() async throws {
        let (accounts, contacts) = try await kit.store.read { reader in
            let accounts = try reader.query(.all("accounts", orderedBy: "Name", pageSize: 100)).entries
            let contacts = try reader.query(.all("contacts", orderedBy: "LastName", pageSize: 100)).entries
            return (accounts, contacts)
        }
        print("the store has:")
        printTrees(accounts.map(\.json.value), contacts.map(\.json.value))
    }

    /// Prints the trees in the org.
    func printServer() throws {
        print("the server has:")
        func records(_ object: String, orderedBy field: String) throws -> [JSONValue] {
            try org.state(of: object).sorted { ($0[field]?.stringValue ?? "") < ($1[field]?.stringValue ?? "") }
        }
        printTrees(try records("Account", orderedBy: "Name"), try records("Contact", orderedBy: "LastName"))
    }

    /// Prints a line for each account, with its contacts.
    private func printTrees(_ accounts: [JSONValue], _ contacts: [JSONValue]) {
        func text(_ record: JSONValue, _ field: String) -> String { record[field]?.stringValue ?? "none" }
        for account in accounts {
            let children = contacts.filter { $0["AccountId"] == account["Id"] }
                .map { "\(text($0, "LastName")) (\(text($0, "Title")))" }
            print("  \(text(account, "Name")), \(text(account, "BillingCity")): \(children.joined(separator: ", "))")
        }
    }
}
