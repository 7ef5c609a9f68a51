// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import SoupCore

extension OrgContext {
    /// Everything below `/composite`.
    func composite(
        _ request: OrgRequest, _ path: [String], forcesAllOrNone: Bool = false
    ) throws -> OrgAnswer {
        switch path.first {
        case nil: return try allow(["POST"], request) { try self.compositeRequest(request) }
        case "sobjects":
            return try collections(request, Array(path.dropFirst()), forcesAllOrNone: forcesAllOrNone)
        case "batch" where path.count == 1: return try allow(["POST"], request) { try self.batch(request) }
        case "graph" where path.count == 1: return try allow(["POST"], request) { try self.graphs(request) }
        case "tree" where path.count == 2:
            let object = try object(path[1])
            return try allow(["POST"], request) { try self.tree(request, object) }
        default: throw OrgError.notFound
        }
    }

    /// One request inside another.
    struct Subrequest {
        /// As it is written: references are in their places still, and it has no body.
        var request: OrgRequest
        var referenceId: String
        var body: JSONValue?
        /// The names of others whose answers it uses.
        var references: [String]

        /// The path below the version.
        var target: ArraySlice<String> { request.segments.dropFirst(3) }
        var isCollection: Bool { target.starts(with: ["composite", "sobjects"]) }
        /// Whether it is one of those of which a composite request takes few.
        var isHeavy: Bool { ["query", "queryAll"].contains(target.first) || isCollection }

        init(method: String, url: String, referenceId: String, body: JSONValue?, headers: HTTPFields) {
            request = OrgRequest(method: method, url: url, headers: headers)
            self.referenceId = referenceId
            self.body = body
            references = CompositeReferences.names(in: url) + (body.map { CompositeReferences.names(in: $0) } ?? [])
        }
    }

