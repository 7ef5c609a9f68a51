// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

extension PushFailure {
    /// Converts an error of Salesforce to the failure of one record.
    ///
    /// - Parameters:
    ///   - kind: the kind of the change. Only an existing record can have been deleted.
    ///   - status: the HTTP status of the record's own response; nil in collections, where the code alone decides. With
    ///     404 and `NOT_FOUND` the record does not count as deleted yet: ``PushLedger/confirmGone(with:)`` decides.
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
            isRelatedGone: isRelatedGone, retry: Self.retry(after: error.code, status: status))
    }

    private static func retry(after code: String, status: Int?) -> Retry {
        if locked.contains(code) { return .afterPause }
        if status == 413 || tooLarge.contains(code) { return .inSmallerBatch }
        return temporary.contains(code) || status.map { $0 == 429 || $0 >= 500 } ?? false ? .inLaterRun : .never
    }

    /// Codes of a record that another transaction is changing at the moment.
    private static let locked: Set<String> = ["UNABLE_TO_LOCK_ROW"]

    /// Codes of requests that are too large as a whole.
    private static let tooLarge: Set<String> = [
        "EXCEEDED_MAX_SIZE_REQUEST", "REQUEST_TOO_LARGE", "REQUEST_ENTITY_TOO_LARGE",
    ]

    /// The codes of temporary errors, for which a retry without a change of the record can succeed.
    private static let temporary: Set<String> = [
        "REQUEST_LIMIT_EXCEEDED", "SERVER_UNAVAILABLE", "PROCESSING_HALTED", "ALL_OR_NONE_OPERATION_ROLLED_BACK",
        "QUERY_TIMEOUT", "TXN_SECURITY_METERING_ERROR",
    ]

    /// Returns the failure of a change that was never sent, because a request before it got no response.
    public static func notSent(_ reason: String) -> PushFailure {
        PushFailure(code: "NOT_SENT", message: "not sent: \(reason)", retry: .inLaterRun)
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
