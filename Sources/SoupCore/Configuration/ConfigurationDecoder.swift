// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// Decodes a part of a configuration and notes everything that is wrong with it, with places.
///
/// A key that is missing or of the wrong type is noted, and decoding goes on with a placeholder, so that one run finds
/// the faults behind it too. A key that nobody asked for is no fault, since files carry keys for other platforms; a
/// warning says so when it looks like a misspelling of one that was asked for and is absent.
public enum ConfigurationDecoder {
    /// - Parameters:
    ///   - path: where `value` is in its file.
    ///   - problems: gains one problem for everything that is wrong. With at least one error the result is nil.
    public static func decode<T: Decodable>(
        _ type: T.Type, from value: JSONValue, at path: [ConfigurationStep] = [],
        problems: inout [ConfigurationProblem]
    ) -> T? {
        attempt(type, from: value, at: path, warnsOfAllUnread: false, problems: &problems).value
    }

    /// As ``decode(_:from:at:problems:)``, and warns of every key that the type does not ask for.
    package static func decodeWhole<T: Decodable>(
        _ type: T.Type, from value: JSONValue, problems: inout [ConfigurationProblem]
    ) -> T? {
        attempt(type, from: value, warnsOfAllUnread: true, problems: &problems).value
    }

    /// As ``decode(_:from:at:problems:)``; a draft is what could be read of a value that is not right, with
    /// placeholders for the rest.
    ///
    /// - Parameters:
    ///   - warnsOfAllUnread: whether to warn of every key that nobody asked for, whatever it looks like. Of a value
    ///     that is not right only misspellings are told: nobody knows what else would have been asked for.
    ///   - folder: the folder of the file, which relative paths start from; nil for a value from code.
    static func attempt<T: Decodable>(
        _ type: T.Type, from value: JSONValue, at path: [ConfigurationStep] = [], warnsOfAllUnread: Bool,
        in folder: String? = nil, problems: inout [ConfigurationProblem]
    ) -> (value: T?, draft: T?) {
        let notes = DecodingNotes(folder: folder)
        let root = ConfigurationValueDecoder(value: value, path: path, notes: notes)
        defer {
            let isWhole = warnsOfAllUnread && !notes.isCollecting
            problems += notes.problems + (isWhole ? notes.unreadKeys() : notes.misspellings())
        }
        // The first pass stops at the first fault, like any decoder: a type that tries several forms of a value with
        // `try?` sees the failures that it expects. Only when that pass fails does the second one collect.
        do {
            return (try root.unbox(type), nil)
        } catch let first {
            notes.isCollecting = true
            let draft = try? root.unboxOrPlaceholder(type)
            if notes.problems.isEmpty { notes.note(first, at: path) }
            return (nil, draft)
        }
    }
}
