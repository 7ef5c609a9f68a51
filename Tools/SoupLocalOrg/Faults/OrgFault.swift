// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// A failure that a local org causes on purpose: the requests to which it applies, the conditions, and the effect.
///
/// Durations have a resolution of a millisecond: the org rounds them up.
///
/// ```swift
/// org.add(OrgFault(.http(status: 503, code: "SERVER_UNAVAILABLE"), path: "/composite", count: 1))
/// ```
public struct OrgFault: Sendable {
    /// The point at which a connection breaks.
    public enum DropPoint: String, Sendable, Hashable {
        /// Before the request is accepted: the client does not reach the server.
        case accept
        /// After the request arrived, before it is carried out.
        case beforeHeaders
        /// In the middle of the response; the request is carried out.
        case midBody
        /// After the request is carried out and saved, before the response.
        case afterCommit
    }

    /// The ID in the journal and for removal; an empty one is replaced by a generated ID (`f1`) when the fault is
    /// added.
    public var id: String
    /// The effect.
    ///
    /// Of several matching faults one takes effect, in addition to all pauses.
    public var effect: Effect
    /// A verb; nil for any.
    public var method: String?
    /// A regular expression for the path; nil for any.
    public var path: String?
    /// An object that the path or the body names; nil for any.
    public var object: String?
    /// A text in the body; nil for any.
    public var bodyContains: String?
    /// The ID of the client of the request's token, or of the client that requests a token; nil for any.
    public var client: String?
    /// The time from its addition until it begins to apply, on the org's clock.
    public var startDelay: Duration
    /// The positions of the matching requests to which it applies, counted from 1; empty for all.
    public var nth: [Int]
    /// The interval between the matching requests to which it applies; nil for all.
    public var every: Int?
    /// The maximum number of times that it applies; nil for no limit.
    public var count: Int?
    /// The probability that it applies, from 0 to 1; the random numbers are the same in each run.
    public var probability: Double
    /// The seed of the fault's random numbers: with the same seed it applies to the same matching requests in the same
    /// way.
    public var seed: UInt64

    /// Creates a fault that by default applies to every request until it is removed.
    ///
    /// A `path` that is not a regular expression matches nothing.
    public init(
        _ effect: Effect, id: String = "", method: String? = nil, path: String? = nil, object: String? = nil,
        bodyContains: String? = nil, client: String? = nil, nth: [Int] = [], every: Int? = nil, count: Int? = nil,
        probability: Double = 1, seed: UInt64 = 1, startDelay: Duration = .zero
    ) {
        self.effect = effect
        self.id = id
        self.method = method
        self.path = path
        self.object = object
        self.bodyContains = bodyContains
        self.client = client
        self.startDelay = startDelay
        self.nth = nth
        self.every = every
        self.count = count
        self.probability = probability
        self.seed = seed
    }
}
