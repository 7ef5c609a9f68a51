// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// The report of one decoding run: the faults, and the keys of each object that were read.
///
/// All decoders and containers of a run share it, on one thread.
final class DecodingReport {
    /// Whether a fault is recorded and replaced by a placeholder; otherwise it is thrown.
    var isCollecting = false
    /// The folder of the file that is decoded; nil if the value comes from code.
    let folder: String?
    /// The registry for the stores that the value names; nil if they are not checked.
    let registry: PluginRegistry?
    /// The soups of the store; nil if they are unknown.
    let soups: Set<SoupName>?
    /// Whether messages do not repeat values, which can be secrets.
    let hidesValues: Bool
    /// Records the requests of the type that is decoded; nil if they are not needed.
    var trace: DecodingTrace?
    private(set) var problems: [ConfigurationProblem] = []
    private var objects: [[ConfigurationStep]: ObjectKeys] = [:]
    private var order: [[ConfigurationStep]] = []

    private struct ObjectKeys {
        var present: [String]
        var read: Set<String> = []
        /// Whether a reader iterated over the keys itself, so that none of them is unknown.
        var areAllRead = false
    }

    /// The keys of the outermost object that are read elsewhere.
    private let readElsewhere: Set<String>

    /// The keys of the object of a plug-in that its own configuration need not read.
    ///
    /// Some name the plug-in and are read before its own configuration. The mobile SDKs allow the others in every
    /// target, even if it does not use them.
    static let pluginKeys = Set(
        TargetReference.classKeys + ["type", "idFieldName", "modificationDateFieldName"])

    /// The keys that name an app's own class on another platform, whose target has its own keys.
    private static let classesElsewhere = Set(TargetReference.classKeys).subtracting(["swiftImpl"])

    init(
        folder: String? = nil, registry: PluginRegistry? = nil, soups: Set<SoupName>? = nil,
        hidesValues: Bool = false, readElsewhere: Set<String> = []
    ) {
        self.readElsewhere = readElsewhere
        self.folder = folder
        self.registry = registry
        self.soups = soups
        self.hidesValues = hidesValues
    }

    /// Adds the problems of an error, unless they were added before.
    func add(_ error: any Error, at path: [ConfigurationStep]) {
        for problem in ConfigurationProblem.all(in: error, at: path) where !problems.contains(problem) {
            problems.append(problem)
        }
    }

    /// Adds problems, unless they were added before.
    func add(_ found: [ConfigurationProblem]) {
        for problem in found where !problems.contains(problem) { problems.append(problem) }
    }

    /// Records that the keys of an object are going to be read.
    func begin(_ path: [ConfigurationStep], keys: [String]) {
        if objects[path] == nil { order.append(path) }
        objects[path, default: ObjectKeys(present: keys)].present = keys
    }

    /// Records that a key was read, whether it is present or not.
    func read(_ key: String, at path: [ConfigurationStep]) { objects[path]?.read.insert(key) }

    /// Records that a reader iterated over all keys of an object.
    func readAllKeys(at path: [ConfigurationStep]) { objects[path]?.areAllRead = true }

    /// Returns a warning for every unread key that resembles a key that was read and is absent.
    func misspellings() -> [ConfigurationProblem] {
        collect { ConfigurationProblem.misspellings(in: $0, known: $1, at: $2) }
    }

    /// Returns a warning for every key that was not read.
    ///
    /// If a target names a class of another platform, it can have keys of that class: of its own keys, only
    /// misspellings are reported.
    func unreadKeys() -> [ConfigurationProblem] {
        let root = order.first
        let keys = root.flatMap { objects[$0]?.present } ?? []
        let isShared = keys.contains(where: Self.classesElsewhere.contains)
        return collect { present, known, path in
            isShared && path == root
                ? ConfigurationProblem.misspellings(in: present, known: known, at: path)
                : ConfigurationProblem.unknownKeys(in: present, known: known.sorted(), at: path)
        }
    }

    /// Collects problems from the objects whose keys were read by name.
    ///
    /// Passes the present keys without those that are read elsewhere, the keys that were read, and the place of the
    /// object.
    private func collect(
        _ check: ([String], Set<String>, [ConfigurationStep]) -> [ConfigurationProblem]
    ) -> [ConfigurationProblem] {
        order.flatMap { path -> [ConfigurationProblem] in
            guard let keys = objects[path], !keys.areAllRead else { return [] }
            let exempt = path == order.first ? readElsewhere : []
            return check(keys.present.filter { !exempt.contains($0) }, keys.read, path)
        }
    }
}
