// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// The credential store that `org.json` chooses.
enum OrgCredentialStore {
    static let key = "credentials"

    /// Reads the choice and checks it against the registry; no session is read.
    ///
    /// - Parameters:
    ///   - file: the content of `org.json`; nil if there is none.
    ///   - folder: the folder of the file; relative paths in the file start there.
    ///   - problems: receives the problems of the choice; problems of the file as a whole are found with the
    ///     credentials.
    /// - Returns: nil if the file chooses no store, or one that cannot be created.
    static func read(
        _ file: ConfigurationDocument?, in folder: String, registry: PluginRegistry,
        problems: inout [ConfigurationProblem]
    ) -> CredentialStoreReference? {
        guard let file, let choice = file.json?[key], !choice.isNull else { return nil }
        let reference = CredentialStoreReference(choice)
        var found: [ConfigurationProblem] = []
        let store = registry.credentialStore(reference, at: [.key(key)], in: folder, problems: &found)
        if !found.isEmpty {
            let known = Set(problems)
            problems += file.located(found).filter { !known.contains($0) }
        }
        return store == nil ? nil : reference
    }
}
