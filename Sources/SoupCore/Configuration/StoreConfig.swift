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
        /// The name, which must be valid (``SoupName/isValid``) and differ from those of the other soups.
        public var name: SoupName
        /// The index specs, at least one, in the order of registration.
        public var indexes: [IndexSpec]

        /// Creates a soup without checks: the store checks it when it registers the soup.
        public init(_ name: SoupName, _ indexes: [IndexSpec]) {
            self.name = name
            self.indexes = indexes
        }
    }

    /// The backend that stores the soups, and its configuration.
    public struct Backend: Sendable, Hashable {
        /// The registered name of the backend, such as `sqlite`.
        public var type: PluginName
        /// The whole object, from which the backend's configuration is decoded.
        public var configuration: JSONValue

        /// Creates a backend in code; `configuration` need not repeat the type.
        public init(type: PluginName, configuration: JSONValue = [:]) {
            self.type = type
            self.configuration = configuration
        }
    }

    /// The soups in the order of the file.
    public var soups: [Soup]
    /// The backend; nil if the file names none, which means the standard backend of SoupKit.
    public var backend: Backend?

    /// Creates a configuration in code instead of from a file; nothing is checked.
    public init(soups: [Soup] = [], backend: Backend? = nil) {
        self.soups = soups
        self.backend = backend
    }

    /// The soup with a name; nil if the configuration has none.
    public subscript(soup: SoupName) -> Soup? { soups.first { $0.name == soup } }
}
