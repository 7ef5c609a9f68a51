// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The transport that `org.json` chooses.
enum OrgTransport {
    static let key = "transport"

    /// Reads the choice and checks it against the registry.
    ///
    /// - Parameters:
    ///   - file: the content of `org.json`; nil if there is none.
    ///   - folder: the folder of the file; relative paths in the file start there.
    ///   - problems: receives the problems of the choice; problems of the file as a whole are found with the
    ///     credentials.
    /// - Returns: nil if the file chooses no transport, or one that cannot be created.
    static func read(
        _ file: ConfigurationDocument?, in folder: String, registry: PluginRegistry,
        problems: inout [ConfigurationProblem]
    ) -> TransportReference? {
        guard let file, let choice = file.json?[key], !choice.isNull else { return nil }
        let reference = TransportReference(choice)
        var found: [ConfigurationProblem] = []
        // Created only to check its options; it sends nothing.
        let transport = registry.transport(reference, at: [.key(key)], in: folder, problems: &found)
        if transport != nil, let warning = StandardTransport.warning(of: reference) { found.append(warning) }
        if !found.isEmpty {
            let known = Set(problems)
            problems += file.located(found).filter { !known.contains($0) }
        }
        return transport == nil ? nil : reference
    }
}

extension TransportReference {
    /// The password in the URL of the proxy, as in `http://user:password@proxy.example`, as written and decoded.
    var proxySecrets: [String] {
        guard let url = json["proxy"]?.stringValue else { return [] }
        let address = url.firstRange(of: "://").map { url[$0.upperBound...] } ?? url[...]
        let authority = address.prefix { !"/?#".contains($0) }
        guard let at = authority.lastIndex(of: "@"), let colon = authority[..<at].firstIndex(of: ":") else { return [] }
        let written = String(authority[authority.index(after: colon)..<at])
        guard !written.isEmpty else { return [] }
        let decoded = URLComponents(string: "http://user:\(written)@proxy.example")?.password
        return [written] + (decoded.map { [$0] } ?? [])
    }
}
