// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import HTTPTypes
internal import SoupCore

/// The service `com.salesforce.network`: requests to the session's instance, which the bridge sends with authorization.
///
/// Only paths below `/services/` are allowed, and not those of logins: their responses contain tokens or URLs that log
/// in. The token of the session is never part of an answer.
struct NetworkService: BridgeService {
    let name = "com.salesforce.network"
    let server: BridgeServer?

    var actionNames: [String] { ["pgSendRequest"] }
    let readingActions: Set<String> = []

    func action(_ name: String) -> Action? {
        guard name == "pgSendRequest" else { return nil }
        return { request in
            do {
                return try await send(request.arguments)
            } catch let error as SoupError {
                throw Self.failure(error)
            }
        }
    }

    /// Returns the error value of a request without a response: a text with JSON, as for any failure of this service.
    ///
    /// Libraries read the status without a check, so there is a response with the status 0.
    private static func failure(_ error: any Error) -> BridgeFailure {
        let response = response(status: 0, headers: [], body: .string(""))
        return BridgeFailure(
            value: .string(JSONText.object([("response", response), ("error", .string("\(error)"))]).description))
    }

    private func send(_ arguments: BridgeArguments) async throws -> JSONText? {
        guard let server else {
            throw SoupError(
                .badConfiguration, "no server is configured", hint: "The app passes a server to its JavaScriptBridge.")
        }
        let request = try NetworkRequest(arguments, instance: server.instanceURL)
        var answer: HTTPAnswer
        do {
            answer = try await server.transport.send(request.head, body: request.body)
        } catch {
            throw Self.failure(server.transport.secretMask?.masked(error) ?? error)
        }
        answer = try Self.masked(answer, by: server.transport.secretMask)
        guard answer.isSuccess else {
            throw BridgeFailure(value: .string(Self.refusal(answer).description))
        }
        if try arguments.flag("returnBinary") == true {
            return .object([
                ("encodedBody", .string(Data(answer.body).base64EncodedString())),
                ("contentType", .string(answer.response.headerFields[.contentType] ?? "")),
            ])
        }
        return answer.body.isEmpty ? nil : Self.value(of: answer.body)
    }

    /// Returns a response without the session's secrets, which a server can repeat in any part.
    ///
    /// - Throws: ``SoupError`` with `badArgument` for a body that is not a text and contains one.
    private static func masked(_ answer: HTTPAnswer, by mask: SecretMask?) throws -> HTTPAnswer {
        guard let mask else { return answer }
        var masked = answer
        masked.response.headerFields = HTTPFields(
            answer.response.headerFields.map { HTTPField(name: $0.name, value: mask.masked($0.value)) })
        let text = String(decoding: answer.body, as: UTF8.self)
        let maskedText = mask.masked(text)
        guard maskedText != text else { return masked }
        guard text.utf8.elementsEqual(answer.body) else {
            throw SoupError(.badArgument, "the response contains a secret of the session, and is not a text")
        }
        masked.body = Array(maskedText.utf8)
        return masked
    }

    /// Returns the value of a body: JSON as it is, anything else as a text.
    private static func value(of body: [UInt8]) -> JSONText {
        guard let json = try? JSONText(body[...]), json.members != nil || json.elements != nil else {
            return .string(String(decoding: body, as: UTF8.self))
        }
        return json
    }

    /// Returns the error value for a response that is not 2xx.
    private static func refusal(_ answer: HTTPAnswer) -> JSONText {
        var headers: [(name: String, value: JSONText)] = []
        for field in answer.response.headerFields where field.name != .setCookie {
            headers.append((field.name.rawName, .string(field.value)))
        }
        return .object([
            ("response", response(status: answer.status, headers: headers, body: value(of: answer.body)))
        ])
    }

    private static func response(status: Int, headers: [(name: String, value: JSONText)], body: JSONText) -> JSONText {
        .object([("headers", .object(headers)), ("statusCode", .integer(status)), ("body", body)])
    }
}

/// The request of a call, checked.
struct NetworkRequest {
    let head: HTTPRequest
    let body: [UInt8]?

    private static let methods: [String: HTTPRequest.Method] = [
        "GET": .get, "HEAD": .head, "POST": .post, "PUT": .put, "PATCH": .patch, "DELETE": .delete,
    ]
    /// The header fields that only the bridge sets.
    private static let ownFields: Set<HTTPField.Name> = [.authorization, .cookie, .contentLength, .connection]

    /// - Throws: ``SoupError`` with `badArgument`.
    init(_ arguments: BridgeArguments, instance: URL?) throws {
        let name = (try arguments.text("method") ?? "GET").uppercased()
        guard let method = Self.methods[name] else {
            throw Self.bad("method must be one of \(Self.methods.keys.sorted().joined(separator: ", "))")
        }
        if let files = try arguments.object("fileParams"), !files.isEmpty {
            throw Self.bad("fileParams are not supported, because a page has no files; send the content in queryParams")
        }
        var path = try Self.path(arguments, instance: instance)
        var headers = try Self.headers(arguments)
        let parameters = try Self.parameters(arguments)
        if [.post, .put, .patch].contains(method) {
            body = parameters.map { Array($0.bytes) } ?? []
            if headers[.contentType] == nil { headers[.contentType] = "application/json" }
        } else {
            body = nil
            if let query = try parameters.map(Self.query), !query.isEmpty {
                path += (path.contains("?") ? "&" : "?") + query
            }
        }
        head = HTTPRequest(method: method, scheme: nil, authority: nil, path: path, headerFields: headers)
    }

