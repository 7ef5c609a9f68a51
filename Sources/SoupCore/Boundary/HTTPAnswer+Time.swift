// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension HTTPAnswer {
    /// The time of the server's `Date` header; nil without that header.
    public var serverTime: Date? { response.headerFields[.date].flatMap { DateText.parseHTTPDate($0) } }
}
