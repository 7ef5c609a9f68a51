// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// A store configuration: `userstore.json` or `globalstore.json` (SmartStore specification 1.6).
///
/// ```json
/// { "backend": { "type": "sqlite", "path": "contacts.db" },
///   "soups": [ { "soupName": "contacts", "indexes": [ { "path": "Id", "type": "string" } ] } ] }
/// ```
public struct StoreConfig: Sendable, Hashable {
    /// A soup and its index specs.
    public struct Soup: Sendable, Hashable {
        public var name: SoupName
        public var indexes: [IndexSpec]

        public init(_ name: SoupName, _ indexes: [IndexSpec]) {
            self.name = name
            self.indexes = indexes
        }
    }

    /// Which backend keeps the soups, and its configuration.
    public struct Backend: Sendable, Hashable {
        public var type: PluginName
        /// The whole object: what the backend's configuration is decoded from.
        public var configuration: JSONValue

        public init(type: PluginName, configuration: JSONValue = [:]) {
            self.type = type
            self.configuration = configuration
        }

        /// SQLite in a file of the configuration's folder.
        public static let standard = Backend(type: "sqlite")
    }

    public var soups: [Soup]
    /// Nil when the file does not choose; then it is Backend/standard.
    public var backend: Backend?

    public init(soups: [Soup] = [], backend: Backend? = nil) {
        self.soups = soups
        self.backend = backend
    }

    public subscript(soup: SoupName) -> Soup? { soups.first { $0.name == soup } }
}
