// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import SoupCore

/// Answers requests by the table of routes, after the checks that are common to an API.
struct RequestDispatcher {
    let context: OrgContext

    /// Answers any request; an error that a resource throws becomes a response.
    func answer(_ request: OrgRequest) throws -> OrgAnswer {
        var answer: OrgAnswer
        do {
            answer = try admit(request)
        } catch let error as OrgError {
            answer = OrgAnswer(error)
            if error.status == 401 { answer.headers.append(("WWW-Authenticate", "Token")) }
        }
        if context.isCounted {
            let org = context.org
            let usage = "api-usage=\(org.dailyLimit.calls(at: org.clock.now))/\(org.options.dailyLimit)"
            answer.headers.append(("Sforce-Limit-Info", usage))
        }
        return answer
    }

    /// Runs the checks of the API to which the path belongs, then the resource.
    private func admit(_ request: OrgRequest) throws -> OrgAnswer {
        try Self.checkSize(request)
        let request = request.withRequestedMethod
        let path = request.segments
        let isClassicBulk = path.starts(with: ["services", "async"])
        if let fault = request.bodyFault, !isClassicBulk { throw fault }
        switch (path.first, path.dropFirst().first) {
        case ("_emu", _):
            guard context.org.options.admin else { throw OrgError.notFound }
            try request.checkAdministrationParameters()
            return try dispatch(request)
        case ("services", "data") where path.count > 2:
            if Self.isRetired(path[2]) {
                throw OrgError(
                    410, "UNSUPPORTED_API_VERSION", message: "The API version \(path[2]) has been retired")
            }
            try Authentication(context: context).authenticate(request)
            return try answerVersioned(request)
        case ("services", "async"): return try ClassicBulkAPI(context: context).answer(request, dispatch)
        case ("services", "oauth2"):
            do {
                return try dispatch(request)
            } catch let refusal as OAuthRefusal {
                return refusal.answer
            }
        default: return try dispatch(request)
        }
    }

    /// Answers a request by the first route that matches its path.
    private func dispatch(_ request: OrgRequest) throws -> OrgAnswer {
        for resource in Routes.all {
            if let path = resource.match(request, in: context) {
                return try resource.answer(request, path: path, in: context)
            }
        }
        throw OrgError.notFound
    }

    // MARK: The versioned API

    /// Answers a request below `/services/data/vXX.X`.
    private func answerVersioned(_ request: OrgRequest) throws -> OrgAnswer {
        try enterVersion(request.segments[2])
        if Self.acceptsOnlyXML(request.header("Accept")) {
            throw OrgError(406, "NOT_ACCEPTABLE", message: "This org answers in JSON: accept application/json")
        }
        let folder = request.segments.dropFirst(3).first
        let takesAnyType = folder == "jobs" || (folder == "sobjects" && MultipartBody.isMultipart(request))
        if !takesAnyType, !request.body.isEmpty, let type = request.header("Content-Type")?.lowercased(),
            !type.contains("json")
        {
            throw OrgError(
                415, "UNSUPPORTED_MEDIA_TYPE", message: "Content-Type \(type) is not supported: send application/json")
        }
        return try dispatch(request)
    }

    /// Answers a request inside a composite request or a batch.
    ///
    /// - Throws: ``OrgError`` also for a response that is not JSON, such as a file: it cannot be part of the outer one.
    func answerNested(_ request: OrgRequest) throws -> OrgAnswer {
        guard request.segments.count >= 3, request.segments.starts(with: ["services", "data"]) else {
            throw OrgError.notFound
        }
        let outer = context.apiPath
        defer { context.apiPath = outer }
        if request.segments.count > 3, request.segments[3] == "composite" {
            guard request.segments.count > 4, request.segments[4] == "sobjects" else {
                throw OrgError(400, "INVALID_INPUT", message: "A composite request cannot contain another")
            }
        }
        let answer = try answerVersioned(request)
        guard answer.body.isEmpty || (answer.contentType == OrgAnswer.json && !answer.isVerbatim) else {
            throw OrgError(
                400, "INVALID_INPUT",
                message: "\(request.url) does not answer with JSON: ask for it in a request of its own")
        }
        return answer
    }

    /// Uses a version, such as `v66.0`, for the links in the response.
    ///
    /// - Throws: ``OrgError/notFound`` for a version that the org does not have.
    private func enterVersion(_ name: String) throws {
        guard name.hasPrefix("v"), context.org.definition.apiVersions.contains(String(name.dropFirst())) else {
            throw OrgError.notFound
        }
        context.apiPath = "/services/data/\(name)"
    }

    // MARK: Checks

    /// Rejects a request whose URL and headers are longer than servers accept.
    private static func checkSize(_ request: OrgRequest) throws {
        let limit = 16_384
        if request.url.utf8.count > limit {
            throw OrgError(414, "URI_TOO_LONG", message: "The length of the URI exceeds the 16,384 byte limit")
        }
        let size = request.headers.reduce(request.url.utf8.count) {
            $0 + $1.name.rawName.utf8.count + $1.value.utf8.count
        }
        if size > limit {
            throw OrgError(
                431, "REQUEST_HEADER_FIELDS_TOO_LARGE",
                message: "The length of the URI and the headers exceeds the 16,384 byte limit")
        }
    }

    /// Returns whether a version has been retired: all up to 30.0.
    private static func isRetired(_ name: String) -> Bool {
        guard name.hasPrefix("v"), name.hasSuffix(".0"), let number = Int(name.dropFirst().dropLast(2)) else {
            return false
        }
        return (7...30).contains(number)
    }

    /// Returns whether a client accepts only XML, which this API of the org does not write.
    private static func acceptsOnlyXML(_ accept: String?) -> Bool {
        let types = (accept ?? "").lowercased().split(separator: ",").map { type in
            type.split(separator: ";").first.map { $0.filter { $0 != " " } } ?? ""
        }
        return !types.isEmpty && types.allSatisfy { ["application/xml", "text/xml"].contains($0) }
    }
}
