// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// The transport that `org.json` chooses.
enum OrgTransport {
    private static let key = "transport"

    /// Reads the choice and checks it against the registry.
    ///
    /// - Parameter problems: gains the problems of the choice; those of the file as a whole are found with the
    ///   credentials.
    /// - Returns: nil if the file chooses none, or one that cannot be made.
    static func read(
        _ files: ConfigurationFiles, registry: PluginRegistry, problems: inout [ConfigurationProblem]
    ) -> TransportReference? {
        guard case .present(let bytes) = files.read(ConfigurationFolder.orgFile) else { return nil }
        let file = ConfigurationDocument(bytes, file: ConfigurationFolder.orgFile)
        guard let choice = file.json?[key], !choice.isNull else { return nil }
        let reference = TransportReference(choice)
        var found: [ConfigurationProblem] = []
        // Made to check its options; it sends nothing.
        let transport = registry.transport(reference, at: [.key(key)], problems: &found)
        if !found.isEmpty {
            let known = Set(problems)
            problems += file.located(found).filter { !known.contains($0) }
        }
        return transport == nil ? nil : reference
    }
}
