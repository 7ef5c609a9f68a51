// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

extension OrgFault {
    /// The effect of a fault on a request.
    public enum Effect: Sendable {
        /// Another response; the request is not carried out.
        ///
        /// The body is an error of the REST API; for an HTML type, and for 502 and 504 without a type, a page.
        case http(
            status: Int, code: String = "UNKNOWN_EXCEPTION", message: String? = nil, headers: [String: String] = [:],
            contentType: String? = nil)
        /// A pause before the request is processed, plus a random time of at most `jitter`.
        case latency(Duration, jitter: Duration = .zero)
        /// The body is sent at a number of bytes a second, with a pause of `stall` after `stallAfter` bytes.
        case slowBody(bytesPerSecond: Int? = nil, stallAfter: Int? = nil, stall: Duration = .zero)
        case drop(DropPoint)
        /// The response ends after a number of bytes, though its headers claim that it is complete.
        case truncate(Int)
        /// The response is not JSON: a number of random bytes, or an HTML page for nil.
        case garbage(bytes: Int? = nil)
        /// The day's API calls are used up.
        case limit
        /// Every access token ends.
        case expireToken
        /// Every access token ends after a number of calls, including this one, and after a time.
        case expireTokenLater(calls: Int? = nil, after: Duration? = nil)
        /// A refresh fails; applies to refresh requests only.
        case refreshFails(RefreshFailure)
        /// `/userinfo` and `/singleaccess` reject the token with 403; applies to these requests only.
        case badOAuthToken
        case itemError(ItemError)
        /// All queries in progress end.
        case expireCursors
        /// A query that has served a number of pages, or is older than a time, cannot be continued.
        case expireCursorsLater(pages: Int? = nil, after: Duration? = nil)
        /// Pages have at most this number of rows.
        case shrinkPages(Int)
        /// The bulk job or batch that the request creates or polls fails as a whole with this message.
        case jobFail(String)
        /// The bulk job or batch that the request creates stays in a state for a number of polls, and until the org's
        /// clock has advanced by a time.
        case jobStall(polls: Int, time: Duration, state: StalledState = .inProgress)
        /// Rows of a query without an order are shuffled with this seed, or with the fault's own for nil.
        case shuffle(Int64? = nil)
        /// Independent subrequests run from the last to the first; the responses keep their positions.
        case reverseIndependent
        /// Rows change before the next page of a query is read; applies to such requests only.
        case mutateBetweenPages([RowChange])
        /// Searches do not find the changes that are more recent than a time.
        case searchIndexDelay(Duration)
        /// `/updated` and `/deleted` are delayed by a time.
        case replicationLag(Duration)
        /// The changes of the request were made a time before they are committed, so that they have earlier dates;
        /// applies to requests that write.
        case lateCommit(Duration)
        /// The previous response is repeated; the request is carried out.
        case duplicateResponse
        /// The request is carried out, and a gateway responds instead of the org: with this text, or an HTML page for
        /// nil.
        case gateway(status: Int, body: String? = nil)
        /// The next refreshed token, and all later ones, name another instance; applies to refresh requests only.
        case moveInstance(String)
    }

    /// The failure of a request that refreshes a token.
    public enum RefreshFailure: Sendable, Hashable {
        /// 400 `invalid_grant`: the session has ended.
        case invalidGrant
        /// An error of the server, such as 503 or 429.
        case status(Int)
        /// No response: the connection breaks after a time.
        case timeout(Duration)
    }

    /// The state of a bulk job or a batch that stalls.
    public enum StalledState: String, Sendable, Hashable, CaseIterable {
        /// The job was submitted and its processing has not begun.
        case uploadComplete = "UploadComplete"
        case inProgress = "InProgress"
    }

    /// A change of a row by another user.
    ///
    /// An ID may be `@` and a key of the seed.
    public enum RowChange: Sendable, Hashable {
        case insert(object: String, values: JSONObject)
        case edit(object: String, id: String, values: JSONObject)
        case delete(object: String, id: String)
    }

    /// An error for one record of a request: of a collection, a tree, a composite request or a bulk job.
    public struct ItemError: Sendable, Hashable {
        /// The position in the collection; nil for any.
        public var index: Int?
        /// The subrequest of a composite request; nil for any.
        public var referenceId: String?
        /// The object of the record; nil for any.
        public var object: String?
        /// A member of the record, with ``value``; nil for any.
        public var field: String?
        /// The value of ``field``; nil for any value.
        public var value: JSONValue?
        /// A text that the record contains, such as a value; nil for any.
        public var contains: String?
        /// The error's name, such as `UNABLE_TO_LOCK_ROW`.
        public var code: String
        /// The message of the error.
        public var message: String
        /// The fields in the error.
        public var fields: [String]

        /// Creates an error.
        ///
        /// The default message is that of an org for a locked row, else the code and `on purpose`.
        public init(
            index: Int? = nil, referenceId: String? = nil, object: String? = nil, field: String? = nil,
            value: JSONValue? = nil, contains: String? = nil, code: String, message: String? = nil,
            fields: [String] = []
        ) {
            self.index = index
            self.referenceId = referenceId
            self.object = object
            self.field = field
            self.value = value
            self.contains = contains
            self.code = code
            self.message =
                message
                ?? (code == "UNABLE_TO_LOCK_ROW"
                    ? "unable to obtain exclusive access to this record or 1 records" : "\(code) on purpose")
            self.fields = fields
        }
    }
}

extension OrgFault.Effect {
    /// Whether it only delays the request: such faults are applied in addition to another one.
    var isDelay: Bool {
        switch self {
        case .latency, .slowBody: true
        default: false
        }
    }
}
