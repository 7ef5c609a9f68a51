// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// The notes of one decoding run: the faults, and the keys of each object that were read.
///
/// All decoders and containers of a run share them, on one thread.
final class DecodingNotes {
    /// Whether a fault is recorded and replaced by a placeholder; otherwise it is thrown.
    var isCollecting = false
    /// The folder of the file that is decoded; nil if the value comes from code.
    let folder: String?
    private(set) var problems: [ConfigurationProblem] = []
    private var visits: [[ConfigurationStep]: Visit] = [:]
    private var order: [[ConfigurationStep]] = []

    private struct Visit {
        var present: [String]
        var asked: Set<String> = []
        /// Whether a reader iterated over the keys itself: then none of them is unknown.
        var takesAny = false
    }

    /// The keys that are read elsewhere.
    ///
    /// Some choose the plug-in and are read before its own configuration. The others are those that the mobile SDKs
    /// allow in every target, even if it does not use them.
    private static let readElsewhere = Set(
        TargetReference.classKeys + ["type", "idFieldName", "modificationDateFieldName"])

    /// The keys that name an app's own class on another platform, whose target has its own keys.
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

    /// Returns a warning for every unread key that resembles a key that was read and is absent.
    func misspellings() -> [ConfigurationProblem] {
        visited { ConfigurationProblem.misspellings(in: $0, known: $1, at: $2) }
    }

    /// Returns a warning for every key that was not read.
    ///
    /// If a target names a class of another platform, only misspellings are reported.
    func unreadKeys() -> [ConfigurationProblem] {
        let root = order.first.flatMap { visits[$0]?.present } ?? []
        guard !root.contains(where: Self.classesElsewhere.contains) else { return misspellings() }
        return visited { ConfigurationProblem.unknownKeys(in: $0, known: $1.sorted(), at: $2) }
    }

    /// Collects problems from the objects whose keys were read by name.
    ///
    /// Passes the present keys without those that are read elsewhere, the keys that were read, and the place of the
    /// object.
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
    /// Returns a warning for every unknown key, if the object does not belong to another platform.
    ///
    /// Keys that begin like a note (`_comment`, `//`, `#`, `$schema`) are intentional and not reported.
    ///
    /// - Parameter others: keys that are ignored without a warning.
    static func unknownKeys(
        in present: [String], known: [String], others: Set<String> = [], at path: [ConfigurationStep]
    ) -> [ConfigurationProblem] {
        let absent = known.filter { !present.contains($0) }
        let unknown = present.filter { !known.contains($0) && !others.contains($0) && !isNote($0) }
        return unknown.map { key in
            let list = known.isEmpty ? "Remove it." : NameDistance.list(of: known)
            let twin = NameDistance.nearest(to: key, in: known).map {
                "Remove it: \"\($0)\" is present too, and is used. \(list)"
            }
            return ConfigurationProblem(
                .warning, at: SoupError.Place(path: (path + [.key(key)]).text),
                "the key \"\(key)\" is not known and is ignored",
                hint: NameDistance.nearest(to: key, in: absent).map { "Did you mean \"\($0)\"?" } ?? twin ?? list)
        }
    }

    private static func isNote(_ key: String) -> Bool { ["_", "//", "#", "$"].contains(where: key.hasPrefix) }

    /// Returns a warning for every unknown key that resembles a known, absent one.
    static func misspellings(
        in present: [String], known: Set<String>, at path: [ConfigurationStep]
    ) -> [ConfigurationProblem] {
        let absent = known.subtracting(present)
        return present.filter { !known.contains($0) }.compactMap { key in
            guard let meant = NameDistance.nearest(to: key, in: absent) else { return nil }
            return ConfigurationProblem(
                .warning, at: SoupError.Place(path: (path + [.key(key)]).text),
                "the key \"\(key)\" is not known and is ignored",
                hint: "Did you mean \"\(meant)\"?")
        }
    }
}
