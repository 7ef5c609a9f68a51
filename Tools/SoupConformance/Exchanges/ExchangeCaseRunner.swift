// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import SoupCore

/// Runs cases with a request to a local org: the steps before it, the request, and the comparison of the response.
struct ExchangeCaseRunner {
    let org: OrgUnderTest
    /// The cases to which steps can refer.
    let set: ConformanceSet
    let deviations: ConformanceDeviations
    private var variables = CaseVariables()
    private var token = ""
    /// The path of the bulk job of the latest step.
    private var job: String?

    init(org: OrgUnderTest, set: ConformanceSet, deviations: ConformanceDeviations) {
        self.org = org
        self.set = set
        self.deviations = deviations
    }

    /// Resets the org and runs a case.
    mutating func outcome(of example: ConformanceCase) async throws -> ConformanceResult.Outcome {
        do {
            let mismatches = try await run(example, within: [])
            return mismatches.isEmpty ? .passed : .failed(mismatches)
        } catch let reason as NotRun {
            return .notRun(reason.text)
        }
    }

    private struct NotRun: Error {
        var text: String
    }

    /// Runs a case after the cases to which its steps refer.
    ///
    /// - Parameter within: the IDs of the cases whose steps refer to this one.
    private mutating func run(
        _ example: ConformanceCase, within: Set<String>
    ) async throws -> [ConformanceResult.Mismatch] {
        try Self.checkMembers(of: example.json["req"], named: "req", known: Self.requestMembers)
        try Self.checkMembers(of: example.json["exp"], named: "exp", known: Self.answerMembers)
        if example.json["exp"]?.objectValue?.isEmpty ?? true { throw NotRun(text: "exp has no expectations") }
        let steps = example.json["pre"]?.arrayValue ?? []
        for (index, step) in steps.enumerated() {
            try Self.checkMembers(of: step, named: "pre[\(index)]", known: Self.requestMembers + ["emu", "case"])
        }
        if !steps.contains(where: { $0["case"] != nil }) { try await reset() }
        for (index, step) in steps.enumerated() {
            let mismatches = try await run(step, index, of: example, within: within.union([example.id]))
            guard mismatches.isEmpty else { return mismatches }
        }
        let answer = try await send(example.json["req"] ?? .null)
        let deviation = try deviations.expectation(for: example, operation: 0)
        let expected = variables.filling(deviation ?? example.json["exp"] ?? .null)
        var matcher = AnswerMatcher()
        matcher.compare(.int(Int64(answer.status)), expected["status"] ?? "$any", at: "status")
        for (name, value) in expected["headers"]?.objectValue?.members ?? [] {
            let header = HTTPField.Name(name).flatMap { answer.response.headerFields[$0] }
            matcher.compare(header.map { .string($0) }, value, at: "headers.\(name)")
        }
        let json = try? JSONValue(parsing: answer.body)
        if let wanted = expected["json"] { matcher.compare(json, wanted, at: "json") }
        if let wanted = expected["text"] {
            matcher.compare(text: String(decoding: answer.body, as: UTF8.self), wanted, at: "text")
        }
        for (name, place) in example.json["save"]?.objectValue?.members ?? [] {
            variables[name] = Self.value(at: place.stringValue ?? "", in: answer, json: json)
        }
        return matcher.differences.map {
            .init(
                operation: nil, path: $0.path, expected: [$0.expected], found: $0.found ?? "nothing",
                isDeviation: deviation != nil)
        }
    }

    private static let requestMembers = [
        "method", "path", "query", "auth", "headers", "json", "form", "csv", "xml", "text",
    ]
    private static let answerMembers = ["status", "headers", "json", "text"]

    /// Checks that an object has only known members.
    ///
    /// An unknown member is a mistake in the case, which would make it check less than intended.
    private static func checkMembers(of json: JSONValue?, named name: String, known: [String]) throws {
        guard let unknown = json?.objectValue?.keys.first(where: { !known.contains($0) }) else { return }
        let nearest = NameDistance.nearest(to: unknown, in: known).map { "did you mean \"\($0)\"?" }
        throw NotRun(
            text: "\(name) has the unknown member \"\(unknown)\": "
                + (nearest ?? "the known members are \(known.joined(separator: ", "))"))
    }

