// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools

internal import ArgumentParser
internal import SoupKit

/// The command `soup targets`.
struct Targets: SoupCommand {
    static let configuration = CommandConfiguration(abstract: "List the registered sync targets.")

    @Argument(help: "The name or alias of a target; by default all targets.")
    var name: String?

    @Flag(help: "Print working target objects, one per line, to paste into a configuration.")
    var sample = false

    @OptionGroup var options: GlobalOptions

    func perform(_ console: Console) async throws {
        let all = ToolPlugins.registry.targets
        let found = all.filter { target in
            name.map { target.name.rawValue == $0 || target.aliases.contains(PluginName($0)) } ?? true
        }
        if let name, found.isEmpty {
            let known = Set(all.map(\.name.rawValue)).sorted()
            throw SoupError(
                .registry, "no sync target \"\(name)\" is registered",
                hint: NameDistance.question(for: name, among: known))
        }
        if sample { return found.compactMap(\.sample).forEach(console.emit) }
        var table = TextTable(["direction", "type", "also known as", "Swift type"])
        for target in found {
            console.event(target.json)
            table.add([
                target.kind.rawValue, target.name.rawValue, target.aliases.first?.rawValue ?? "", target.typeName,
            ])
            for alias in target.aliases.dropFirst() { table.add(["", "", alias.rawValue]) }
        }
        console.table(table, ifEmpty: "no target is registered")
    }
}

extension PluginDescription {
    /// `{"kind", "name", "aliases", "type", "sample"?}`.
    var json: JSONValue {
        var object: JSONObject = [
            "kind": .string(kind.rawValue), "name": .string(name.rawValue),
            "aliases": .array(aliases.map { .string($0.rawValue) }), "type": .string(typeName),
        ]
        object["sample"] = sample?.value
        return .object(object)
    }
}

#endif
