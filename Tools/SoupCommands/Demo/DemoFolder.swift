// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools

internal import Foundation
internal import SoupKit

/// A temporary folder with the configuration of an app.
struct DemoFolder: Sendable {
    let path: String

    /// Creates the folder and writes the configuration files.
    ///
    /// - Throws: errors of the file system.
    init(instanceURL: String, accessToken: String) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "soupkit-demo-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        path = folder.path
        try write(Self.store, "userstore.json")
        try write(Self.syncs, "usersyncs.json")
        let org: JSONValue = ["instanceUrl": .string(instanceURL), "accessToken": .string(accessToken)]
        try write(try org.jsonText().description + "\n", "org.json")
    }

    func remove() { try? FileManager.default.removeItem(atPath: path) }

    private func write(_ text: String, _ file: String) throws {
        try Data(text.utf8).write(to: URL(filePath: path).appending(path: file))
    }

    /// The soups of the app MobileSyncExplorer.
    private static let store = """
        {
          "soups": [
            {
              "soupName": "contacts",
              "indexes": [
                { "path": "Id", "type": "string" },
                { "path": "FirstName", "type": "string" },
                { "path": "LastName", "type": "string" },
                { "path": "__local__", "type": "string" },
                { "path": "__locally_created__", "type": "string" },
                { "path": "__locally_updated__", "type": "string" },
                { "path": "__locally_deleted__", "type": "string" }
              ]
            }
          ]
        }

        """

    /// The syncs of the app MobileSyncExplorer.
    private static let syncs = """
        {
          "syncs": [
            {
              "syncName": "syncDownContacts",
              "syncType": "syncDown",
              "soupName": "contacts",
              "target": {
                "type": "soql",
                "query": "SELECT FirstName, LastName, Title, MobilePhone, Email, Department, HomePhone FROM Contact LIMIT 10000"
              },
              "options": { "mergeMode": "OVERWRITE" }
            },
            {
              "syncName": "syncUpContacts",
              "syncType": "syncUp",
              "soupName": "contacts",
              "target": {
                "createFieldlist": [
                  "FirstName", "LastName", "Title", "MobilePhone", "Email", "Department", "HomePhone"
                ]
              },
              "options": {
                "fieldlist": [
                  "Id", "FirstName", "LastName", "Title", "MobilePhone", "Email", "Department", "HomePhone"
                ],
                "mergeMode": "LEAVE_IF_CHANGED"
              }
            }
          ]
        }

        """
}

#endif