    /// Resets the org, logs in, and stores its tokens and the IDs of its rows as variables.
    private mutating func reset() async throws {
        try await org.administer("DELETE", "/_emu/faults")
        let keys = try await org.administer("POST", "/_emu/reset", body: ["seed": "tiny"])["keys"]?.objectValue
        variables = CaseVariables(values: ["v": "/services/data/v60.0"])
        for (key, value) in keys?.members ?? [] {
            guard let id = value.stringValue else { continue }
            variables[key] = id
            variables["\(key)_15"] = String(decoding: id.utf8.prefix(15), as: UTF8.self)
        }
        variables["user"] = variables["me"]
        if variables["gone"] == nil {
            let id = Array("001000000009ZzZ".utf8)
            variables["gone"] = String(decoding: id + AnswerMatcher.checkCharacters(of: id), as: UTF8.self)
        }
        let login = try await login()
        token = login["access_token"]?.stringValue ?? ""
        variables["token"] = token
        variables["refreshToken"] = login["refresh_token"]?.stringValue
        variables["revokedToken"] = try await self.login()["access_token"]?.stringValue
        job = nil
    }

    private func login() async throws -> JSONValue {
        let request = try CaseRequest(
            [
                "method": "POST", "path": "/services/oauth2/token", "auth": "none",
                "form": [
                    "grant_type": "password", "client_id": "emu-client", "client_secret": "emu-secret",
                    "username": "demo@example.org", "password": "demo", "scope": "api refresh_token",
                ],
            ], token: "")
        let answer = try await org.send(request.method, request.path, headers: request.headers, body: request.body)
        guard answer.isSuccess, let json = try? JSONValue(parsing: answer.body) else {
            throw SoupError(.server, "the org refuses the login of the user of the seed tiny with \(answer.status)")
        }
        return json
    }

    private mutating func run(
        _ step: JSONValue, _ index: Int, of example: ConformanceCase, within: Set<String>
    ) async throws -> [ConformanceResult.Mismatch] {
        if let id = step["case"]?.stringValue {
            guard let other = set.cases.first(where: { $0.id == id }) else {
                throw NotRun(text: "the set does not contain a case to which a step refers")
            }
            guard !within.contains(id) else { throw NotRun(text: "cases refer to each other") }
            return try await run(other, within: within)
        }
        if let command = step["emu"]?.stringValue {
            try await administer(variables.filling(command))
            return []
        }
        let answer = try await send(step)
        guard answer.status >= 400, !Self.note(of: example, mentions: answer.status) else { return [] }
        let place = "pre[\(index)].status"
        return [
            .init(
                operation: nil, path: place, expected: ["below 400"], found: .int(Int64(answer.status)),
                isDeviation: false)
        ]
    }

    /// Returns whether the note of a case contains a status with which one of its steps fails.
    private static func note(of example: ConformanceCase, mentions status: Int) -> Bool {
        (example.json["note"]?.stringValue ?? "").utf8.split { !(0x30...0x39).contains($0) }
            .contains { $0.elementsEqual(String(status).utf8) }
    }

    private func administer(_ command: String) async throws {
        switch AdministrationCommand.step(command) {
        case .request(let method, let path, let body): try await org.administer(method, path, body: body)
        case .job(let state):
            guard let job else { throw NotRun(text: "no job to wait for") }
            for _ in 0..<100 {
                let request = try CaseRequest(["path": .string(job)], token: token)
                let answer = try await org.send(request.method, request.path, headers: request.headers)
                if (try? JSONValue(parsing: answer.body))?["state"] == .string(state) { return }
            }
            throw SoupError(.server, "the job does not reach the state \(state)")
        case nil: throw NotRun(text: "unknown administration step: \(command)")
        }
    }

    private mutating func send(_ step: JSONValue) async throws -> HTTPAnswer {
        let request = try CaseRequest(variables.filling(step), token: token)
        let answer = try await org.send(request.method, request.path, headers: request.headers, body: request.body)
        let json = try? JSONValue(parsing: answer.body)
        if let fresh = json?["access_token"]?.stringValue {
            token = fresh
            variables["token"] = fresh
        }
        let path = request.path.utf8.prefix { $0 != UInt8(ascii: "?") }
            .split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
        if let place = path.firstIndex(of: "jobs"), path.count > place + 1 {
            let id = path.count > place + 2 ? path[place + 2] : json?["id"]?.stringValue
            if let id { job = (path[...(place + 1)] + [id]).joined(separator: "/") }
        }
        return answer
    }

    /// Returns the value of a response that a case saves: `json.id`, `json.records[0].Id`, `headers.Location`.
    private static func value(at place: String, in answer: HTTPAnswer, json: JSONValue?) -> String? {
        let parts = place.utf8.split { $0 == UInt8(ascii: ".") || $0 == 0x5B || $0 == 0x5D }
            .map { String(decoding: $0, as: UTF8.self) }
        if parts.first == "headers", parts.count == 2 {
            return HTTPField.Name(parts[1]).flatMap { answer.response.headerFields[$0] }
        }
        guard parts.first == "json" else { return nil }
        let value = parts.dropFirst().reduce(json) { value, part in
            Int(part).flatMap { value?[$0] } ?? value?[part]
        }
        return value.flatMap { $0.stringValue ?? $0.description }
    }
}
