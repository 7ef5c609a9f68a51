// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// A store configuration: `userstore.json` or `globalstore.json`.
///
/// ```json
/// { "backend": { "type": "sqlite", "path": "contacts.db" },
///   "soups": [ { "soupName": "contacts", "indexes": [ { "path": "Id", "type": "string" } ] } ] }
/// ```
public struct StoreConfig: Sendable, Hashable {
    /// A soup and its index specs.
    public struct Soup: Sendable, Hashable {
        /// Valid as a name (``SoupName/isValid``), and different from those of the other soups.
        public var name: SoupName
        /// At least one, in the order in which they are registered.
        public var indexes: [IndexSpec]

        /// Nothing is checked here: the store does it when it registers the soup.
        public init(_ name: SoupName, _ indexes: [IndexSpec]) {
            self.name = name
            self.indexes = indexes
        }
    }

    /// Which backend keeps the soups, and its configuration.
    public struct Backend: Sendable, Hashable {
        /// The name that the backend is registered under, such as `sqlite`.
        public var type: PluginName
        /// The whole object: what the backend's configuration is decoded from.
        public var configuration: JSONValue

        /// A backend chosen in code; `configuration` need not repeat the type.
        public init(type: PluginName, configuration: JSONValue = [:]) {
            self.type = type
            self.configuration = configuration
        }

        /// SQLite in a file of the configuration's folder.
        public static let standard = Backend(type: "sqlite")
    }

    /// In the order of the file.
    public var soups: [Soup]
    /// Nil when the file does not choose; then it is Backend/standard.
    public var backend: Backend?

    /// A configuration made in code instead of a file; nothing is checked.
    public init(soups: [Soup] = [], backend: Backend? = nil) {
        self.soups = soups
        self.backend = backend
    }

    /// The soup of that name; nil when the configuration has none.
    public subscript(soup: SoupName) -> Soup? { soups.first { $0.name == soup } }
}
