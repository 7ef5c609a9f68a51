// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

extension SyncsConfig {
    /// Reads a configuration of syncs, and finds all faults in it.
    ///
    /// The targets are created only to check their configuration. If `problems` contains an error, the result contains
    /// the readable parts and must not be applied.
    ///
    /// - Parameters:
    ///   - file: the name of the file in problems.
    ///   - registry: the registry with the targets.
    ///   - soups: the soups that the syncs can use.
    ///   - connections: the names of the connections that targets can use; nil if they are unknown.
    public static func read(
        _ bytes: [UInt8], file: String, registry: PluginRegistry, soups: Soups, connections: Set<String>? = nil
    ) -> (config: SyncsConfig, problems: [ConfigurationProblem]) {
        let text = ConfigurationDocument(bytes, file: file)
        var problems: [ConfigurationProblem] = []
        var config = SyncsConfig()
        if let json = text.json, let root = ConfigurationReader(json, at: [], keys: ["syncs"], problems: &problems) {
            let values =
                root.array("syncs", hint: "Add \"syncs\" with an array; [] for none.", problems: &problems) ?? []
            var checks = SyncChecks(connections: connections, soups: soups)
            for (index, value) in values.enumerated() {
                let path = root.at("syncs") + [.index(index)]
                let sync = SyncReading(value, at: path, registry: registry, checks: &checks, problems: &problems)
                    .definition
                if let sync { config.syncs.append(sync) }
            }
            checks.pushedFields.finish(problems: &problems)
            checks.transforms.finish(problems: &problems)
        }
        return (config, text.located(problems))
    }
}

/// The names of the syncs that were read, to find repeated ones.
private struct SyncNames {
    private var firsts: [String: String] = [:]

    mutating func note(_ name: String, at path: [ConfigurationStep], problems: inout [ConfigurationProblem]) {
        if let first = firsts[name] {
            problems.append(
                ConfigurationProblem(
                    .error, code: .syncNameTaken, at: SoupError.Place(path: (path + [.key("syncName")]).text),
                    "the sync name \"\(name)\" is already used by \(first)",
                    hint: "Rename one of the two."))
        } else {
            firsts[name] = path.text
        }
    }
}

/// The checks that compare the syncs of the file with each other and with the soups of the store.
private struct SyncChecks {
    /// The known connections; nil if they are unknown.
    let connections: Set<String>?
    var names = SyncNames()
    var soups: SoupCheck
    var sharedSoups = SharedSoupCheck()
    var pushedFields = PushedFieldCheck()
    var transforms: TransformCheck

    init(connections: Set<String>?, soups: SyncsConfig.Soups) {
        self.connections = connections
        self.soups = SoupCheck(soups: soups)
        transforms = TransformCheck(soups: soups)
    }
}

/// The reading of one sync of the file.
private struct SyncReading {
    /// The definition; nil if a required part is missing.
    private(set) var definition: SyncDefinition?

    private static let keys = ["syncName", "syncType", "soupName", "target", "options"]

    init(
        _ value: JSONValue, at path: [ConfigurationStep], registry: PluginRegistry, checks: inout SyncChecks,
        problems: inout [ConfigurationProblem]
    ) {
        guard let reader = ConfigurationReader(value, at: path, keys: Self.keys, problems: &problems) else { return }
        let name = reader.text("syncName", hint: "Add \"syncName\" with the name of the sync.", problems: &problems)
        if let name { checks.names.note(name, at: path, problems: &problems) }
        let type = reader.choice("syncType", of: SyncType.self, what: "sync type", problems: &problems)
        let soup = reader.text("soupName", hint: "Add \"soupName\" with the soup to sync.", problems: &problems)
            .map { SoupName($0) }
        let options = Self.options(of: reader, registry: registry, problems: &problems)
        let reference = Self.target(of: reader, type: type, problems: &problems)
        var target: SyncTarget?
        if let reference, let type {
            target = Self.resolve(
                reference, type: type, at: reader.at("target"), registry: registry, problems: &problems)
        } else if let reference {
            problems += registry.problemsInEitherDirection(reference, at: reader.at("target"))
        }
        problems += (target?.problems(options) ?? []).map { $0.within(reader.at("target")) }
        if let name = target?.connectionName, let known = checks.connections, !known.contains(name) {
            problems.append(Self.unknownConnection(name, known: known, at: reader.at("target")))
        }
        checks.soups.check(soup, target: target, mode: options.mergeMode, sync: reader, problems: &problems)
        if let name, let soup, let target {
            checks.sharedSoups.check(target, of: name, soup: soup, at: reader.at("target"), problems: &problems)
            checks.pushedFields.note(target, of: name, soup: soup, options: options, at: path)
            checks.transforms.note(
                target, of: name, soup: soup, options: options, registry: registry, at: path, problems: &problems)
        } else {
            // The transforms have options of their own, whose faults do not depend on the other parts of the sync.
            for (index, reference) in options.transforms.enumerated() {
                let place = reader.at("options") + [.key("transforms"), .index(index)]
                _ = registry.recordTransform(reference, at: place, problems: &problems)
            }
        }
        guard let name, let type, let soup, let reference else { return }
        definition = SyncDefinition(name: name, type: type, soup: soup, target: reference, options: options)
    }

