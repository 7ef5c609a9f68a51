// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
public import SoupCore

extension PushFailure {
    /// Converts an error of Salesforce to the failure of one record.
    ///
    /// - Parameters:
    ///   - kind: the kind of the change. Only an existing record can be gone.
    ///   - status: the HTTP status of the record's own response; nil in collections, where the code alone decides. With
    ///     404 and `NOT_FOUND` the record does not count as gone yet: ``PushLedger/confirmGone(with:)`` decides.
    public init(_ error: SalesforceErrorBody, kind: RecordChange.Kind, status: Int? = nil) {
        let existed = kind == .update || kind == .delete
        let isGone: Bool
        let isRelatedGone: Bool
        if let status {
            isGone = existed && error.existence(status: status) == .gone
            isRelatedGone = status != 404 && error.code == "ENTITY_IS_DELETED"
        } else {
            // An error with a field is about the record that the field refers to.
            isGone =
                existed && error.fields.isEmpty
                && ["ENTITY_IS_DELETED", "INVALID_CROSS_REFERENCE_KEY"].contains(error.code)
            isRelatedGone = !isGone && error.code == "ENTITY_IS_DELETED"
        }
        self.init(
            code: error.code, message: error.message, fields: error.fields, isGone: isGone,
            isRelatedGone: isRelatedGone,
            isRetryable: Self.temporary.contains(error.code) || status.map { $0 == 429 || $0 >= 500 } ?? false,
            retryStrategy: Self.locked.contains(error.code)
                ? .wait : status == 413 || Self.tooLarge.contains(error.code) ? .split : nil)
    }

    /// Codes of a record that another transaction is changing at the moment.
    private static let locked: Set<String> = ["UNABLE_TO_LOCK_ROW"]

    /// Codes of requests that are too large as a whole.
    private static let tooLarge: Set<String> = [
        "EXCEEDED_MAX_SIZE_REQUEST", "REQUEST_TOO_LARGE", "REQUEST_ENTITY_TOO_LARGE",
    ]

    /// The codes of temporary errors, for which a retry without a change of the record can succeed.
    private static let temporary: Set<String> = [
        "UNABLE_TO_LOCK_ROW", "REQUEST_LIMIT_EXCEEDED", "SERVER_UNAVAILABLE", "PROCESSING_HALTED",
        "ALL_OR_NONE_OPERATION_ROLLED_BACK", "QUERY_TIMEOUT", "TXN_SECURITY_METERING_ERROR",
    ]

    /// Returns the failure of a change that was never sent, because a request before it got no response.
    public static func notSent(_ reason: String) -> PushFailure {
        PushFailure(code: "NOT_SENT", message: "not sent: \(reason)", isRetryable: true)
    }

    /// Returns the failure of a change that may have reached the server.
    public static func lost(_ reason: String) -> PushFailure {
        PushFailure(code: "ANSWER_LOST", message: "the outcome is unknown: \(reason)")
    }

    /// Returns the failure of a creation that the server confirmed without a valid record ID.
    ///
    /// - Parameter value: the server's value in place of the ID; nil if it returned none.
    public static func lostId(returned value: String?) -> PushFailure {
        lost(
            value.map { "the server created the record and returned \"\($0.excerpt(40))\", which is not a record ID" }
                ?? "the server created the record and did not return its ID")
    }
}

extension HTTPAnswer {
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

    /// Whether the API itself rejected the request before any work, because of a limit or maintenance.
    ///
    /// A gateway also answers with 429 or 503 and `Retry-After` after a timeout of the server.
    var isThrottled: Bool { (status == 429 || status == 503) && apiAnswer.refusal != nil }

    /// Whether the server or a gateway asks the client to wait: as ``isThrottled``, or with `Retry-After`.
    var asksToWait: Bool {
        (status == 429 || status == 503)
            && (response.headerFields[.retryAfter] != nil || apiAnswer.refusal != nil)
    }

    /// Whether the server currently refuses every request and has changed nothing, so that further requests are
    /// useless.
    public var refusesEverything: Bool {
        isThrottled || (status == 403 && apiAnswer.refusal?.code == "REQUEST_LIMIT_EXCEEDED")
    }

    /// The time of the response, as the modification date of the confirmed records: never before the server's own.
    ///
    /// The header has no fractions of a second, so the date is the last millisecond of that second.
    public var confirmationDate: String? { serverTime.map { DateText.format($0.millisecondsSince1970 + 999) } }
}
