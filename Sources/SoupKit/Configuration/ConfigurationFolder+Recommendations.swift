// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
public import SoupCore

extension ConfigurationFolder {
    /// Returns advice about settings that are correct, but for which there is a better choice.
    ///
    /// No request is sent.
    ///
    /// - Parameter registry: contains the targets that the files name.
    public func recommendations(registry: PluginRegistry = .standard) async -> [String] {
        var names: [String] = []
        for definition in StoreScope.allCases.flatMap({ self[$0].syncs?.syncs ?? [] })
        where definition.type == .syncDown && deletes == nil {
            var problems: [ConfigurationProblem] = []
            guard let target = registry.downTarget(definition.target, problems: &problems),
                await target.canReportDeletions(of: definition)
            else { continue }
            names.append(definition.name ?? definition.soup.rawValue)
        }
        guard !names.isEmpty else { return [] }
        return [
            "\(names.joined(separator: ", ")): entries stay after their records were deleted on the server, until "
                + "`soup clean-ghosts` is run. To find deletions in each run, add \"deletes\": \"incremental\" to "
                + "\(Self.orgFile), or to the targets."
        ]
    }
}

extension SyncDownTarget {
    /// Returns whether the target reports deletions only if the setting of the folder asks for it.
    fileprivate func canReportDeletions(of definition: SyncDefinition) async -> Bool {
        var context = SyncContext(transport: NoRequests(), soup: definition.soup, options: definition.options)
        do {
            guard try await deletions(since: nil, level: 0, in: context) == nil else { return false }
            context.deletes = .incremental
            return try await deletions(since: nil, level: 0, in: context) != nil
        } catch {
            return false
        }
    }
}

/// A transport that sends nothing: a target reports whether it supports deletions without a request.
private struct NoRequests: HTTPTransport {
    func send(_ request: HTTPRequest, body: [UInt8]?) async throws -> HTTPAnswer { throw NoServer.error }
}