    /// Returns the path of a call; for an absolute URL of the instance, its path.
    private static func path(_ arguments: BridgeArguments, instance: URL?) throws -> String {
        var path = try arguments.text("path") ?? ""
        if path.prefix(while: { $0 != "?" }).contains("://") {
            guard let instance, let url = URL(string: path), url.scheme == instance.scheme,
                url.host()?.lowercased() == instance.host()?.lowercased(), url.port == instance.port,
                url.user() == nil, let slash = path.firstRange(of: "://").map({ path[$0.upperBound...] }),
                let start = slash.firstIndex(of: "/"), !slash[..<start].contains(where: { "?#".contains($0) })
            else { throw bad("path must be a path of the session's instance, not another URL") }
            path = String(slash[start...])
        } else {
            path = (try arguments.text("endPoint") ?? "") + path
        }
        let plain = String(path.prefix { $0 != "?" })
        let segments = plain.split(separator: "/", omittingEmptySubsequences: false)
        let isPlain = path.utf8.allSatisfy {
            (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\\") && $0 != UInt8(ascii: "#")
        }
        guard isPlain, plain.hasPrefix("/services/"), !segments.dropFirst().dropLast().contains(""),
            !segments.contains(where: { leavesFolder($0) })
        else {
            throw bad(
                "a request must have a path below /services/, percent-encoded and without empty, . and .. segments")
        }
        let service = segments.count > 2 ? String(segments[2]).lowercased() : ""
        guard service.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }),
            !loginServices.contains(service)
        else {
            throw bad("a page cannot use the service /services/\(service.excerpt(50)) of the server")
        }
        return path
    }

    /// The services, in lower case, whose responses contain tokens or URLs that log in.
    private static let loginServices: Set<String> = ["oauth2", "soap", "auth", "authcallback", "saml"]

    /// Returns whether a server could read a segment as a step to another folder, or as the end of a line.
    ///
    /// A value such as an external ID can contain an encoded slash.
    private static func leavesFolder(_ segment: Substring) -> Bool {
        // A server and each gateway can decode a path. A text that is encoded more often than four times, or is not
        // UTF-8, is no part of a record's path.
        var bytes = Array(segment.utf8)
        for _ in 0..<4 { bytes = percentDecoded(bytes) }
        guard percentDecoded(bytes) == bytes, let text = String(validating: bytes, as: UTF8.self) else { return true }
        let parts = text.split { "/\\;".contains($0) }
        return parts.contains { $0 == "." || $0 == ".." }
            || text.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7F }
    }

    /// Returns the bytes with each `%` and two hexadecimal digits decoded, as lenient servers do; others stay.
    private static func percentDecoded(_ bytes: [UInt8]) -> [UInt8] {
        var decoded: [UInt8] = []
        var index = 0
        while index < bytes.count {
            if bytes[index] == UInt8(ascii: "%"), index + 2 < bytes.count,
                let high = Character(UnicodeScalar(bytes[index + 1])).hexDigitValue,
                let low = Character(UnicodeScalar(bytes[index + 2])).hexDigitValue
            {
                decoded.append(UInt8(high << 4 | low))
                index += 3
            } else {
                decoded.append(bytes[index])
                index += 1
            }
        }
        return decoded
    }

    private static func headers(_ arguments: BridgeArguments) throws -> HTTPFields {
        var headers: HTTPFields = [:]
        let given = try arguments.object("headerParams") ?? [:]
        for name in given.keys {
            guard let value = given[name], !value.isNull else { continue }
            guard let field = HTTPField.Name(name) else {
                throw bad("headerParams has no valid name: \(name.excerpt(100))")
            }
            if ownFields.contains(field) || field.canonicalName == "host" { continue }
            headers[field] = value.stringValue ?? "\(value)"
        }
        return headers
    }

    /// Returns the parameters, which may also be a text that contains JSON.
    private static func parameters(_ arguments: BridgeArguments) throws -> JSONText? {
        guard let given = arguments["queryParams"] else { return nil }
        guard let text = given.string else { return given }
        guard !text.isEmpty else { return nil }
        guard let json = try? JSONText(text) else { throw bad("queryParams is a text that is not JSON") }
        return json
    }

    private static func query(_ parameters: JSONText) throws -> String {
        guard let members = parameters.members else { throw bad("queryParams of this method must be an object") }
        return members.filter { $0.value != .null }.map { name, value in
            URLText.query(name) + "=" + URLText.query(value.string ?? value.description)
        }.joined(separator: "&")
    }

    private static func bad(_ message: String) -> SoupError { SoupError(.badArgument, message) }
}
