// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools

internal import ArgumentParser

/// The kinds of plug-ins that `soup new` creates.
enum PluginKind: String, CaseIterable, ExpressibleByArgument, Sendable {
    case target, backend, resolver

    /// The end of the type's name: `WeatherTarget`.
    var typeSuffix: String {
        switch self {
        case .target: "Target"
        case .backend: "Store"
        case .resolver: "Resolver"
        }
    }

    /// The kind in a sentence.
    var noun: String {
        switch self {
        case .target: "sync-down target"
        case .backend: "store backend"
        case .resolver: "conflict resolver"
        }
    }

    /// The label of the registry's method.
    var label: String {
        switch self {
        case .target: "down"
        case .backend: "store"
        case .resolver: "resolver"
        }
    }

    /// The article about plug-ins of the kind, and its path from the folder of a plug-in of SoupKit.
    var guide: (title: String, path: String) {
        let articles = "../../Sources/SoupTesting/SoupTesting.docc"
        return switch self {
        case .target: ("Writing a sync target", "\(articles)/Writing-a-sync-target.md")
        case .backend: ("Writing a store backend", "\(articles)/Writing-a-store-backend.md")
        case .resolver: ("ConflictResolvers", "../ConflictResolvers/README.md")
        }
    }

    /// The rows of the table of configuration keys.
    var keys: [String] {
        switch self {
        case .target:
            [
                "| `path` | the path of the list on the server; required |",
                "| `pageSize` | the number of records of a page, 1 to 1000; 100 by default |",
                "| `connection` | the connection of `org.json` to the server; the org by default |",
            ]
        case .backend:
            [
                "| `store` | the store that contains the soups; required |",
                "| `limit` | the largest number of records of a batch; 10000 by default |",
            ]
        case .resolver: ["| `field` | the field to compare; required |"]
        }
    }

    /// Returns a working object of the plug-in in a configuration.
    func sample(_ name: String) -> String {
        switch self {
        case .target: #"{"type": "\#(name)", "path": "/\#(name)"}"#
        case .backend: #"{"type": "\#(name)", "store": {"type": "sqlite"}}"#
        case .resolver: #"{"type": "\#(name)", "field": "Description"}"#
        }
    }

    /// Returns a `userstore.json` that fits to ``syncs(_:)``.
    func store(_ name: String) -> String {
        let backend = self == .backend ? "  \"backend\": \(sample(name)),\n" : ""
        let soup = self == .target ? "records" : "contacts"
        let id = self == .target ? "id" : "Id"
        return """
            {
            \(backend)  "soups": [
                {
                  "soupName": "\(soup)",
                  "indexes": [
                    { "path": "\(id)", "type": "string" },
                    { "path": "__local__", "type": "string" },
                    { "path": "__sync_id__", "type": "integer" }
                  ]
                }
              ]
            }

            """
    }

    /// The name of the sync in ``syncs(_:connected:)``.
    var syncName: String { self == .target ? "fetchRecords" : "fetchContacts" }

    /// Returns an `org.json` with the connection of ``syncs(_:connected:)``; nil if the plug-in sends no requests.
    func org(_ name: String) -> String? {
        guard self == .target else { return nil }
        return """
            {
              "connections": {
                "\(name)": {"baseURL": "https://\(name.lowercased()).example.com/api"}
              }
            }

            """
    }

    /// Returns a `usersyncs.json` with the plug-in, or with a common sync.
    ///
    /// - Parameter isConnected: whether a target names the connection of ``org(_:)``.
    func syncs(_ name: String, connected isConnected: Bool) -> String {
        let isTarget = self == .target
        let connection = isConnected ? #""connection": "\#(name)", "# : ""
        let target =
            isTarget
            ? #"{"type": "\#(name)", \#(connection)"path": "/\#(name)"}"#
            : #"{"type": "soql", "query": "SELECT LastName, Description FROM Contact"}"#
        let resolver = self == .resolver ? #", "conflictResolver": \#(sample(name))"# : ""
        let mode = self == .resolver ? "MERGE" : "LEAVE_IF_CHANGED"
        return """
            {
              "syncs": [
                {
                  "syncName": "\(syncName)",
                  "syncType": "syncDown",
                  "soupName": "\(isTarget ? "records" : "contacts")",
                  "target": \(target),
                  "options": {"mergeMode": "\(mode)"\(resolver)}
                }
              ]
            }

            """
    }
}

#endif
