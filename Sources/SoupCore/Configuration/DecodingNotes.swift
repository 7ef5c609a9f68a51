// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// What a decoding run notes on its way: faults, and which keys of which objects somebody asked for.
///
/// Shared by all decoders and containers of one run, on one thread.
final class DecodingNotes {
    /// Whether a fault is noted and passed over with a placeholder; else it is thrown.
    var isCollecting = false
    /// The folder of the file that is decoded; nil if the value comes from code.
    let folder: String?
    private(set) var problems: [ConfigurationProblem] = []
    private var visits: [[ConfigurationStep]: Visit] = [:]
    private var order: [[ConfigurationStep]] = []

    private struct Visit {
        var present: [String]
        var asked: Set<String> = []
        /// True when a reader went through the keys itself: then none of them is unknown.
        var takesAny = false
    }

    /// Keys that choose the plug-in and are read before its own configuration, and those that the mobile SDKs let every
    /// target have, whether it does anything with them or not.
    private static let readElsewhere = Set(
        TargetReference.classKeys + ["type", "idFieldName", "modificationDateFieldName"])

    /// With one of these a target is an app's own class on another platform, which has keys of its own.
    private static let classesElsewhere = Set(TargetReference.classKeys).subtracting(["swiftImpl"])

    init(folder: String? = nil) { self.folder = folder }

    func note(_ error: any Error, at path: [ConfigurationStep]) {
        for problem in ConfigurationProblem.all(in: error, at: path) where !problems.contains(problem) {
            problems.append(problem)
        }
    }

    func visited(_ path: [ConfigurationStep], keys: [String]) {
        if visits[path] == nil { order.append(path) }
        visits[path, default: Visit(present: keys)].present = keys
    }

    func asked(_ key: String, at path: [ConfigurationStep]) { visits[path]?.asked.insert(key) }

    func tookAny(at path: [ConfigurationStep]) { visits[path]?.takesAny = true }

    /// A warning for every key that nobody asked for and that resembles one that was asked for in vain.
    func misspellings() -> [ConfigurationProblem] {
        visited { ConfigurationProblem.misspellings(in: $0, known: $1, at: $2) }
    }

    /// A warning for every key that nobody asked for.
    ///
    /// Of a target that names a class of another platform only misspellings count.
    func unreadKeys() -> [ConfigurationProblem] {
        let root = order.first.flatMap { visits[$0]?.present } ?? []
        guard !root.contains(where: Self.classesElsewhere.contains) else { return misspellings() }
        return visited { ConfigurationProblem.unknownKeys(in: $0, known: $1.sorted(), at: $2) }
    }

    /// Goes through the objects whose keys were asked for by name: the keys that they have, without those that others
    /// read, the keys that were asked for, and where the object is.
    private func visited(
        _ problems: ([String], Set<String>, [ConfigurationStep]) -> [ConfigurationProblem]
    ) -> [ConfigurationProblem] {
        order.flatMap { path -> [ConfigurationProblem] in
            guard let visit = visits[path], !visit.takesAny else { return [] }
            return problems(visit.present.filter { !Self.readElsewhere.contains($0) }, visit.asked, path)
        }
    }
}

extension ConfigurationProblem {
    /// A warning for every key that is not known, where nobody else's keys are to be expected.
    ///
    /// Keys that begin as notes do (`_comment`, `//`, `#`, `$schema`) are nobody's slip.
    ///
    /// - Parameter others: keys that are passed over in silence.
    static func unknownKeys(
        in present: [String], known: [String], others: Set<String> = [], at path: [ConfigurationStep]
    ) -> [ConfigurationProblem] {
        let absent = known.filter { !present.contains($0) }
        let unknown = present.filter { !known.contains($0) && !others.contains($0) && !isNote($0) }
        return unknown.map { key in
            let list = known.isEmpty ? "Remove it." : NameDistance.list(of: known)
            let twin = NameDistance.nearest(to: key, in: known).map { "\"\($0)\" is there too, and counts. \(list)" }
            return ConfigurationProblem(
                .warning, at: Place(path: (path + [.key(key)]).text), "the key \"\(key)\" is not known and is ignored",
                hint: NameDistance.nearest(to: key, in: absent).map { "Did you mean \"\($0)\"?" } ?? twin ?? list)
        }
    }

    private static func isNote(_ key: String) -> Bool { ["_", "//", "#", "$"].contains(where: key.hasPrefix) }

    /// A warning for every key that is not known and resembles a known one that is absent.
    static func misspellings(
        in present: [String], known: Set<String>, at path: [ConfigurationStep]
    ) -> [ConfigurationProblem] {
        let absent = known.subtracting(present)
        return present.filter { !known.contains($0) }.compactMap { key in
            guard let meant = NameDistance.nearest(to: key, in: absent) else { return nil }
            return ConfigurationProblem(
                .warning, at: Place(path: (path + [.key(key)]).text), "the key \"\(key)\" is not known and is ignored",
                hint: "Did you mean \"\(meant)\"?")
        }
    }
}
