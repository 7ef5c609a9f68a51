// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// What a transport knows of a request that got no answer; the cause of a ``SoupError`` with `network`.
public struct NetworkFailure: Error, Sendable, Hashable {
    /// Whether the request may have reached the server.
    public enum Delivery: String, Sendable, Hashable {
        /// It certainly did not: the name was not found, the connection was refused. Safe to send again.
        case notSent
        /// It may have been carried out: only the answer is missing.
        case unknown
    }

    /// Decides whether a request that writes may be sent again.
    public var delivery: Delivery
    /// What the system said, for logs.
    public var reason: String

    /// To throw one, wrap it: ``SoupError/network(_:_:hint:)`` does.
    public init(_ delivery: Delivery, _ reason: String) {
        self.delivery = delivery
        self.reason = reason
    }
}

extension SoupError {
    /// The error of a transport for a request that got no complete answer.
    public static func network(_ delivery: NetworkFailure.Delivery, _ reason: String, hint: String? = nil) -> SoupError
    {
        SoupError(
            .network,
            delivery == .notSent ? "the server cannot be reached: \(reason)" : "the connection broke: \(reason)",
            hint: hint, cause: NetworkFailure(delivery, reason))
    }

    /// For `network`: whether the request may have been carried out.
    ///
    /// Unknown unless the transport was certain.
    public var delivery: NetworkFailure.Delivery { (cause as? NetworkFailure)?.delivery ?? .unknown }
}
