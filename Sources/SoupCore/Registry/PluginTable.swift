// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// The plug-ins of one kind by all their names.
struct PluginTable<Plugin: Sendable>: Sendable {
    typealias Make = @Sendable (JSONValue, [ConfigurationStep], inout [ConfigurationProblem]) -> Plugin?

    struct Entry: Sendable {
        var name: PluginName
        var aliases: [PluginName]
        var typeName: String
        var sample: JSONText?
        var make: Make
    }

    /// What an error calls the kind: `sync-down target`.
    let kind: String
    private(set) var entries: [Entry] = []
    private var byName: [PluginName: Int] = [:]

    init(kind: String) { self.kind = kind }

    mutating func register<Target: SyncPlugin>(
        _ type: Target.Type,
        make: @escaping @Sendable (JSONValue, [ConfigurationStep], inout [ConfigurationProblem]) -> Plugin?
    ) throws {
        let typeName = String(reflecting: type)
        let names = [Target.name] + Target.aliases
        for name in names {
            guard let taken = byName[name].map({ entries[$0].typeName }), taken != typeName else { continue }
            throw SoupError(.registry, "\(taken) and \(typeName) both claim the \(kind) name \"\(name)\"")
        }
        guard !entries.contains(where: { $0.typeName == typeName }) else { return }
        entries.append(
            Entry(name: Target.name, aliases: Target.aliases, typeName: typeName, sample: Target.sample, make: make))
        for name in names { byName[name] = entries.count - 1 }
    }

    func entry(named name: PluginName) -> Entry? { byName[name].map { entries[$0] } }

    /// The error for a name that nothing is registered under: it lists what is, and the nearest.
    func unknown(_ name: PluginName, at place: Place) -> ConfigurationProblem {
        let known = entries.map(\.name).sorted()
        let all = Array(byName.keys)
        let nearest = NameDistance.nearest(to: name.rawValue, in: all.map(\.rawValue))
        return ConfigurationProblem(
            .error, .registry, at: place, "no \(kind) \"\(name)\" is registered",
            hint: "Known: \(known.map(\.rawValue).joined(separator: ", "))."
                + (nearest.map { " Did you mean \"\($0)\"?" } ?? ""))
    }
}
