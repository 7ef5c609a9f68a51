// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

extension StoreConfig {
    /// Reads a store configuration, and finds all faults in it.
    ///
    /// No store is opened. The result contains the readable parts of a faulty soup, so that syncs over it are not
    /// reported too. If `problems` contains an error, do not apply the result. The result is nil only if the file is
    /// not a JSON object.
    ///
    /// - Parameters:
    ///   - file: the name of the file in problems.
    ///   - registry: the registry with the backends.
    public static func read(
        _ bytes: [UInt8], file: String, registry: PluginRegistry
    ) -> (config: StoreConfig?, problems: [ConfigurationProblem]) {
        let text = ConfigurationDocument(bytes, file: file)
        var problems: [ConfigurationProblem] = []
        var config: StoreConfig?
        if let json = text.json,
            let root = ConfigurationReader(json, at: [], keys: ["soups", "backend"], problems: &problems)
        {
            let soups = soups(in: root, problems: &problems)
            let names = Set(soups.map(\.name))
            config = StoreConfig(
                soups: soups, backend: backend(in: root, soups: names, registry: registry, problems: &problems))
        }
        return (config, text.located(problems))
    }

    private static func soups(
        in root: ConfigurationReader, problems: inout [ConfigurationProblem]
    ) -> [Soup] {
        let hint = "Add \"soups\" with an array; [] for none."
        let values = root.array("soups", hint: hint, problems: &problems) ?? []
        var firsts: [SoupName: Int] = [:]
        var soups: [Soup] = []
        for (index, value) in values.enumerated() {
            let path = root.at("soups") + [.index(index)]
            guard let soup = soup(value, at: path, problems: &problems) else { continue }
            if let first = firsts[soup.name] {
                problems.append(
                    ConfigurationProblem(
                        at: SoupError.Place(path: (path + [.key("soupName")]).text),
                        "the soup name \"\(soup.name)\" is already used by soups[\(first)]",
                        hint: "Rename one of the two, or merge their indexes."))
            } else {
                firsts[soup.name] = index
                soups.append(soup)
            }
        }
        return soups
    }

    private static func soup(
        _ value: JSONValue, at path: [ConfigurationStep], problems: inout [ConfigurationProblem]
    ) -> Soup? {
        guard
            let reader = ConfigurationReader(
                value, at: path, keys: ["soupName", "indexes"], others: ["features"], problems: &problems)
        else { return nil }
        let name = reader.text("soupName", hint: "Add \"soupName\" with the name of the soup.", problems: &problems)
            .map { SoupName($0) }
        if let name, !name.isValid {
            problems.append(
                ConfigurationProblem(
                    .error, code: .badSoupName, at: reader.place("soupName"),
                    "\"\(name)\" cannot be the name of a soup",
                    hint: "Remove :, {, } and control characters, which Smart SQL does not allow in names."))
        }
        if let name, SoupName.reserved.contains(name) {
            problems.append(
                ConfigurationProblem(
                    .error, code: .badSoupName, at: reader.place("soupName"),
                    "\"\(name)\" is reserved: syncs store their state in the soup of that name",
                    hint: "Rename the soup, or remove it: syncs create their own soups."))
        }
        let indexes = indexes(of: reader, problems: &problems)
        return name.map { Soup($0, indexes) }
    }

    private static func indexes(
        of soup: ConfigurationReader, problems: inout [ConfigurationProblem]
    ) -> [IndexSpec] {
        let hint = "Add \"indexes\" with at least one {\"path\": ..., \"type\": ...}."
        guard let values = soup.array("indexes", hint: hint, problems: &problems) else { return [] }
        if values.isEmpty {
            problems.append(
                ConfigurationProblem(
                    .error, code: .noIndexSpecs, at: soup.place("indexes"), "the soup has no indexes", hint: hint))
        }
        var firsts: [JSONPath: Int] = [:]
        var specs: [IndexSpec] = []
        for (index, value) in values.enumerated() {
            let path = soup.at("indexes") + [.index(index)]
            guard let spec = indexSpec(value, at: path, problems: &problems) else { continue }
            if let first = firsts[spec.path] {
                problems.append(
                    ConfigurationProblem(
                        .warning, at: SoupError.Place(path: (path + [.key("path")]).text),
                        "the path \"\(spec.path)\" is already indexed by indexes[\(first)]",
                        hint: "Remove one of the two."))
            } else {
                firsts[spec.path] = index
            }
            specs.append(spec)
        }
        return specs
    }

    private static func indexSpec(
        _ value: JSONValue, at path: [ConfigurationStep], problems: inout [ConfigurationProblem]
    ) -> IndexSpec? {
        guard
            let reader = ConfigurationReader(
                value, at: path, keys: ["path", "type"], others: ["columnName"], problems: &problems)
        else { return nil }
        let target = reader.text("path", hint: "Add \"path\" with the path to index.", problems: &problems)
        let kind = reader.choice("type", of: IndexSpec.Kind.self, what: "index type", problems: &problems)
        guard let target, let kind else { return nil }
        let spec = IndexSpec(JSONPath(target), kind)
        do {
            try spec.check()
        } catch {
            problems.append(
                ConfigurationProblem(
                    .error, code: error.code, at: reader.place("path"), error.message, hint: error.hint
                ))
        }
        return spec
    }

    private static func backend(
        in root: ConfigurationReader, soups: Set<SoupName>, registry: PluginRegistry,
        problems: inout [ConfigurationProblem]
    ) -> Backend? {
        guard let value = root.object["backend"], !value.isNull else { return nil }
        let path = root.at("backend")
        let known = NameDistance.list(of: registry.storeBackends.map(\.name.rawValue))
        guard let reader = ConfigurationReader(value, at: path, keys: nil, problems: &problems),
            let type = reader.text("type", hint: "Add \"type\". \(known)", problems: &problems)
        else { return nil }
        let backend = Backend(type: PluginName(type), configuration: value)
        // Prepare the backend only for the problems in its configuration. It opens nothing until it is called, and it
        // is never called here.
        var context = StoreContext(folder: URL(filePath: "."))
        context.soups = soups.isEmpty ? nil : soups
        _ = registry.backend(backend.type, configuration: value, at: path, context: context, problems: &problems)
        return backend
    }
}
