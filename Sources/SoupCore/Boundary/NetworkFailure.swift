// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// Information about a request without a response; the cause of a ``SoupError`` with `network`.
public struct NetworkFailure: Error, Sendable, Hashable {
    /// Whether the request may have reached the server.
    public enum Delivery: String, Sendable, Hashable {
        /// The request did not reach the server: the name was not found, or the connection was refused. Retrying is
        /// safe.
        case notSent
        /// The server may have carried out the request: only the response is missing.
        case unknown
    }

    /// Whether the request may have reached the server; decides whether a writing request may be retried.
    public var delivery: Delivery
    /// The system's error message, for logs.
    public var reason: String

    /// Creates the failure; use ``SoupError/network(_:_:hint:)`` to throw it inside a ``SoupError``.
    public init(_ delivery: Delivery, _ reason: String) {
        self.delivery = delivery
        self.reason = reason
    }
}

extension SoupError {
    /// Returns the error of a transport for a request without a complete response.
    public static func network(_ delivery: NetworkFailure.Delivery, _ reason: String, hint: String? = nil) -> SoupError
    {
        SoupError(
            .network,
            delivery == .notSent ? "the server cannot be reached: \(reason)" : "the connection broke: \(reason)",
            hint: hint, cause: NetworkFailure(delivery, reason))
    }

    /// For `network`: whether the server may have carried out the request.
    ///
    /// Unknown unless the transport was certain.
    public var delivery: NetworkFailure.Delivery { (cause as? NetworkFailure)?.delivery ?? .unknown }
}
