// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import SalesforceAPI
import SoupCore
import Testing

@testable import LocalOrg

/// Runs the cases of ``restCases``.
struct CaseRunner {
    let org: LocalOrg
    var variables: [String: String]
    var token: String

    init() async throws {
        var options = OrgOptions()
        options.admin = true
        org = try LocalOrg(seed: .tiny, options: options)
        token = org.accessToken
        variables = [
            "v": "/services/data/v60.0", "token": org.accessToken, "refreshToken": org.refreshToken,
            "user": org.id(of: "me") ?? "", "gone": RecordID.make("001", 999_999),
        ]
        for key in [
            "acc1", "acc2", "acc3", "delAcc", "con1", "con2", "con3", "opp1", "opp2", "case1", "vis1", "vit1", "vit2",
        ] {
            variables[key] = org.id(of: key) ?? ""
            variables["\(key)_15"] = String((org.id(of: key) ?? "").prefix(15))
        }
        let login = try await send([
            "method": "POST", "path": "/services/oauth2/token", "auth": "none",
            "form": [
                "grant_type": "password", "client_id": "emu-client", "client_secret": "emu-secret",
                "username": "demo@example.org", "password": "demo",
            ],
        ])
        variables["revokedToken"] = (try? JSONValue(parsing: login.body))?.access_token?.stringValue ?? ""
    }

    static func cases() throws -> [JSONValue] {
        try restCases.split(separator: "\n").map { try JSONValue(parsing: String($0)) }
    }

    /// Runs a case; the result lists what is not as expected.
    mutating func run(_ testCase: JSONValue) async throws -> [String] {
        for step in testCase.pre?.arrayValue ?? [] {
            if let name = step.emu?.stringValue {
                try await administer(name)
            } else if step["method"] != nil {
                let answer = try await send(step)
                if answer.status == 200, let fresh = (try? JSONValue(parsing: answer.body))?.access_token?.stringValue {
                    token = fresh
                }
            } else {
                guard let before = try Self.cases().first(where: { $0.id == step["case"] }) else {
                    return ["a step that is not here: \(step)"]
                }
                let differences = try await run(before)
                if !differences.isEmpty { return differences }
            }
        }
        let answer = try await send(testCase.req ?? .null)
        let expected = substituted(testCase.exp ?? .null)
        var matcher = CaseMatcher()
        matcher.compare(.int(Int64(answer.status)), expected.status ?? .null, at: "status")
        for (name, value) in expected.headers?.objectValue?.members ?? [] {
            let header = HTTPField.Name(name).flatMap { answer.response.headerFields[$0] }
            matcher.compare(header.map { .string($0) }, value, at: "headers.\(name)")
        }
        if let json = expected.json { matcher.compare(try? JSONValue(parsing: answer.body), json, at: "json") }
        if let text = expected.text { matcher.compare(text: String(decoding: answer.body, as: UTF8.self), text) }
        for (name, place) in testCase.save?.objectValue?.members ?? [] {
            let json = try? JSONValue(parsing: answer.body)
            guard let path = place.stringValue, path.utf8.starts(with: "json.".utf8) else { continue }
            variables[name] = json?[String(path.dropFirst(5))]?.stringValue
        }
        return matcher.differences
    }

    private func administer(_ words: String) async throws {
        switch words {
        case "POST /_emu/tokens/expire":
            _ = try await send(["method": "POST", "path": "/_emu/tokens/expire"])
        case "job to JobComplete": break
        case "fault limit": _ = try await fault(["kind": "limit"])
        case "fault http 503 Retry-After 2":
            _ = try await fault([
                "kind": "http", "status": 503, "errorCode": "SERVER_UNAVAILABLE", "headers": ["Retry-After": "2"],
            ])
        case "fault itemError index=0 UNABLE_TO_LOCK_ROW":
            _ = try await fault(["kind": "itemError", "index": 0, "statusCode": "UNABLE_TO_LOCK_ROW"])
        default: Issue.record("unknown administration: \(words)")
        }
    }

