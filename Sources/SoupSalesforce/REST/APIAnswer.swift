// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

/// The content of a REST API response, if the response is the API's own.
///
/// Gateways, proxies and login pages also answer requests, with any status and any body, and possibly after the API has
/// carried out the request. Only ``refusal(_:)`` proves that a request was not carried out. A ``success(_:)`` has the
/// form that all successes of the API share. The code that reads it checks the rest: a page with ``QueryPageScan``, a
/// record with ``SoupCore/JSONValue/isRecord(_:)``.
public enum APIAnswer: Sendable, Hashable {
    /// A success: the JSON of the body; null for HTTP 204, which has none.
    case success(JSONValue)
    /// The API refused the request; this is its first error. Nothing was changed.
    case refusal(SalesforceErrorBody)
    /// The response is not in the API's form; the text describes it. The outcome of the request is unknown.
    case foreign(String)

    /// Classifies one response, of a request or of a subrequest.
    ///
    /// * A success is a status of the API (200, 201 or 204) with a JSON object or array; HTTP 204 has no body. The
    ///   other statuses require a body, because gateways answer with an empty HTTP 200.
    /// * A refusal is a status of 400 or higher with an array of errors, each with an `errorCode`; or HTTP 300 with an
    ///   array of texts, the records that an external ID matches.
    ///
    /// - Parameters:
    ///   - body: nil for a body that is not JSON; null for an empty one.
    ///   - isConditional: whether the request has a precondition; HTTP 412 is then a refusal without a body, too.
    public init(status: Int, body: JSONValue?, isConditional: Bool = false) {
        switch (status, body) {
        case (412, .null?) where isConditional:
            self = .refusal(
                SalesforceErrorBody(code: "PRECONDITION_FAILED", message: "the record was modified on the server"))
        case (204, .null?): self = .success(.null)
        case (200, let body?), (201, let body?):
            self = body.objectValue == nil && body.arrayValue == nil ? Self.foreign(status, body) : .success(body)
        case (300, .array(let urls)?) where !urls.isEmpty && urls.allSatisfy({ $0.stringValue != nil }):
            self = .refusal(
                SalesforceErrorBody(code: "HTTP_300", message: "more than one record has this external ID"))
        case (400..., .array(let errors)?) where errors.allSatisfy({ $0["errorCode"]?.stringValue != nil }):
            self = SalesforceErrorBody(errors.first).map(Self.refusal) ?? Self.foreign(status, body)
        default: self = Self.foreign(status, body)
        }
    }

    private static func foreign(_ status: Int, _ body: JSONValue?) -> APIAnswer {
        let content =
            switch body {
            case nil: "a body that is not JSON"
            case .null?: "an empty body"
            default: "JSON that is not in the form of the API"
            }
        return .foreign("HTTP \(status) with \(content) is not a response of the Salesforce API")
    }

    /// The description of a response that is not in the API's form; nil for the API's own.
    public var foreignDescription: String? { if case .foreign(let text) = self { text } else { nil } }

    /// The error with which the API refused the request; nil for every other response.
    public var refusal: SalesforceErrorBody? { if case .refusal(let error) = self { error } else { nil } }
}

extension HTTPAnswer {
    /// Whether the status is 200, the only success status of a query, a composite request or a collection.
    public var isOK: Bool { status == 200 }

    /// The content of this response, if it is the API's own.
    public var apiAnswer: APIAnswer { apiAnswer(isConditional: false) }

    /// Returns the content of this response, if it is the API's own.
    ///
    /// - Parameter isConditional: whether the request has a precondition.
    func apiAnswer(isConditional: Bool) -> APIAnswer {
        APIAnswer(
            status: status, body: body.isEmpty ? .null : (try? JSONValue(parsing: body)),
            isConditional: isConditional)
    }

    /// The description, with a hint, of a response that should be the API's own.
    public var foreignDescription: String {
        let text = apiAnswer.foreignDescription ?? "HTTP \(status) is not the expected response of the Salesforce API"
        let advice =
            switch status {
            case 413, 414, 431: "; if a gateway limits the size of requests, lower maxBatchSize"
            default: "; check the URL of the instance, the apiVersion, and any gateway in between"
            }
        return text + advice
    }
}

extension SalesforceErrorBody {
    /// The information that an error contains about the existence of the requested record.
    public enum Existence: Sendable, Hashable {
        /// The record does not exist: the code is about a record, so the API knows its object.
        case gone
        /// A part of the path does not exist. The API answers a wrong version or object in the same way, so the caller
        /// must confirm the object (``SalesforceClient/hasObject(_:)``) before the record counts as deleted.
        case goneIfObjectExists
        /// The error contains no information about the record.
        case unknown
    }

    /// Returns the information that the error contains about the record of a row request, or of a subrequest.
    ///
    /// - Parameter status: the HTTP status of that request's own response. With a status other than 404 an error is
    ///   about a record that the sent fields refer to.
    public func existence(status: Int) -> Existence {
        guard status == 404 else { return .unknown }
        switch code {
        case "ENTITY_IS_DELETED", "INVALID_CROSS_REFERENCE_KEY": return .gone
        case "NOT_FOUND": return .goneIfObjectExists
        default: return .unknown
        }
    }
}

extension JSONValue {
    /// Returns whether this is a record as the API returns it: an object with its `Id`, or with `attributes` that name
    /// its type.
    ///
    /// - Parameter id: the requested ID; a record with another ID returns false.
    public func isRecord(_ id: String) -> Bool {
        guard objectValue != nil else { return false }
        if let own = self["Id"]?.stringValue { return SalesforceID.same(own, id) }
        return self["attributes"]?["type"]?.stringValue?.isEmpty == false
    }
}
