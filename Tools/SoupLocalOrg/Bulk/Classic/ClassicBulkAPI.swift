// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import SoupCore

/// The checks and error responses that are common to Bulk API 1.0.
struct ClassicBulkAPI {
    let context: OrgContext

    static let unknownPath = OrgError(404, "InvalidUrl", message: "Destination URL not found")

    /// Answers a request below `/services/async`.
    ///
    /// - Parameter dispatch: answers by the table of routes.
    func answer(_ request: OrgRequest, _ dispatch: (OrgRequest) throws -> OrgAnswer) throws -> OrgAnswer {
        let format = ClassicFormat(for: request, in: context)
        do {
            if let fault = request.bodyFault { throw fault }
            try authenticate(request)
            let path = request.segments.dropFirst(2)
            guard let version = path.first, isSupported(version), path.dropFirst().first == "job" else {
                throw Self.unknownPath
            }
            context.apiPath = "/services/data/v\(version)"
            return try dispatch(request)
        } catch let error as OrgError {
            return format.answer(error)
        }
    }

    /// Returns the job with an ID from a path.
    ///
    /// - Throws: ``OrgError`` for an unknown ID.
    func job(_ id: String) throws -> ClassicJob {
        guard let job = RecordID.normalized(id).flatMap({ context.org.bulk.classicJobs[$0] }) else {
            throw OrgError(400, "InvalidJob", message: "Unable to find job: \(id)")
        }
        return job
    }

    private func authenticate(_ request: OrgRequest) throws {
        var request = request
        if let token = request.header("X-SFDC-Session") { request.headers[.authorization] = "Bearer \(token)" }
        do {
            try Authentication(context: context).authenticate(request)
        } catch let error as OrgError where error.status == 401 {
            throw OrgError(401, "InvalidSessionId", message: "Invalid session id")
        } catch let error as OrgError where error.items.first?.code == "REQUEST_LIMIT_EXCEEDED" {
            throw OrgError(error.status, "ExceededQuota", message: error.items.first?.message ?? "")
        }
    }

    /// Returns whether a version is supported: clients of this API use old versions, so all versions that had it are.
    private func isSupported(_ version: String) -> Bool {
        guard version.hasSuffix(".0"), let number = Int(version.dropLast(2)), "\(number).0" == version else {
            return false
        }
        let latest = context.org.definition.apiVersions.compactMap { Double($0) }.max() ?? 0
        return number >= 16 && Double(number) <= latest
    }
}

/// A handler of Bulk API 1.0, which reports a verb that a resource does not have in its own way.
protocol ClassicHandler: ResourceHandler {}

extension ClassicHandler {
    func refuseMethod(_ request: OrgRequest, allowed methods: [String]) throws -> OrgAnswer {
        throw OrgError(405, "InvalidOperation", message: "\(request.method) is not allowed here")
    }
}
