// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes

extension HTTPAnswer {
    /// The time of the server's `Date` header, in milliseconds since 1970; nil without that header.
    public var serverTime: Int64? { response.headerFields[.date].flatMap(DateText.parseHTTPDate) }
}
