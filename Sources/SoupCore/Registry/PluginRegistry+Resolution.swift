// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

extension PluginRegistry {
    /// Creates the sync-down target that a target object describes.
    ///
    /// A class name takes precedence over `type`. If there are class names and none of them is registered, that is a
    /// problem and `type` is not used: otherwise the wrong records could be synced without a message.
    ///
    /// - Parameters:
    ///   - path: the place of the object in its file, for the places of problems.
    ///   - problems: receives the faults; with an error the result is nil.
    public func downTarget(
        _ reference: TargetReference, at path: [ConfigurationStep] = [], problems: inout [ConfigurationProblem]
    ) -> (any SyncDownTarget)? {
        resolve(reference, in: downTargets, at: path, default: nil, problems: &problems)
    }

    /// Creates the sync-up target that a target object describes; one without a name means ``defaultUpTarget``.
    public func upTarget(
        _ reference: TargetReference, at path: [ConfigurationStep] = [], problems: inout [ConfigurationProblem]
    ) -> (any SyncUpTarget)? {
        resolve(reference, in: upTargets, at: path, default: defaultUpTarget, problems: &problems)
    }

    /// Creates the conflict resolver that the options of a sync name.
    ///
    /// - Parameter path: the place of the name or the object in its file.
    public func conflictResolver(
        _ reference: ResolverReference, at path: [ConfigurationStep] = [], problems: inout [ConfigurationProblem]
    ) -> (any ConflictResolver)? {
        named(reference.json, reference.name, in: resolvers, at: path, problems: &problems)
    }

    /// Creates a record transform that the options of a sync name.
    ///
    /// - Parameter path: the place of the name or the object in its file.
    public func recordTransform(
        _ reference: TransformReference, at path: [ConfigurationStep] = [], problems: inout [ConfigurationProblem]
    ) -> (any RecordTransform)? {
        named(reference.configuration, reference.name, in: transformTypes, at: path, problems: &problems)
    }

    /// Creates the transport that `org.json` or code names.
    ///
    /// - Parameters:
    ///   - path: the place of the name or the object in its file.
    ///   - folder: the folder of that file, which relative paths of the configuration start from, as
    ///     `Decoder.configurationPath(_:)` resolves them; nil for a reference from code.
    public func transport(
        _ reference: TransportReference, at path: [ConfigurationStep] = [], in folder: String? = nil,
        problems: inout [ConfigurationProblem]
    ) -> (any HTTPTransport)? {
        named(reference.json, reference.name, in: transportTypes, at: path, folder: folder, problems: &problems)
    }

    /// Creates the key provider that a store's configuration or code names.
    ///
    /// - Parameters:
    ///   - path: the place of the name or the object in its file.
    ///   - folder: the folder of that file, as for ``transport(_:at:in:problems:)``.
    public func keyProvider(
        _ reference: KeyReference, at path: [ConfigurationStep] = [], in folder: String? = nil,
        problems: inout [ConfigurationProblem]
    ) -> (any KeyProvider)? {
        let known = problems.count
        let provider = named(
            reference.json, reference.name, in: keyProviderTypes, at: path, folder: folder, problems: &problems)
        // An ignored option could mean another key.
        for index in problems.indices[known...] {
            let problem = problems[index]
            problems[index] = ConfigurationProblem(
                code: problem.code, at: problem.place, problem.message, hint: problem.hint)
        }
        return problems.count == known ? provider.map { commonKeyProvider ?? $0 } : nil
    }

    /// Creates a plug-in that a file gives by its name, or by an object with a `type` and options.
    func named<Plugin: Sendable>(
        _ json: JSONValue, _ name: PluginName?, in table: PluginTable<Plugin>, at path: [ConfigurationStep],
        folder: String? = nil, problems: inout [ConfigurationProblem]
    ) -> Plugin? {
        let isObject = json.objectValue != nil
        let place = SoupError.Place(path: (isObject ? path + [.key("type")] : path).text)
        guard let name else {
            let known = table.entries.map(\.name.rawValue).sorted().joined(separator: ", ")
            problems.append(
                ConfigurationProblem(
                    at: place, "the \(table.kind) has no name",
                    hint: "Write a name, or an object with a \"type\". Known: \(known)."))
            return nil
        }
        guard let entry = table.entry(named: name) else {
            problems.append(unknown(name, in: table, at: place))
            return nil
        }
        return entry.make(isObject ? json : [:], path, folder, &problems)
    }

    /// Prepares the store backend that a configuration describes; it is opened only when the result is called.
    ///
    /// - Parameter name: the backend's name in the configuration.
    public func backend(
        _ name: PluginName, configuration: JSONValue, at path: [ConfigurationStep] = [], context: StoreContext,
        problems: inout [ConfigurationProblem]
    ) -> OpenBackend? {
        guard let entry = backends[name] else {
            let known = backends.keys.sorted().map(\.rawValue)
            problems.append(
                ConfigurationProblem(
                    .error, code: .registry, at: SoupError.Place(path: (path + [.key("type")]).text),
                    "no store backend \"\(name)\" is registered",
                    hint: NameDistance.hint(for: name.rawValue, among: known)))
            return nil
        }
        var context = context
        context.registry = self
        let known = problems.count
        let open = entry.open(configuration, path, context, &problems)
        let unprotected = Self.requireEncryption(
            in: configuration, of: name, at: path, problems: &problems, from: known)
        return unprotected ? nil : open
    }

