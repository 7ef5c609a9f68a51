// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// A decoder for a part of a configuration that collects every fault, with its place.
///
/// If a key is missing or of the wrong type, the decoder records it and continues with a placeholder, so that one run
/// finds the later faults too. A key that the type does not read is not a fault, because files contain keys for other
/// platforms. If it looks like a misspelling of a key that was read and is absent, the decoder adds a warning.
package enum ConfigurationDecoder {
    /// Decodes a value, and adds its faults to the problems.
    ///
    /// - Parameters:
    ///   - path: the place of `value` in its file.
    ///   - problems: receives one problem for each fault. With at least one error the result is nil.
    package static func decode<T: Decodable>(
        _ type: T.Type, from value: JSONValue, at path: [ConfigurationStep] = [],
        problems: inout [ConfigurationProblem]
    ) -> T? {
        attempt(type, from: value, at: path, warnsOfAllUnread: false, problems: &problems).value
    }

    /// Decodes as ``decode(_:from:at:problems:)``, and warns about every key that the type does not read.
    ///
    /// - Parameters:
    ///   - folder: the folder of the file, which relative paths start from; nil for a value from code.
    ///   - hidesValues: whether problems do not repeat values, which can be secrets.
    package static func decodeWhole<T: Decodable>(
        _ type: T.Type, from value: JSONValue, at path: [ConfigurationStep] = [], in folder: String? = nil,
        hidesValues: Bool = false, problems: inout [ConfigurationProblem]
    ) -> T? {
        attempt(
            type, from: value, at: path, warnsOfAllUnread: true, in: folder, hidesValues: hidesValues,
            problems: &problems
        ).value
    }

    /// Decodes as ``decode(_:from:at:problems:)``, and returns a draft of a faulty value, with placeholders.
    ///
    /// - Parameters:
    ///   - warnsOfAllUnread: whether to warn about every key that the type does not read, whatever its name. For a
    ///     faulty value only misspellings are reported, because the keys that decoding would have read are unknown.
    ///   - folder: the folder of the file, which relative paths start from; nil for a value from code.
    ///   - registry: the plug-ins for the stores that the value names; nil to leave them unchecked.
    ///   - soups: the soups of the store; nil if they are unknown.
    ///   - hidesValues: whether problems do not repeat values.
    ///   - readElsewhere: keys of the object that other code reads.
    static func attempt<T: Decodable>(
        _ type: T.Type, from value: JSONValue, at path: [ConfigurationStep] = [], warnsOfAllUnread: Bool,
        in folder: String? = nil, registry: PluginRegistry? = nil, soups: Set<SoupName>? = nil,
        hidesValues: Bool = false, readElsewhere: Set<String> = [], problems: inout [ConfigurationProblem]
    ) -> (value: T?, draft: T?) {
        let report = DecodingReport(
            folder: folder, registry: registry, soups: soups, hidesValues: hidesValues, readElsewhere: readElsewhere)
        let root = ConfigurationValueDecoder(value: value, path: path, report: report)
        defer {
            let isWhole = warnsOfAllUnread && !report.isCollecting
            problems += report.problems + (isWhole ? report.unreadKeys() : report.misspellings())
        }
        // The first pass stops at the first fault, like any decoder, so that a type that tries several forms of a value
        // with `try?` gets the expected failures. Only if that pass fails, the second one collects.
        do {
            return (try root.unbox(type), nil)
        } catch let first {
            report.isCollecting = true
            let draft = try? root.unboxOrPlaceholder(type)
            if report.problems.allSatisfy({ $0.severity == .warning }) { report.add(first, at: path) }
            return (nil, draft)
        }
    }
}
