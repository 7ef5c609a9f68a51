// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

extension ConfigurationProblem {
    /// Returns a warning for every unknown key, if the object does not belong to another platform.
    ///
    /// Keys that begin like a comment (`_comment`, `//`, `#`, `$schema`) are intentional and not reported.
    ///
    /// - Parameter others: keys that are ignored without a warning.
    static func unknownKeys(
        in present: [String], known: [String], others: Set<String> = [], at path: [ConfigurationStep]
    ) -> [ConfigurationProblem] {
        let absent = known.filter { !present.contains($0) }
        let unknown = present.filter { !known.contains($0) && !others.contains($0) && !isComment($0) }
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

    private static func isComment(_ key: String) -> Bool { ["_", "//", "#", "$"].contains(where: key.hasPrefix) }

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