    private static func unknownConnection(
        _ name: String, known: Set<String>, at target: [ConfigurationStep]
    ) -> ConfigurationProblem {
        ConfigurationProblem(
            .error, code: .connectionNotDefined,
            at: SoupError.Place(path: (target + [.key("connection")]).text),
            "there is no connection \"\(name.excerpt(100))\"",
            hint: known.isEmpty
                ? "Add it to \"connections\" in org.json." : NameDistance.hint(for: name, among: known.sorted()))
    }

    /// Returns the target object; a sync up without one uses the default target, as on iOS.
    private static func target(
        of sync: ConfigurationReader, type: SyncType?, problems: inout [ConfigurationProblem]
    ) -> TargetReference? {
        if type == .syncUp, sync.object["target"]?.isNull ?? true { return TargetReference([:]) }
        let hint = "Add \"target\" with an object that specifies the source of the records."
        guard let value = sync.required("target", hint: hint, problems: &problems) else { return nil }
        guard value.objectValue != nil else {
            ConfigurationReader.recordMismatch(
                expected: "an object", found: value, at: sync.at("target"), problems: &problems)
            return nil
        }
        var named = true
        for key in TargetReference.classKeys + ["type"] {
            guard let name = value[key], name.stringValue == nil, !name.isNull else { continue }
            ConfigurationReader.recordMismatch(
                expected: "a string", found: name, at: sync.at("target") + [.key(key)], problems: &problems)
            named = false
        }
        return named ? TargetReference(value) : nil
    }

    private static func options(
        of sync: ConfigurationReader, registry: PluginRegistry, problems: inout [ConfigurationProblem]
    ) -> SyncOptions {
        let path = sync.at("options")
        let value = sync.object["options"] ?? .null
        let standard = SyncOptions().mergeMode
        if value.isNull {
            problems.append(
                ConfigurationProblem(
                    .warning, at: SoupError.Place(path: path.text),
                    "the sync has no options; \(standard.rawValue) is assumed",
                    hint: "Add \"options\": {\"mergeMode\": \(MergeMode.quoted([standard]))}, "
                        + "or \(MergeMode.quoted(MergeMode.allCases.filter { $0 != standard }))."))
            return SyncOptions()
        }
        let keys = ["mergeMode", "fieldlist", "conflictResolver", "transforms", "removeAllGhosts"]
        guard let reader = ConfigurationReader(value, at: path, keys: keys, problems: &problems) else {
            return SyncOptions()
        }
        var options = SyncOptions()
        options.mergeMode = mergeMode(in: reader, problems: &problems) ?? standard
        if let list = reader.object["fieldlist"], !list.isNull {
            options.fieldlist = ConfigurationDecoder.decode(
                [String].self, from: list, at: reader.at("fieldlist"), problems: &problems)
        }
        if let all = reader.object["removeAllGhosts"], !all.isNull {
            options.removesAllGhosts =
                ConfigurationDecoder.decode(
                    Bool.self, from: all, at: reader.at("removeAllGhosts"), problems: &problems) ?? false
        }
        options.conflictResolver = resolver(
            in: reader, mode: options.mergeMode, registry: registry, problems: &problems)
        if let list = reader.object["transforms"], !list.isNull {
            options.transforms =
                (reader.array("transforms", hint: "Write a list of transforms.", problems: &problems) ?? [])
                .map { TransformReference($0) }
        }
        return options
    }

    private static func mergeMode(
        in options: ConfigurationReader, problems: inout [ConfigurationProblem]
    ) -> MergeMode? {
        guard options.object["mergeMode"]?.isNull ?? true else {
            return options.choice("mergeMode", of: MergeMode.self, what: "merge mode", problems: &problems)
        }
        problems.append(
            ConfigurationProblem(
                .warning, at: options.place("mergeMode"),
                "the sync has no merge mode; \(SyncOptions().mergeMode.rawValue) is assumed",
                hint: "Add \"mergeMode\": \(MergeMode.quoted(MergeMode.allCases))."))
        return nil
    }

    private static func resolver(
        in options: ConfigurationReader, mode: MergeMode, registry: PluginRegistry,
        problems: inout [ConfigurationProblem]
    ) -> ResolverReference? {
        guard let value = options.object["conflictResolver"], !value.isNull else { return nil }
        guard value.stringValue != nil || value.objectValue != nil else {
            ConfigurationReader.recordMismatch(
                expected: "a name or an object", found: value, at: options.at("conflictResolver"), problems: &problems)
            return nil
        }
        let reference = ResolverReference(value)
        _ = registry.conflictResolver(reference, at: options.at("conflictResolver"), problems: &problems)
        if !mode.usesConflictResolver {
            let modes = MergeMode.allCases.filter(\.usesConflictResolver)
            problems.append(
                ConfigurationProblem(
                    .warning, at: options.place("conflictResolver"),
                    "the conflict resolver is not used with the merge mode \(mode.rawValue)",
                    hint: "Set \"mergeMode\": \(MergeMode.quoted(modes)), or remove the resolver."))
        }
        return reference
    }

    private static func resolve(
        _ target: TargetReference, type: SyncType, at path: [ConfigurationStep], registry: PluginRegistry,
        problems: inout [ConfigurationProblem]
    ) -> SyncTarget? {
        switch type {
        case .syncDown: registry.downTarget(target, at: path, problems: &problems).map { SyncTarget($0) }
        case .syncUp: registry.upTarget(target, at: path, problems: &problems).map { SyncTarget($0) }
        }
    }
}
