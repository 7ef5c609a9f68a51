// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import SoupCore

/// Trouble that a local org makes on purpose: which requests it strikes, when, and what happens then.
///
/// ```swift
/// org.add(OrgFault(.http(status: 503, code: "SERVER_UNAVAILABLE"), path: "/composite", count: 1))
/// ```
public struct OrgFault: Sendable {
    /// Where a connection breaks.
    public enum DropPoint: String, Sendable, Hashable {
        /// Before the request is taken: the server was never reached.
        case accept
        /// After the request came, before anything was done.
        case beforeHeaders
        /// In the middle of the answer; what was asked for is done.
        case midBody
        /// When everything is done and saved, before the answer.
        case afterCommit
    }

    /// An error for one record of a request.
    public struct ItemError: Sendable, Hashable {
        /// The position in the collection; nil for any.
        public var index: Int?
        /// The subrequest of a composite request; nil for any.
        public var referenceId: String?
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
            index: Int? = nil, referenceId: String? = nil, contains: String? = nil, code: String,
            message: String? = nil, fields: [String] = []
        ) {
            self.index = index
            self.referenceId = referenceId
            self.contains = contains
            self.code = code
            self.message =
                message
                ?? (code == "UNABLE_TO_LOCK_ROW"
                    ? "unable to obtain exclusive access to this record or 1 records" : "\(code) on purpose")
            self.fields = fields
        }
    }

    /// What happens to a request that is struck.
    public enum Effect: Sendable {
        /// An answer instead of the one asked for; nothing is done.
        case http(
            status: Int, code: String = "UNKNOWN_EXCEPTION", message: String? = nil, headers: [String: String] = [:])
        /// A pause before the request is looked at, in milliseconds.
        case latency(Int64)
        case drop(DropPoint)
        /// The answer ends behind so many bytes, though it claims to be complete.
        case truncate(Int)
        /// The answer is not JSON.
        case garbage
        /// The day's API calls are used up.
        case limit
        /// Every access token ends.
        case expireToken
        case itemError(ItemError)
        /// All queries that could be continued are forgotten.
        case expireCursors
        /// Pages have at most so many rows.
        case shrinkPages(Int)
        /// The bulk job or the batch that the request hands over, or looks at, fails as a whole with this message.
        case jobFail(String)
        /// The bulk job or the batch that the request hands over stays in progress for so many more looks, and until the
        /// org's clock has gone on by so many milliseconds.
        case jobStall(looks: Int, milliseconds: Int64)
    }

    /// What the journal calls the fault, and how it is removed; an empty one gets an id when it is added (`f1`).
    public var id: String
    /// What happens when it strikes; of several faults that match, one has its way, beside all pauses.
    public var effect: Effect
    /// A verb; nil for any.
    public var method: String?
    /// A regular expression for the path; nil for any.
    public var path: String?
    /// An object that the path or the body names; nil for any.
    public var object: String?
    /// A text in the body; nil for any.
    public var bodyContains: String?
    /// Which of the matching requests are struck, counted from 1; empty for all.
    public var nth: [Int]
    /// Every so many matching requests; nil for all.
    public var every: Int?
    /// How often it strikes at most; nil without end.
    public var count: Int?
    /// How likely it strikes, from 0 to 1, by numbers that are the same in each run.
    public var probability: Double
    /// Where the numbers for ``probability`` begin: the same seed strikes the same matching requests.
    public var seed: UInt64

    /// Makes a fault that strikes every request until it is removed, unless told otherwise.
    ///
    /// A `path` that is no regular expression matches nothing.
    public init(
        _ effect: Effect, id: String = "", method: String? = nil, path: String? = nil, object: String? = nil,
        bodyContains: String? = nil, nth: [Int] = [], every: Int? = nil, count: Int? = nil, probability: Double = 1,
        seed: UInt64 = 1
    ) {
        self.effect = effect
        self.id = id
        self.method = method
        self.path = path
        self.object = object
        self.bodyContains = bodyContains
        self.nth = nth
        self.every = every
        self.count = count
        self.probability = probability
        self.seed = seed
    }

    /// Whether a request is one of those that the fault may strike.
    func matches(_ request: OrgRequest) -> Bool {
        if let method, method.uppercased() != request.method { return false }
        if let path {
            let target = String(request.url.prefix { $0 != "?" })
            guard let pattern = try? Regex(path), (try? pattern.firstMatch(in: target)) != nil else { return false }
        }
        if let object {
            let named = request.segments.contains { $0.lowercased() == object.lowercased() }
            let inBody = String(decoding: request.body, as: UTF8.self).lowercased().contains(
                "\"\(object.lowercased())\"")
            if !named && !inBody { return false }
        }
        if let bodyContains { return String(decoding: request.body, as: UTF8.self).contains(bodyContains) }
        return true
    }
}
