// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
package import SoupCore

extension SalesforceClient {
    /// Sends subrequests as one composite request, in which each is independent except for its references.
    ///
    /// - Parameter subrequests: at most ``CompositeSubrequest/maximum``.
    /// - Returns: the response, of any status; read it with `subanswers(to:)`.
    package func composite(_ subrequests: [CompositeSubrequest]) async throws -> HTTPAnswer {
        let body = JSONText.object([
            ("allOrNone", .false), ("compositeRequest", .array(subrequests.map(\.json))),
        ])
        return try await send(.post, "\(apiPath)/composite", json: body)
    }

    /// Sends graphs in one request; the caller must make sure that they fit.
    ///
    /// See `CompositeGraph.fits(_:nodes:graphs:)`.
    package func compositeGraphs(_ graphs: [CompositeGraph]) async throws -> HTTPAnswer {
        try await send(
            .post, "\(apiPath)/composite/graph", json: .object([("graphs", .array(graphs.map(\.json)))]))
    }
}