    /// Letters and digits of ASCII, and underscores.
    private static func isReferenceId(_ text: String) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "_"):
                    true
                default: false
                }
            }
    }

    private static let forbiddenHeaders: Set<String> = ["accept", "authorization", "content-type"]

    func subrequests(_ body: JSONObject, limit: Int = 25) throws -> [Subrequest] {
        guard let items = body["compositeRequest"]?.arrayValue else {
            throw OrgError(400, "INVALID_INPUT", "The request needs a compositeRequest, a list of subrequests")
        }
        guard !items.isEmpty else {
            throw OrgError(400, "INVALID_INPUT", "The compositeRequest is empty: it needs at least one subrequest")
        }
        if items.count > limit {
            throw OrgError(400, "LIMIT_EXCEEDED", "Limit exceeded: there may be \(limit) subrequests at most")
        }
        var seen: Set<String> = []
        return try items.map { item in
            guard let method = item["method"]?.stringValue, let url = item["url"]?.stringValue else {
                throw OrgError(400, "INVALID_INPUT", "Each subrequest needs a method and a url")
            }
            guard let reference = item["referenceId"]?.stringValue, Self.isReferenceId(reference) else {
                throw OrgError(
                    400, "INVALID_INPUT", "Each subrequest needs a referenceId of letters, digits and underscores")
            }
            guard seen.insert(reference).inserted else {
                throw OrgError(400, "INVALID_INPUT", "Duplicate referenceId: \(reference)")
            }
            var headers = HTTPFields()
            for (name, value) in item.httpHeaders?.objectValue?.members ?? [] {
                guard !Self.forbiddenHeaders.contains(name.lowercased()) else {
                    throw OrgError(400, "INVALID_INPUT", "The header \(name) is not allowed in a subrequest")
                }
                if let name = HTTPField.Name(name), let value = value.stringValue { headers[name] = value }
            }
            return Subrequest(
                method: method.uppercased(), url: url, referenceId: reference, body: item.body, headers: headers)
        }
    }

    /// Runs requests in order; later ones may use the answers of earlier ones.
    private func compositeRequest(_ request: OrgRequest) throws -> OrgAnswer {
        let body = try request.jsonObject()
        let isAllOrNone = body["allOrNone"]?.boolValue ?? false
        let subrequests = try subrequests(body)
        try checkQueries(subrequests)
        return OrgAnswer(Self.envelope(subrequests, try run(subrequests, isAllOrNone)))
    }

    private func checkQueries(_ subrequests: [Subrequest]) throws {
        let queries = subrequests.count(where: \.isHeavy)
        if queries > 5 {
            throw OrgError(
                400, "LIMIT_EXCEEDED", "A composite request has at most 5 queries and collections, not \(queries)")
        }
    }

    /// Runs requests in order; with `isAllOrNone` the first failure takes back what the others did.
    ///
    /// A collection fails when one of its records does, though its status is 200; it keeps its own answer then.
    func run(_ subrequests: [Subrequest], _ isAllOrNone: Bool) throws -> [OrgAnswer] {
        struct RolledBack: Error {
            var answers: [OrgAnswer]
            var failed: Int
        }
        do {
            return try atomically {
                var answers = subrequests.map { _ in OrgAnswer(500) }
                var bodies: [String: JSONValue] = [:]
                let used = Set(subrequests.flatMap(\.references))
                for index in trouble.reversesSubrequests ? Self.reversed(subrequests) : Array(subrequests.indices) {
                    let subrequest = subrequests[index]
                    let answer = try self.answer(subrequest, at: index, bodies, isAllOrNone)
                    answers[index] = answer
                    let mayHoldFailures = isAllOrNone && subrequest.isCollection
                    let body =
                        mayHoldFailures || used.contains(subrequest.referenceId)
                        ? try? JSONValue(parsing: answer.body) : nil
                    bodies[subrequest.referenceId] = body
                    if isAllOrNone, answer.status >= 400 || (mayHoldFailures && Self.hasFailedItems(body)) {
                        throw RolledBack(answers: answers, failed: index)
                    }
                }
                return answers
            }
        } catch let error as RolledBack {
            let halted = OrgAnswer(
                OrgError(
                    400, "PROCESSING_HALTED",
                    "The transaction was rolled back since another operation in the same transaction failed."))
            return subrequests.indices.map { $0 == error.failed ? error.answers[$0] : halted }
        }
    }

    /// The positions from the last to the first, but each behind those whose answers it uses.
    private static func reversed(_ subrequests: [Subrequest]) -> [Int] {
        let needs = subrequests.map { subrequest in
            subrequests.indices.filter { subrequest.references.contains(subrequests[$0].referenceId) }
        }
        var order: [Int] = []
        while let next = subrequests.indices.last(where: { index in
            !order.contains(index) && needs[index].allSatisfy { $0 >= index || order.contains($0) }
        }) {
            order.append(next)
        }
        return order
    }

    private static func hasFailedItems(_ body: JSONValue?) -> Bool {
        body?.arrayValue?.contains { $0.success == false } ?? false
    }

    private func answer(
        _ subrequest: Subrequest, at position: Int, _ bodies: [String: JSONValue], _ isAllOrNone: Bool
    ) throws -> OrgAnswer {
        do {
            let target = subrequest.target
            // A collection has records of its own, which are asked about one by one.
            let isRow = target.first == "sobjects" && subrequest.request.method != "GET"
            if let fault = itemFault(
                isRow ? position : nil, subrequest.body, referenceId: subrequest.referenceId,
                object: isRow ? target.dropFirst().first : nil)
            {
                throw fault
            }
            let references = CompositeReferences(bodies: bodies)
            var request = subrequest.request
            let url = try references.resolved(request.url)
            if url != request.url {
                request = OrgRequest(method: request.method, url: url, headers: request.headers)
            }
            let body = try subrequest.body.map { try references.resolved($0) }
            request.body = (body.flatMap { try? JSONText($0) }).map { Array($0.bytes) } ?? []
            return try nested(request, isAllOrNone)
        } catch let error as OrgError {
            return OrgAnswer(error)
        }
    }

    /// Answers a request inside this one.
    ///
    /// - Throws: ``OrgError`` also for an answer that is no JSON, such as a file: it has no place in this one's.
    func nested(_ request: OrgRequest, _ isAllOrNone: Bool) throws -> OrgAnswer {
        guard request.segments.count >= 3, request.segments[0] == "services", request.segments[1] == "data" else {
            throw OrgError.notFound
        }
        let outer = apiPath
        defer { apiPath = outer }
        if request.segments.count > 3, request.segments[3] == "composite" {
            guard request.segments.count > 4, request.segments[4] == "sobjects" else {
                throw OrgError(400, "INVALID_INPUT", "A composite request cannot hold another")
            }
            try enterVersion(request.segments[2])
            return try composite(request, Array(request.segments.dropFirst(4)), forcesAllOrNone: isAllOrNone)
        }
        let answer = try data(request)
        guard answer.body.isEmpty || (answer.contentType == OrgAnswer.json && !answer.isVerbatim) else {
            throw OrgError(
                400, "INVALID_INPUT", "\(request.url) does not answer with JSON: ask for it in a request of its own")
        }
        return answer
    }

    static func envelope(_ subrequests: [Subrequest], _ answers: [OrgAnswer]) -> JSONOutput {
        var output = JSONOutput()
        output.append("{\"compositeResponse\":[")
        for (index, (subrequest, answer)) in zip(subrequests, answers).enumerated() {
            if index > 0 { output.append(UInt8(ascii: ",")) }
            output.append("{\"body\":")
            if answer.body.isEmpty { output.append("null") } else { output.append(answer.body) }
            output.append(",\"httpHeaders\":")
            output.append(
                json: .object(JSONObject(answer.headers.map { (key: $0.name, value: .string($0.value)) })))
            output.append(",\"httpStatusCode\":")
            output.append(answer.status)
            output.append(",\"referenceId\":")
            output.append(json: .string(subrequest.referenceId))
            output.append(UInt8(ascii: "}"))
        }
        output.append("]}")
        return output
    }
}
