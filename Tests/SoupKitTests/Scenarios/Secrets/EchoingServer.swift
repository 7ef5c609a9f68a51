// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import SoupSalesforce
import SoupCore
import SoupTesting

/// A server that repeats the secrets of the session in one kind of response.
struct EchoingServer: Sendable {
    /// The response that contains the secrets.
    enum Place: String, CaseIterable, Sendable {
        case loginRefusal, loginFailure, loginPage, badRequest, unauthorized, forbidden, notFound, failure, page,
            redirect
        case recordError, damagedJSON, code, connection, cursor

        /// Whether a message of SoupKit contains the text of the server.
        var isRepeated: Bool { ![.loginPage, .unauthorized, .damagedJSON].contains(self) }
        /// Whether the server has issued the second access token.
        var isRenewed: Bool { ![.loginRefusal, .loginFailure, .loginPage].contains(self) }
    }

    /// The encoding of the secrets.
    enum Spelling: String, CaseIterable, Sendable {
        case plain, percent, unicode, html

        func text(_ secret: String) -> String {
            switch self {
            case .plain: secret
            case .percent: secret.utf8.map { "%" + String($0, radix: 16) }.joined()
            case .unicode:
                secret.utf16.map {
                    "\\u" + String(repeating: "0", count: 4 - String($0, radix: 16).count) + String($0, radix: 16)
                }
                .joined()
            case .html: secret.unicodeScalars.map { "&#\($0.value);" }.joined()
            }
        }
    }

    /// The way in which the session logs in.
    enum Login: String, CaseIterable, Sendable {
        case refreshToken, password

        var credentials: SalesforceCredentials {
            var credentials = SalesforceCredentials(
                instanceURL: "https://one.example", accessToken: "00Dxx!Access.Token/1", clientId: "app",
                clientSecret: "Client+Secret=3")
            switch self {
            case .refreshToken: credentials.refreshToken = "5Aep!Refresh.Token/2"
            case .password: (credentials.username, credentials.password) = ("me@one.example", "Pass Word&5")
            }
            return credentials
        }

        /// The secrets of the credentials.
        var secrets: [String] {
            ["00Dxx!Access.Token/1", "Client+Secret=3", self == .password ? "Pass Word&5" : "5Aep!Refresh.Token/2"]
        }

        /// The secrets in the response to a login; a login with a password can return a refresh token.
        var renewedSecrets: [String] {
            ["00Dxx!Renewed.Token/4"] + (self == .password ? ["5Aep!Refresh.Token/6"] : [])
        }
    }

    var place: Place
    var spelling: Spelling
    var login = Login.refreshToken

    var credentials: SalesforceCredentials { login.credentials }
    var secrets: [String] { login.secrets + login.renewedSecrets }

    /// A message with all secrets, as a server writes it into JSON.
    private var text: String { "refused " + known.map { spelling.text($0) }.joined(separator: " and ") }

    /// The secrets that the session knows.
    var known: [String] { place.isRenewed ? secrets : login.secrets }

    func answer(_ request: RecordedRequest) throws -> HTTPAnswer {
        let error =
            #"[{"message": "\#(text)", "errorCode": "\#(place == .code ? text : "ODD")", "fields": ["\#(text)"]}]"#
        if request.pathWithoutQuery.hasPrefix("/services/oauth2/token") {
            switch place {
            case .loginRefusal:
                return HTTPAnswer(status: 400, #"{"error": "invalid_grant", "error_description": "\#(text)"}"#)
            case .loginFailure:
                return HTTPAnswer(status: 500, #"{"error": "\#(text)", "error_description": "\#(text)"}"#)
            case .loginPage: return HTTPAnswer(status: 502, "<html>\(text)</html>")
            default:
                let members = zip(["access_token", "refresh_token"], login.renewedSecrets)
                    .map { #""\#($0)": "\#($1)""# }
                return HTTPAnswer("{" + members.joined(separator: ", ") + "}")
            }
        }
        let isRenewed = request.header("Authorization") == "Bearer 00Dxx!Renewed.Token/4"
        guard isRenewed else {
            return HTTPAnswer(status: 401, #"[{"errorCode": "INVALID_SESSION_ID", "message": "x"}]"#)
        }
        switch place {
        case .loginRefusal, .loginFailure, .loginPage, .unauthorized: return HTTPAnswer(status: 401, error)
        case .cursor where request.pathWithoutQuery.hasSuffix("/query"):
            let next = "/services/data/v66.0/query/01g-2000?sid=" + known.map { Spelling.percent.text($0) }.joined()
            return HTTPAnswer(
                #"""
                {"totalSize": 2, "done": false, "nextRecordsUrl": "\#(next)", "records": [
                  {"attributes": {"type": "Account"}, "Id": "001000000000009AAA", "Name": "Nine",
                   "LastModifiedDate": "2026-01-05T08:00:00.000+0000"}]}
                """#)
        case .badRequest, .code, .cursor: return HTTPAnswer(status: 400, error)
        case .forbidden: return HTTPAnswer(status: 403, error)
        case .notFound: return HTTPAnswer(status: 404, error)
        case .failure: return HTTPAnswer(status: 500, error)
        case .page: return HTTPAnswer(status: 500, "<html><title>\(text)</title></html>")
        case .redirect:
            var answer = HTTPAnswer(status: 302, text)
            answer.response.headerFields[.location] =
                "https://other.example/?sid=" + secrets.map { Spelling.percent.text($0) }.joined()
            return answer
        case .recordError: return HTTPAnswer(records(in: request))
        case .damagedJSON: return HTTPAnswer(#"{"records": [{"Name": "\#(text)", \#(text)"#)
        case .connection: throw SoupError.network(.unknown, "the connection with \(text) broke")
        }
    }

    /// Returns a response with an error for every record of a request.
    private func records(in request: RecordedRequest) -> String {
        let errors = #"[{"message": "\#(text)", "statusCode": "ODD", "errorCode": "ODD", "fields": ["\#(text)"]}]"#
        if request.pathWithoutQuery.hasSuffix("/composite") {
            let count = (try? JSONValue(parsing: request.body ?? []))?["compositeRequest"]?.arrayValue?.count ?? 0
            let one = #"{"httpStatusCode": 400, "referenceId": "x", "httpHeaders": {}, "body": \#(errors)}"#
            return #"{"compositeResponse": [\#(Array(repeating: one, count: count).joined(separator: ","))]}"#
        }
        if request.pathWithoutQuery.hasSuffix("/composite/sobjects") {
            return #"[{"success": false, "errors": \#(errors)}]"#
        }
        return errors
    }
}