    /// Turns the warning for an ignored `encryption`, or a misspelling of it, into an error: records would be stored
    /// without the protection that the configuration asks for.
    ///
    /// - Returns: whether there was one.
    private static func requireEncryption(
        in configuration: JSONValue, of name: PluginName, at path: [ConfigurationStep],
        problems: inout [ConfigurationProblem], from known: Int
    ) -> Bool {
        let key = "encryption"
        var isIgnored = false
        for found in configuration.objectValue?.keys ?? [] {
            let place = SoupError.Place(path: (path + [.key(found)]).text)
            guard found == key || NameDistance.nearest(to: found, in: [key]) != nil,
                let index = problems[known...].firstIndex(where: { $0.place == place && $0.severity == .warning })
            else { continue }
            isIgnored = true
            problems[index] =
                found == key
                ? ConfigurationProblem(
                    at: place, "the backend \(name) does not encrypt its content",
                    hint: "Write \"encryption\" into the objects of its stores of the type sqlite, or use that backend."
                )
                : ConfigurationProblem(
                    at: place, "the key \"\(found)\" is not known, and the store would not be encrypted",
                    hint: "Did you mean \"\(key)\"?")
        }
        return isIgnored
    }

    /// Returns the problems of a target object whose direction is unknown: the names that neither direction has.
    func problemsInEitherDirection(
        _ reference: TargetReference, at path: [ConfigurationStep]
    ) -> [ConfigurationProblem] {
        func isKnown(_ name: PluginName) -> Bool {
            downTargets.entry(named: name) != nil || upTargets.entry(named: name) != nil
        }
        func problem(_ key: String, _ name: PluginName) -> ConfigurationProblem {
            UnknownPlugin(
                kind: "sync target", known: downTargets.entries.map(\.name) + upTargets.entries.map(\.name),
                candidates: candidates(for: name, in: downTargets.allNames + upTargets.allNames)
            ).problem(name, at: SoupError.Place(path: (path + [.key(key)]).text))
        }
        let classes = reference.classes
        if !classes.isEmpty {
            return classes.contains { isKnown($0.name) } ? [] : classes.map { problem($0.key, $0.name) }
        }
        guard let type = reference.type, !isKnown(type) else { return [] }
        return [type == "custom" ? Self.classIsMissing(at: path) : problem("type", type)]
    }

    /// Returns the error for a name that a table does not have.
    private func unknown<Plugin>(
        _ name: PluginName, in table: PluginTable<Plugin>, at place: SoupError.Place
    ) -> ConfigurationProblem {
        UnknownPlugin(
            kind: table.kind, known: table.entries.map(\.name), candidates: candidates(for: name, in: table.allNames)
        ).problem(name, at: place)
    }

    /// Returns the names that may have been intended; none for a known name, unless one of them differs only in case.
    private func candidates(for name: PluginName, in names: [PluginName]) -> [PluginName] {
        let lowercased = name.rawValue.lowercased()
        func isSame(_ other: PluginName) -> Bool { other.rawValue.lowercased() == lowercased }
        return knownNames.contains(where: isSame) && !names.contains(where: isSame) ? [] : names
    }

    private static func classIsMissing(at path: [ConfigurationStep]) -> ConfigurationProblem {
        ConfigurationProblem(
            at: SoupError.Place(path: (path + [.key("type")]).text), "a target of type \"custom\" must name its class",
            hint: "Add \"swiftImpl\", \"iOSImpl\" or \"androidImpl\" with a registered name.")
    }

    private func resolve<Plugin: Sendable>(
        _ reference: TargetReference, in table: PluginTable<Plugin>, at path: [ConfigurationStep],
        default fallback: PluginName?, problems: inout [ConfigurationProblem]
    ) -> Plugin? {
        let classes = reference.classes
        if let named = classes.lazy.compactMap({ table.entry(named: $0.name) }).first {
            return named.make(reference.json, path, nil, &problems)
        }
        guard classes.isEmpty else {
            problems += classes.map {
                unknown($0.name, in: table, at: SoupError.Place(path: (path + [.key($0.key)]).text))
            }
            return nil
        }
        guard let type = reference.type ?? fallback else {
            problems.append(
                ConfigurationProblem(
                    at: SoupError.Place(path: path.text), "the target has no \"type\"",
                    hint: "Add \"type\" with one of: "
                        + "\(table.entries.map(\.name.rawValue).sorted().joined(separator: ", "))."))
            return nil
        }
        if type == "custom" && table.entry(named: type) == nil {
            problems.append(Self.classIsMissing(at: path))
            return nil
        }
        guard let entry = table.entry(named: type) else {
            problems.append(unknown(type, in: table, at: SoupError.Place(path: (path + [.key("type")]).text)))
            return nil
        }
        return entry.make(reference.json, path, nil, &problems)
    }
}
