// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools

/// A file of `Templates`, with names in double braces.
enum ScaffoldTemplate: Sendable {
    case target, targetTests, backend, backendTests, resolver, resolverTests
    case module, entry, command, catalog, repositoryReadme
    case pluginPackage, pluginReadme, commandPackage, commandReadme, ignored

    private var bytes: [UInt8] {
        switch self {
        case .target: PackageResources.Target_txt
        case .targetTests: PackageResources.TargetTests_txt
        case .backend: PackageResources.Backend_txt
        case .backendTests: PackageResources.BackendTests_txt
        case .resolver: PackageResources.Resolver_txt
        case .resolverTests: PackageResources.ResolverTests_txt
        case .module: PackageResources.Module_txt
        case .entry: PackageResources.Entry_txt
        case .command: PackageResources.Command_txt
        case .catalog: PackageResources.Catalog_txt
        case .repositoryReadme: PackageResources.RepositoryReadme_txt
        case .pluginPackage: PackageResources.PluginPackage_txt
        case .pluginReadme: PackageResources.PluginReadme_txt
        case .commandPackage: PackageResources.CommandPackage_txt
        case .commandReadme: PackageResources.CommandReadme_txt
        case .ignored: PackageResources.Ignored_txt
        }
    }

    /// Returns the template with each name in double braces replaced by its value.
    func filled(_ values: [String: String]) -> String {
        let parts = String(decoding: bytes, as: UTF8.self).split(separator: "{{", omittingEmptySubsequences: false)
        return parts.dropFirst().reduce(String(parts.first ?? "")) { text, part in
            guard let end = part.firstRange(of: "}}"), let value = values[String(part[..<end.lowerBound])] else {
                return text + "{{" + part
            }
            return text + value + part[end.upperBound...]
        }
    }
}

extension PluginKind {
    /// The template of the type.
    var template: ScaffoldTemplate {
        switch self {
        case .target: .target
        case .backend: .backend
        case .resolver: .resolver
        }
    }

    /// The template of its tests.
    var testTemplate: ScaffoldTemplate {
        switch self {
        case .target: .targetTests
        case .backend: .backendTests
        case .resolver: .resolverTests
        }
    }
}

#endif
