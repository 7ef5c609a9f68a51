// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// The plug-ins of one kind by their names and aliases.
struct PluginTable<Plugin: Sendable>: Sendable {
    /// A function that creates a plug-in from a value, its place in the file, and the folder of the file.
    typealias Make = @Sendable (JSONValue, [ConfigurationStep], String?, inout [ConfigurationProblem]) -> Plugin?

    struct Entry: Sendable {
        var name: PluginName
        var aliases: [PluginName]
        var type: ObjectIdentifier
        var typeName: String
        var sample: JSONText?
        /// The type that the options are decoded to.
        var configuration: any (Decodable & Sendable).Type
        var make: Make
    }

    /// The name of the kind in errors: `sync-down target`.
    let kind: String
    private(set) var entries: [Entry] = []
    private var byName: [PluginName: Int] = [:]

    init(kind: String) { self.kind = kind }

    mutating func register<Target: SyncPlugin>(
        _ type: Target.Type, make: @escaping Make
    ) throws {
        let typeName = String(reflecting: type)
        let names = [Target.name] + Target.aliases
        for name in names {
            guard let taken = byName[name].map({ entries[$0] }), taken.type != ObjectIdentifier(type) else { continue }
            throw SoupError(
                .registry, "\(taken.typeName) and \(typeName) both claim the \(kind) name \"\(name)\"",
                hint: "Rename one of them, or register only one.")
        }
        guard !entries.contains(where: { $0.type == ObjectIdentifier(type) }) else { return }
        entries.append(
            Entry(
                name: Target.name, aliases: Target.aliases, type: ObjectIdentifier(type), typeName: typeName,
                sample: Target.sample, configuration: Target.Configuration.self, make: make))
        for name in names { byName[name] = entries.count - 1 }
    }

    func entry(named name: PluginName) -> Entry? { byName[name].map { entries[$0] } }

    /// The names and aliases that `entry(named:)` finds.
    var allNames: [PluginName] { Array(byName.keys) }
}

/// The error for an unregistered name.
struct UnknownPlugin {
    /// The name of the kind in errors: `sync-down target`.
    var kind: String
    /// The names to list.
    var known: [PluginName]
    /// The names that may have been intended.
    var candidates: [PluginName]

    func problem(_ name: PluginName, at place: SoupError.Place) -> ConfigurationProblem {
        ConfigurationProblem(
            .error, code: .registry, at: place, "no \(kind) \"\(name)\" is registered",
            hint: NameDistance.hint(
                for: name.rawValue, among: Set(known).sorted().map(\.rawValue), orMeaning: candidates.map(\.rawValue)))
    }
}