    private func fault(_ effect: JSONValue) async throws -> HTTPAnswer {
        try await send(["method": "POST", "path": "/_emu/faults", "json": ["do": effect]])
    }

    // MARK: Requests

    func send(_ step: JSONValue) async throws -> HTTPAnswer {
        let step = substituted(step)
        var path = step.path?.stringValue ?? "/"
        if let query = step.query?.objectValue {
            path +=
                "?"
                + query.members.map { "\($0.key)=\(URLText.query($0.value.stringValue ?? ""))" }
                .joined(separator: "&")
        }
        var request = HTTPRequest(
            method: HTTPRequest.Method(step["method"]?.stringValue ?? "GET") ?? .get, scheme: nil, authority: nil,
            path: path)
        for (name, value) in step.headers?.objectValue?.members ?? [] {
            if let name = HTTPField.Name(name) { request.headerFields[name] = Self.basic(value.stringValue ?? "") }
        }
        switch step.auth?.stringValue {
        case "none": break
        case let other?: request.headerFields[.authorization] = "Bearer \(other)"
        case nil: request.headerFields[.authorization] = "Bearer \(token)"
        }
        return try await org.respond(to: request, body: Self.body(of: step))
    }

    private static func body(of step: JSONValue) throws -> [UInt8] {
        if let json = step.json { return Array(try JSONText(repeated(json)).bytes) }
        if let form = step.form?.objectValue {
            let text = form.members.map { "\($0.key)=\(URLText.segment($0.value.stringValue ?? ""))" }
            return Array(text.joined(separator: "&").utf8)
        }
        if let csv = step.csv?.stringValue { return Array(csv.utf8) }
        if step.xml == "<jobInfo insert Contact CSV>" {
            return Array(
                """
                <jobInfo xmlns="http://www.force.com/2009/06/asyncapi/dataload"><operation>insert</operation>\
                <object>Contact</object><contentType>CSV</contentType></jobInfo>
                """.utf8)
        }
        if let xml = step.xml?.stringValue {
            let password = xml.contains("password=bad") ? "bad" : "demo"
            return Array(
                """
                <env:Envelope xmlns:env="http://schemas.xmlsoap.org/soap/envelope/"><env:Body>\
                <n1:login xmlns:n1="urn:partner.soap.sforce.com"><n1:username>demo@example.org</n1:username>\
                <n1:password>\(password)</n1:password></n1:login></env:Body></env:Envelope>
                """.utf8)
        }
        return []
    }

    private static func basic(_ text: String) -> String {
        text == "Basic {basic(emu-client:emu-secret)}" ? "Basic ZW11LWNsaWVudDplbXUtc2VjcmV0" : text
    }

    /// Replaces `{"$repeat": n, "item": …}` by so many items.
    private static func repeated(_ value: JSONValue) -> JSONValue {
        switch value {
        case .array(let items): return .array(items.map(repeated))
        case .object(let object):
            guard let count = object["$repeat"]?.intValue, let item = object["item"] else {
                return .object(JSONObject(object.members.map { (key: $0.key, value: repeated($0.value)) }))
            }
            return .array(
                (1...Int(count)).map { number in replace(["n": String(number)], in: item) })
        default: return value
        }
    }

    private func substituted(_ value: JSONValue) -> JSONValue { Self.replace(variables, in: value) }

    private static func replace(_ variables: [String: String], in value: JSONValue) -> JSONValue {
        switch value {
        case .string(var text):
            for (name, replacement) in variables {
                text = text.split(separator: "{\(name)}", omittingEmptySubsequences: false).joined(
                    separator: replacement)
            }
            return .string(text)
        case .array(let items): return .array(items.map { replace(variables, in: $0) })
        case .object(let object):
            return .object(
                JSONObject(object.members.map { (key: $0.key, value: replace(variables, in: $0.value)) }))
        default: return value
        }
    }
}
