// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes

/// The form parameters of a request, in its body or in its URL.
struct OAuthForm {
    private let values: [(name: String, value: String)]
    /// The user and the password in an `Authorization: Basic` header.
    let basic: (user: String, password: String)?

    init(_ request: OrgRequest) {
        values = OrgRequest.form(String(decoding: request.body, as: UTF8.self)) + request.query
        basic = Self.basicCredentials(request.headers[.authorization] ?? "")
    }

    subscript(name: String) -> String? { values.first { $0.name == name }?.value }

    private static func basicCredentials(_ header: String) -> (user: String, password: String)? {
        guard header.utf8.count > 6, header.lowercased().hasPrefix("basic "),
            let bytes = Base64.decoded(String(decoding: header.utf8.dropFirst(6), as: UTF8.self))
        else { return nil }
        let parts = bytes.split(separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        return (String(decoding: parts[0], as: UTF8.self), String(decoding: parts[1], as: UTF8.self))
    }
}
