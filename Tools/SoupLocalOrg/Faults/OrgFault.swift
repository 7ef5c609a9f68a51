// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

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
    /// The client that the request's token was given to, by its id, or that asks for a token; nil for any.
    public var client: String?
    /// How long after it was put in place it begins to strike, in milliseconds on the org's clock.
    public var afterMilliseconds: Int64
    /// Which of the matching requests are struck, counted from 1; empty for all.
    public var nth: [Int]
    /// Every so many matching requests; nil for all.
    public var every: Int?
    /// How often it strikes at most; nil without end.
    public var count: Int?
    /// How likely it strikes, from 0 to 1, by numbers that are the same in each run.
    public var probability: Double
    /// Where all numbers of the fault begin: the same seed strikes the same matching requests in the same way.
    public var seed: UInt64

    /// Makes a fault that strikes every request until it is removed, unless told otherwise.
    ///
    /// A `path` that is no regular expression matches nothing.
    public init(
        _ effect: Effect, id: String = "", method: String? = nil, path: String? = nil, object: String? = nil,
        bodyContains: String? = nil, client: String? = nil, nth: [Int] = [], every: Int? = nil, count: Int? = nil,
        probability: Double = 1, seed: UInt64 = 1, afterMilliseconds: Int64 = 0
    ) {
        self.effect = effect
        self.id = id
        self.method = method
        self.path = path
        self.object = object
        self.bodyContains = bodyContains
        self.client = client
        self.afterMilliseconds = afterMilliseconds
        self.nth = nth
        self.every = every
        self.count = count
        self.probability = probability
        self.seed = seed
    }
}
