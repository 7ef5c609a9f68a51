// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

package import SoupCore

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// The files of plug-ins that `org.json` names, for a program that loads them; apps ignore them.
package struct OrgPlugins: Sendable {
    static let key = "plugins"

    private let document: ConfigurationDocument?
    /// The paths in the order of the file; relative ones start from its folder.
    package private(set) var paths: [String] = []
    /// The problems of the list; those of the file as a whole are found with the credentials.
    package private(set) var problems: [ConfigurationProblem] = []

    /// Reads the list in the `org.json` of a folder.
    package init(in folder: URL) { self.init(OrgFile(ConfigurationFiles(folder.filePath), environment: [:]).document) }

    init(_ document: ConfigurationDocument?) {
        self.document = document
        guard let list = document?.json?[Self.key], !list.isNull else { return }
        var found: [ConfigurationProblem] = []
        let paths = ConfigurationDecoder.decodeWhole(
            [String].self, from: list, at: [.key(Self.key)], problems: &found)
        for (index, path) in (paths ?? []).enumerated() where path.isEmpty {
            found.append(
                ConfigurationProblem(
                    at: Self.place(of: index), "the path is empty", hint: "Write the path of the plug-in's library."))
        }
        self.paths = found.isEmpty ? paths ?? [] : []
        if !found.isEmpty { problems = document?.located(found) ?? found }
    }

    /// Returns the error of a plug-in that cannot be loaded, with its line in the file.
    package func located(_ error: SoupError, at index: Int) -> ConfigurationError {
        let problem = ConfigurationProblem(
            code: error.code, at: Self.place(of: index), error.message, hint: error.hint)
        return ConfigurationError(document?.located([problem]) ?? [problem])
    }

    private static func place(of index: Int) -> SoupError.Place {
        SoupError.Place(path: [ConfigurationStep.key(key), .index(index)].text)
    }
}
