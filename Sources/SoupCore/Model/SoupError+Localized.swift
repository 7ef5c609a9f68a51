// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Alerts of apps show the message instead of a type's name and a number.
extension SoupError: LocalizedError {
    /// The place and the message, without the hint.
    public var errorDescription: String? { place.map { "\($0): \(message)" } ?? message }
    /// The hint.
    public var recoverySuggestion: String? { hint }
}

extension JSONError: LocalizedError {
    /// The same as ``description``.
    public var errorDescription: String? { description }
}

extension ConfigurationError: LocalizedError {
    /// The same as ``description``.
    public var errorDescription: String? { description }
}
