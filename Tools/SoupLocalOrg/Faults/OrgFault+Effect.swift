// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

extension OrgFault {
    /// What happens to a request that is struck.
    public enum Effect: Sendable {
        /// An answer instead of the one asked for; nothing is done.
        ///
        /// The body is an error as the REST API has them; for a type of HTML, and for 502 and 504 without a type, a
        /// page.
        case http(
            status: Int, code: String = "UNKNOWN_EXCEPTION", message: String? = nil, headers: [String: String] = [:],
            contentType: String? = nil)
        /// A pause before the request is looked at, in milliseconds, and as many more as `jitter` at most.
        case latency(Int64, jitter: Int64 = 0)
        /// The body comes at so many bytes a second, and stands still once behind so many bytes, for `stall`
        /// milliseconds.
        case slowBody(bytesPerSecond: Int? = nil, stallAfter: Int? = nil, stall: Int64 = 0)
        case drop(DropPoint)
        /// The answer ends behind so many bytes, though it claims to be complete.
        case truncate(Int)
        /// The answer is not JSON: so many bytes at random, or a page of HTML for nil.
        case garbage(bytes: Int? = nil)
        /// The day's API calls are used up.
        case limit
        /// Every access token ends.
        case expireToken
        /// Every access token ends after so many calls, the struck one included, and after so many milliseconds at
        /// most.
        case expireTokenLater(calls: Int? = nil, milliseconds: Int64? = nil)
        /// A refresh token brings no access token; strikes such requests only.
        case refreshFails(RefreshFailure)
        /// `/userinfo` and `/singleaccess` take the token for a bad one, with 403; strikes such requests only.
        case badOAuthToken
        case itemError(ItemError)
        /// All queries that could be continued are forgotten.
        case expireCursors
        /// A query that has served so many pages, or is so many milliseconds old, cannot be continued.
        case expireCursorsLater(pages: Int? = nil, milliseconds: Int64? = nil)
        /// Pages have at most so many rows.
        case shrinkPages(Int)
        /// The bulk job or the batch that the request hands over, or looks at, fails as a whole with this message.
        case jobFail(String)
        /// The bulk job or the batch that the request hands over stays in a state for so many more looks, and until the
        /// org's clock has gone on by so many milliseconds.
        case jobStall(looks: Int, milliseconds: Int64, state: StalledState = .inProgress)
        /// Rows of a query without an order come in any: one that depends on the number, or on the fault's own for nil.
        case shuffle(Int64? = nil)
        /// Subrequests that do not need each other are done from the last to the first; the answers stay where they
        /// belong.
        case reverseIndependent
        /// Rows change before the next page of a query is read; strikes such requests only.
        case mutateBetweenPages([RowChange])
        /// Searches do not know yet what changed in the last so many milliseconds.
        case searchIndexDelay(Int64)
        /// `/updated` and `/deleted` are so many milliseconds behind.
        case replicationLag(Int64)
        /// The body of the answer before comes again; what was asked for is done.
        case duplicateResponse
        /// The request is carried out, and a gateway answers in the org's place: with this text, or a page of HTML for
        /// nil.
        case gateway(status: Int, body: String? = nil)
        /// The next token that is refreshed names another instance, and so do all after it; strikes such requests only.
        case moveInstance(String)
    }

    /// How refreshing a token fails.
    public enum RefreshFailure: Sendable, Hashable {
        /// 400 `invalid_grant`: the session is over.
        case invalidGrant
        /// An error of the server, such as 503 or 429.
        case status(Int)
        /// No answer: the connection breaks after so many milliseconds.
        case timeout(Int64)
    }

    /// The state that a bulk job or a batch which stalls is found in.
    public enum StalledState: String, Sendable, Hashable, CaseIterable {
        /// As it was handed over: nobody has begun with it.
        case uploadComplete = "UploadComplete"
        case inProgress = "InProgress"
    }

    /// Something that happens to a row behind the client's back; where ids are, `@` and a key of the seed will do.
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
        /// What ``field`` holds; nil for anything that is there.
        public var value: JSONValue?
        /// A text that the record holds, such as a value; nil for any.
        public var contains: String?
        /// The error's name, such as `UNABLE_TO_LOCK_ROW`.
        public var code: String
        /// The sentence that the answer has beside the code.
        public var message: String
        /// The fields that the answer blames.
        public var fields: [String]

        /// Makes an error; without a message the one that an org has for a locked row, else the code and `on purpose`.
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
    /// Whether it only takes time: such faults add up, beside the one that has its way.
    var isDelay: Bool {
        switch self {
        case .latency, .slowBody: true
        default: false
        }
    }
}
