// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

extension RoutedStore {
    /// The options of the backend, next to `"type": "routed"` in `userstore.json`.
    ///
    /// ```json
    /// "backend": {
    ///   "type": "routed", "default": {"type": "sqlite"}, "stores": {"fast": {"type": "memory"}},
    ///   "routes": {"recent": "fast", "drafts": "fast", "notes": {"type": "sqlite"}}
    /// }
    /// ```
    public struct Configuration: Decodable, Sendable {
        /// The store of all soups without a route, and of the data of the syncs.
        public var main: StoreReference
        /// Stores with a name, for several soups each.
        public var stores: [String: StoreReference]
        /// The store of each soup that is not in the main store.
        public var routes: [SoupName: Route]

        /// The store of a soup: one of ``Configuration/stores``, or a store for this soup alone.
        public enum Route: Decodable, Sendable, Hashable {
            /// The name of a store in ``Configuration/stores``.
            case named(String)
            /// A store that only this soup uses; its name is that of the soup.
            case own(StoreReference)

            /// Reads a text as a name, and an object as a store.
            public init(from decoder: any Decoder) throws {
                let container = try decoder.singleValueContainer()
                let name = try container.decode(JSONValue.self).stringValue
                self = try name.map { .named($0) } ?? .own(container.decode(StoreReference.self))
            }
        }

        /// Creates a configuration in code; it is checked when the store is opened.
        public init(main: StoreReference, stores: [String: StoreReference] = [:], routes: [SoupName: Route] = [:]) {
            self.main = main
            self.stores = stores
            self.routes = routes
        }

        private enum CodingKeys: String, CodingKey {
            case main = "default"
            case stores, routes
        }

        /// Reads `default`, which is required, `stores` and `routes`.
        ///
        /// - Throws: `SoupError` with the place of a route that leads to no store, of a soup that cannot be routed, and
        ///   of two stores with the same file.
        public init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            let routes = try container.decodeIfPresent([String: Route].self, forKey: .routes) ?? [:]
            self.init(
                main: try container.decode(StoreReference.self, forKey: .main),
                stores: try container.decodeIfPresent([String: StoreReference].self, forKey: .stores) ?? [:],
                routes: Dictionary(uniqueKeysWithValues: routes.map { (SoupName($0.key), $0.value) }))
            try check()
            for soup in self.routes.keys.sorted() { decoder.warnIfUnknown(soup, at: "routes.\(soup)") }
        }

        /// - Throws: ``SoupError`` with `badConfiguration`.
        func check() throws {
            for (soup, route) in routes.sorted(by: { $0.key < $1.key }) {
                if SoupName.reserved.contains(soup) {
                    throw SoupError.fault(
                        "the soup \"\(soup)\" contains data of the syncs, which is always in the default store",
                        at: "routes.\(soup)", hint: "Remove the route.")
                }
                switch route {
                case .named(let name) where stores[name] == nil:
                    let known = stores.keys.sorted()
                    throw SoupError.fault(
                        "there is no store \"\(name)\"", at: "routes.\(soup)",
                        hint: known.isEmpty
                            ? "Write an object with the \"type\" of a store, or add \"stores\" with \"\(name)\"."
                            : NameDistance.hint(for: name, among: known))
                case .own where stores[soup.rawValue] != nil:
                    throw SoupError.fault(
                        "a store has the name of the soup, which has a store of its own", at: "routes.\(soup)",
                        hint: "Write \"\(soup)\" to use the store of that name, or rename the store.")
                default: continue
                }
            }
            try checkFiles()
        }

        /// Two connections to one file would wait for each other.
        private func checkFiles() throws {
            var names: Set<String> = []
            var paths: [String: String] = main.path.map { [$0: "default"] } ?? [:]
            for part in parts {
                guard names.insert(part.name.lowercased()).inserted else {
                    throw SoupError.fault(
                        "another store has the same name, apart from the case of letters", at: part.place,
                        hint: "Rename one of the two: the names are parts of the names of files.")
                }
                guard let path = part.reference.path else { continue }
                if let other = paths[path] {
                    throw SoupError.fault(
                        "the store has the same path as \"\(other)\"", at: part.place + ".path",
                        hint: "Use another path, or name one store in \"stores\" for several soups.")
                }
                paths[path] = part.place
            }
        }

        /// A store besides the main store.
        struct Part {
            var name: String
            /// The place of its object in the configuration.
            var place: String
            var reference: StoreReference
        }

        /// The stores besides the main store, sorted by name.
        var parts: [Part] {
            let named = stores.map { Part(name: $0.key, place: "stores.\($0.key)", reference: $0.value) }
            let own = routes.compactMap { soup, route -> Part? in
                guard case .own(let reference) = route else { return nil }
                return Part(name: soup.rawValue, place: "routes.\(soup)", reference: reference)
            }
            return (named + own).sorted { $0.name < $1.name }
        }

        /// Returns the paths of the files that the stores use.
        ///
        /// - Parameter stores: the open stores besides the main store, by name.
        func files(of stores: [String: any StoreBackend], in context: StoreContext) -> [String] {
            // A store that is not durable has no file, but its name may be that of a former one.
            let durable = parts.filter { stores[$0.name]?.capabilities.contains(.durable) ?? false }
            return durable.flatMap { part in
                let own = context.inner(part.name)
                return [own.path(configured: nil)] + part.reference.json.paths.map { own.path(configured: $0) }
            } + main.json.paths.map { context.path(configured: $0) }
        }

        /// The name of the store of each soup with a route.
        var storeNames: [SoupName: String] {
            Dictionary(
                uniqueKeysWithValues: routes.map { soup, route in
                    if case .named(let name) = route { (soup, name) } else { (soup, soup.rawValue) }
                })
        }
    }
}

extension JSONValue {
    /// The texts of all members `path`, also of stores inside of others.
    fileprivate var paths: [String] {
        if let elements = arrayValue { return elements.flatMap(\.paths) }
        return (objectValue?.members ?? []).flatMap { member in
            member.key == "path" ? [member.value.stringValue].compactMap { $0 } : member.value.paths
        }
    }
}

extension StoreReference {
    /// The type and the path of a store with a path; nil for one without.
    fileprivate var path: String? {
        guard let type, let path = json["path"]?.stringValue, !path.isEmpty else { return nil }
        let parts = path.split(separator: "/").filter { $0 != "." }.joined(separator: "/")
        return "\(type) \(path.hasPrefix("/") ? "/" : "")\(parts)"
    }
}
