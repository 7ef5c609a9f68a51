// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

/// One error of Salesforce, in any of its formats.
public struct SalesforceErrorBody: Sendable, Hashable {
    /// The name of the error, such as `STRING_TOO_LONG` or, from OAuth, `invalid_grant`.
    public var code: String
    /// The server's message; the code if the server sent none.
    public var message: String
    /// The fields that the error is about; often empty.
    public var fields: [String]

    /// Creates an error for a response that does not name one.
    public init(code: String, message: String, fields: [String] = []) {
        self.code = code
        self.message = message
        self.fields = fields
    }

    /// Reads one object: `errorCode` in REST responses, `statusCode` in collections, `error` in OAuth responses.
    public init?(_ json: JSONValue?) {
        guard let json, let code = (json["errorCode"] ?? json["statusCode"] ?? json["error"])?.stringValue else {
            return nil
        }
        self.init(
            code: code, message: (json["message"] ?? json["error_description"])?.stringValue ?? code,
            fields: json["fields"]?.arrayValue?.compactMap(\.stringValue) ?? [])
    }

    /// Reads a whole body: an array of errors or a single one; empty for anything else.
    public static func all(in json: JSONValue?) -> [SalesforceErrorBody] {
        (json?.arrayValue ?? [json].compactMap { $0 }).compactMap { SalesforceErrorBody($0) }
    }

    /// Reads a whole body.
    public static func all(in bytes: [UInt8]) -> [SalesforceErrorBody] { all(in: try? JSONValue(parsing: bytes)) }
}

extension HTTPAnswer {
    /// The first error that the body names.
    public var salesforceError: SalesforceErrorBody? { SalesforceErrorBody.all(in: body).first }

    /// Returns the error for an unexpected response, with Salesforce's own code and text.
    ///
    /// Its code is `cursorExpired` for a query locator that the server no longer knows, `objectNotFound` for an object
    /// that it does not have, `requestLimit` if the requests of 24 hours are used up, `unavailable` if it refuses every
    /// request for another reason (``refusesEverything``) or asks to wait, otherwise `server`. A response that is not
    /// the API's own (``APIAnswer``) never means `objectNotFound`.
    public func salesforceFailure(of what: String) -> SoupError {
        let isUnavailable = refusesEverything || asksToWait
        guard let error = salesforceError else {
            let text = String(decoding: body.prefix(1200), as: UTF8.self).excerpt(300)
            return SoupError(
                isUnavailable ? .unavailable : .server,
                "\(what) failed with HTTP \(status)" + (text.isEmpty ? "" : ": \(text)"), hint: statusHint)
        }
        let code: SoupError.Code =
            switch error.code {
            case "INVALID_QUERY_LOCATOR": .cursorExpired
            case "REQUEST_LIMIT_EXCEEDED" where status == 403 && apiAnswer.refusal != nil: .requestLimit
            case "INVALID_TYPE" where apiAnswer.refusal != nil,
                "NOT_FOUND" where status == 404 && apiAnswer.refusal != nil:
                .objectNotFound
            default: isUnavailable ? .unavailable : .server
            }
        return SoupError(
            code, "\(what) failed with HTTP \(status), \(error.code): \(error.message)",
            hint: error.hint ?? (code == .cursorExpired ? nil : statusHint))
    }

    /// A hint for the user, based on the status; nil if only the caller can give one.
    private var statusHint: String? {
        switch status {
        case 429, 503:
            "Try again in a few minutes: the server is overloaded or under maintenance. No data is lost."
        case 500...:
            "Try again later: the server has an internal error. No data is lost. If it persists, contact its administrator."
        case 400: "Check the query, the field lists and the other names in the configuration of the sync."
        case 403: "Ask the org's administrator whether the user has the necessary permission."
        case 404, 410: "Check the URL of the server, the version of its API, and the names in the configuration."
        case 300..<400: "Enter the new URL of the server in the configuration: the server has moved."
        case 413, 414, 431: "Reduce the size of the request: use a smaller batch size or a shorter field list."
        default: nil
        }
    }
}

extension SoupError.Code {
    /// The server has no object of that name.
    public static let objectNotFound: Self = "objectNotFound"
}

extension SalesforceErrorBody {
    /// A hint for the user.
    var hint: String? {
        switch code {
        case "REQUEST_LIMIT_EXCEEDED": "Try again later: the org has used up its API calls."
        case "INVALID_FIELD", "INVALID_TYPE", "MALFORMED_QUERY": "Check the query or the field list of the sync."
        default: nil
        }
    }
}
