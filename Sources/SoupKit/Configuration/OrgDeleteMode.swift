// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// The `deletes` of `org.json`: the default of all sync downs of the folder whose targets support it.
enum OrgDeleteMode {
    static let key = "deletes"

    /// Reads the choice.
    ///
    /// - Parameters:
    ///   - file: the content of `org.json`; nil if there is none.
    ///   - problems: receives the problem of an unknown value.
    /// - Returns: nil if the file chooses nothing.
    static func read(_ file: ConfigurationDocument?, problems: inout [ConfigurationProblem]) -> DeleteMode? {
        guard let file, let choice = file.json?[key], !choice.isNull else { return nil }
        var found: [ConfigurationProblem] = []
        let mode = ConfigurationDecoder.decodeWhole(
            DeleteMode.self, from: choice, at: [.key(key)], problems: &found)
        problems += file.located(found)
        return found.isEmpty ? mode : nil
    }
}
