// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
public import SoupCore

extension PushFailure {
    /// The failure that an error of Salesforce means for one record.
    ///
    /// - Parameters:
    ///   - kind: what was to be done. Only a record that exists can be gone.
    ///   - status: the HTTP status of the record's own answer; nil in collections, where the code alone decides.
    public init(_ error: SalesforceErrorBody, kind: RecordChange.Kind, status: Int? = nil) {
        let existed = kind == .update || kind == .delete
        let isGone: Bool
        let isRelatedGone: Bool
        if let status {
            isGone = existed && status == 404
            isRelatedGone = status != 404 && error.code == "ENTITY_IS_DELETED"
        } else {
            // With a field the error is about the record that the field refers to.
            isGone =
                existed && error.fields.isEmpty
                && ["ENTITY_IS_DELETED", "INVALID_CROSS_REFERENCE_KEY"].contains(error.code)
            isRelatedGone = !isGone && error.code == "ENTITY_IS_DELETED"
        }
        self.init(
            code: error.code, message: error.message, fields: error.fields, isGone: isGone,
            isRelatedGone: isRelatedGone,
            isRetryable: Self.passing.contains(error.code) || status.map { $0 == 429 || $0 >= 500 } ?? false,
            remedy: Self.locked.contains(error.code)
                ? .wait : status == 413 || Self.tooLarge.contains(error.code) ? .split : nil)
    }

    /// Codes of a record that another transaction is changing at the moment.
    private static let locked: Set<String> = ["UNABLE_TO_LOCK_ROW"]

    /// Codes of requests that are too large as a whole.
    private static let tooLarge: Set<String> = [
        "EXCEEDED_MAX_SIZE_REQUEST", "REQUEST_TOO_LARGE", "REQUEST_ENTITY_TOO_LARGE", "HTTP_413",
    ]

    /// Codes of trouble that passes without a change of the record.
    private static let passing: Set<String> = [
        "UNABLE_TO_LOCK_ROW", "REQUEST_LIMIT_EXCEEDED", "SERVER_UNAVAILABLE", "PROCESSING_HALTED",
        "ALL_OR_NONE_OPERATION_ROLLED_BACK", "QUERY_TIMEOUT", "TXN_SECURITY_METERING_ERROR",
    ]

    /// The failure of a change that was never sent, because a request before it got no answer.
    public static func notSent(_ reason: String) -> PushFailure {
        PushFailure(code: "NOT_SENT", message: "not sent: \(reason)", isRetryable: true)
    }

    /// The failure of a change that may have reached the server.
    public static func lost(_ reason: String) -> PushFailure {
        PushFailure(code: "ANSWER_LOST", message: "the answer was lost: \(reason)")
    }
}

extension HTTPAnswer {
    /// What an answer that is no success says of every change that its request carried.
    ///
    /// Nil when it says nothing that can be relied on: an error of something between here and the server.
    var refusal: SalesforceErrorBody? {
        if status >= 500 || status == 429 { return salesforceListsErrors ? salesforceError : nil }
        return salesforceError
            ?? SalesforceErrorBody(code: "HTTP_\(status)", message: salesforceFailure(of: "the push").message)
    }

    /// Whether the answer tells what became of its request.
    ///
    /// An error of something between here and the server does not: the server may have done its work.
    public var isOfTheServer: Bool { isSuccess || refusal != nil }

    /// Whether the body is the array of errors that the REST API writes, which nothing on the way to it does.
    private var salesforceListsErrors: Bool {
        (try? JSONValue(parsing: body))?.arrayValue?.contains { $0["errorCode"]?.stringValue != nil } ?? false
    }

    /// Whether a request was turned away before any work, as too many or at the wrong time.
    ///
    /// That takes more than status 429 or 503, which a gateway also gives when it has waited for the server in vain: an
    /// error of Salesforce's own, or a `Retry-After` header.
    var turnsAway: Bool {
        (status == 429 || status == 503)
            && (response.headerFields[.retryAfter] != nil || salesforceListsErrors)
    }

    /// Whether the server refuses everything for now, whatever is sent, and has done nothing: there is no point in
    /// going on.
    public var refusesEverything: Bool {
        turnsAway || (status == 403 && salesforceError?.code == "REQUEST_LIMIT_EXCEEDED")
    }

    /// The time of the answer, as the modification date of what it confirms: not before the server's own.
    ///
    /// The header drops fractions of a second, so the last millisecond of that second is meant.
    public var confirmationDate: String? { serverTime.map { Timestamp.format($0 + 999) } }
}
