// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// What a decoding run notes on its way: faults, and which keys of which objects somebody asked for.
///
/// Shared by all decoders and containers of one run, on one thread.
final class DecodingNotes {
    /// Whether a fault is noted and passed over with a placeholder; else it is thrown.
    var isCollecting = false
    private(set) var problems: [ConfigurationProblem] = []
    private var visits: [[ConfigurationStep]: Visit] = [:]
    private var order: [[ConfigurationStep]] = []

    private struct Visit {
        var present: [String]
        var asked: Set<String> = []
        /// True when a reader went through the keys itself: then none of them is unknown.
        var takesAny = false
    }

    /// Keys of a target that choose the plug-in and are read before its own configuration.
    private static let readElsewhere = Set(TargetReference.classKeys + ["type"])

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
        order.flatMap { path -> [ConfigurationProblem] in
            guard let visit = visits[path], !visit.takesAny else { return [] }
            return ConfigurationProblem.misspellings(
                in: visit.present.filter { !Self.readElsewhere.contains($0) }, known: visit.asked, at: path)
        }
    }
}

extension ConfigurationProblem {
    /// A warning for every key that is not known, where nobody else's keys are to be expected.
    ///
    /// - Parameter others: keys that are passed over in silence.
    static func unknownKeys(
        in present: [String], known: [String], others: Set<String> = [], at path: [ConfigurationStep]
    ) -> [ConfigurationProblem] {
        let absent = known.filter { !present.contains($0) }
        return present.filter { !known.contains($0) && !others.contains($0) }.map { key in
            let nearest = NameDistance.nearest(to: key, in: absent)
            return ConfigurationProblem(
                .warning, at: Place(path: (path + [.key(key)]).text), "the key \"\(key)\" is not known and is ignored",
                hint: nearest.map { "Did you mean \"\($0)\"?" } ?? "Known: \(known.joined(separator: ", ")).")
        }
    }

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
