// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools

internal import SoupKit

/// The names in a new plug-in, all made from one.
struct ScaffoldName: Sendable, Hashable {
    /// As given, without the suffix of the kind: `Weather`.
    let base: String
    /// `WeatherTarget`.
    let type: String
    /// `WeatherTargets`.
    let module: String
    /// The name in configuration files, and of variables: `weather`.
    let plugin: String

    /// - Throws: ``SoupError`` with `badArgument` if the text cannot be the name of a Swift type.
    init(_ text: String, kind: PluginKind) throws {
        let letters = text.utf8.allSatisfy { ($0 | 0x20) >= 0x61 && ($0 | 0x20) <= 0x7A || ($0 >= 0x30 && $0 <= 0x39) }
        guard let first = text.unicodeScalars.first, first.properties.isAlphabetic, letters, text.count <= 50 else {
            throw SoupError(
                "badArgument", "\"\(text)\" cannot be the name of a plug-in",
                hint: "Use a name of letters and digits that begins with a letter, such as Weather.")
        }
        var base = text.prefix(1).uppercased() + text.dropFirst()
        for suffix in [kind.typeSuffix + "s", kind.typeSuffix] where base.count > suffix.count && base.hasSuffix(suffix)
        {
            base = String(base.dropLast(suffix.count))
            break
        }
        self.base = base
        type = base + kind.typeSuffix
        module = type + "s"
        // SOQL is soql, and HTTPCache is httpCache.
        let capitals = base.prefix { $0.isUppercase }.count
        let lowered = capitals == base.count ? capitals : max(1, capitals - 1)
        plugin = base.prefix(lowered).lowercased() + base.dropFirst(lowered)
    }
}

#endif
