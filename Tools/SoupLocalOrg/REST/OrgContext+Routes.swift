// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import SoupCore

extension OrgContext {
    /// Answers any request; refusals of resources become answers with their errors.
    func answer(_ request: OrgRequest) throws -> OrgAnswer {
        var answer: OrgAnswer
        do {
            answer = try route(request)
        } catch let error as OrgError {
            answer = OrgAnswer(error)
            if error.status == 401 { answer.headers.append(("WWW-Authenticate", "Token")) }
        }
        if isCounted {
            answer.headers.append(("Sforce-Limit-Info", "api-usage=\(org.calls)/\(org.options.dailyLimit)"))
        }
        return answer
    }

    private func route(_ request: OrgRequest) throws -> OrgAnswer {
        try checkSize(request)
        let request = request.asMeant
        let path = request.segments
        if let fault = request.bodyFault, path.prefix(2) != ["services", "async"] { throw fault }
        switch (path.first, path.dropFirst().first) {
        case ("_emu", _) where org.options.admin: return try administer(request)
        case ("services", "oauth2"): return try oauth(request, Array(path.dropFirst(2)))
        case ("services", "Soap"): return try soapLogin(request)
        case ("services", "data"), (nil, nil):
            if path.count <= 2 { return try allow(["GET"], request) { self.versions() } }
            if Self.isRetired(path[2]) {
                throw OrgError(410, "UNSUPPORTED_API_VERSION", "The API version \(path[2]) has been retired")
            }
            try authenticate(request)
            return try data(request)
        case ("services", "async"): return try classicBulk(request, Array(path.dropFirst(2)))
        case ("id", _) where path.count == 3:
            return try allow(["GET", "POST"], request) { self.identity(request) }
        default: throw OrgError.notFound
        }
    }

    /// Runs `body` when the verb is one of those allowed; HEAD is GET.
    func allow(_ methods: [String], _ request: OrgRequest, _ body: () throws -> OrgAnswer) throws -> OrgAnswer {
        guard methods.contains(request.method) || (request.method == "HEAD" && methods.contains("GET")) else {
            return OrgAnswer.methodNotAllowed(methods, request)
        }
        return try body()
    }

    /// Refuses a request whose address and headers are longer than servers read.
    private func checkSize(_ request: OrgRequest) throws {
        let limit = 16_384
        if request.url.utf8.count > limit {
            throw OrgError(414, "URI_TOO_LONG", "The length of the URI exceeds the 16,384 byte limit")
        }
        let size = request.headers.reduce(request.url.utf8.count) {
            $0 + $1.name.rawName.utf8.count + $1.value.utf8.count
        }
        if size > limit {
            throw OrgError(
                431, "REQUEST_HEADER_FIELDS_TOO_LARGE",
                "The length of the URI and the headers exceeds the 16,384 byte limit")
        }
    }

    /// Whether a version was there once: those up to 30.0 are gone for good.
    private static func isRetired(_ name: String) -> Bool {
        guard name.hasPrefix("v"), name.hasSuffix(".0"), let number = Int(name.dropFirst().dropLast(2)) else {
            return false
        }
        return (7...30).contains(number)
    }

    /// Whether a client takes nothing but XML, which the org does not write here.
    private static func wantsOnlyXML(_ accept: String?) -> Bool {
        let types = (accept ?? "").lowercased().split(separator: ",").map { type in
            type.split(separator: ";").first.map { $0.filter { $0 != " " } } ?? ""
        }
        return !types.isEmpty && types.allSatisfy { ["application/xml", "text/xml"].contains($0) }
    }

    /// Makes a version, such as `v66.0`, that of the links in the answer.
    ///
    /// - Throws: ``OrgError/notFound`` for one that the org does not have.
    func enterVersion(_ name: String) throws {
        guard name.hasPrefix("v"), org.definition.apiVersions.contains(String(name.dropFirst())) else {
            throw OrgError.notFound
        }
        apiPath = "/services/data/\(name)"
    }

    /// Takes the caller from the request's token, and counts the call.
    func authenticate(_ request: OrgRequest) throws {
        guard let token = Self.token(of: request), let access = org.tokens.access(token, now: org.clock.now) else {
            throw OrgError.invalidSession
        }
        // Touching the tokens writes all of them into the state file.
        if access.callsLeft != nil { org.tokens.countCall(token) }
        userId = access.grant.userId
        isCounted = true
        if org.calls >= org.options.dailyLimit {
            throw OrgError(403, "REQUEST_LIMIT_EXCEEDED", "TotalRequests Limit exceeded.")
        }
        org.calls += 1
    }

    static func token(of request: OrgRequest) -> String? {
        let parts = (request.headers[.authorization] ?? "").split(separator: " ", maxSplits: 1)
        guard parts.count == 2, ["bearer", "oauth"].contains(parts[0].lowercased()) else { return nil }
        return String(parts[1])
    }

    /// Everything below `/services/data/vXX.X`.
    func data(_ request: OrgRequest) throws -> OrgAnswer {
        try enterVersion(request.segments[2])
        if Self.wantsOnlyXML(request.header("Accept")) {
            throw OrgError(406, "NOT_ACCEPTABLE", "This org answers in JSON: accept application/json")
        }
        let folder = request.segments.dropFirst(3).first
        let takesAnyType = folder == "jobs" || (folder == "sobjects" && MultipartBody.isOne(request))
        if !takesAnyType, !request.body.isEmpty, let type = request.header("Content-Type")?.lowercased(),
            !type.contains("json")
        {
            throw OrgError(
                415, "UNSUPPORTED_MEDIA_TYPE", "Content-Type \(type) is not supported: send application/json")
        }
        let rest = Array(request.segments.dropFirst(3))
        switch rest.first {
        case nil: return try allow(["GET"], request) { self.resources() }
        case "limits": return try allow(["GET"], request) { try self.limits(request, Array(rest.dropFirst())) }
        case "sobjects": return try sobjects(request, Array(rest.dropFirst()))
        case "query", "queryAll":
            guard rest.count <= 2 else { throw OrgError.notFound }
            return try allow(["GET"], request) {
                try rest.count == 2
                    ? self.continueQuery(request, rest[1]) : self.query(request, seesDeleted: rest[0] == "queryAll")
            }
        case "search": return try search(request, Array(rest.dropFirst()))
        case "parameterizedSearch" where rest.count == 1: return try parameterizedSearch(request)
        case "recent" where rest.count == 1:
            return try allow(["GET"], request) {
                let limit = request.parameter("limit").flatMap { Int($0) } ?? 200
                return OrgAnswer(.array(try self.recent(nil, limit: max(0, min(limit, 2000)))))
            }
        case "composite": return try composite(request, Array(rest.dropFirst()))
        case "tooling": return try tooling(request, Array(rest.dropFirst()))
        case "jobs": return try jobs(request, Array(rest.dropFirst()))
        case "ui-api": return try userInterface(request, Array(rest.dropFirst()))
        case "connect" where rest.dropFirst() == ["briefcase", "priming-records"]:
            return try allow(["GET"], request) { try self.primingRecords(request) }
        default: throw OrgError.notFound
        }
    }
}
