// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A login on another device: the code that the user enters there, and the page for it (RFC 8628).
public struct DeviceAuthorization: Sendable, Hashable {
    /// The code that the user enters.
    public let userCode: String
    /// The URL of the page on which the user enters the code.
    public let verificationURL: String
    /// The URL of a page that contains the code already; nil if the server has none.
    public let completeURL: String?
    /// The time from which on the code is not valid any more.
    public let expiry: Date

    /// The secret with which the client asks for the tokens.
    let deviceCode: String
    /// The number of milliseconds between two requests.
    let interval: Int64

    /// Reads the response of the server; nil if a member is missing.
    init?(_ answer: HTTPAnswer, now: Int64) {
        guard answer.isSuccess, let body = try? JSONValue(parsing: answer.body),
            let userCode = body["user_code"]?.stringValue, let deviceCode = body["device_code"]?.stringValue,
            let page = (body["verification_uri"] ?? body["verification_url"])?.stringValue
        else { return nil }
        func seconds(_ key: String) -> Int64? {
            body[key].flatMap { $0.intValue ?? $0.stringValue.flatMap { Int64($0) } }.flatMap { $0 > 0 ? $0 : nil }
        }
        self.userCode = userCode
        self.deviceCode = deviceCode
        verificationURL = page
        completeURL = body["verification_uri_complete"]?.stringValue
        interval = min(seconds("interval") ?? 5, 600) * 1000
        // Salesforce does not report it: its codes are valid for ten minutes.
        expiry = Date(millisecondsSince1970: now + min(seconds("expires_in") ?? 600, 86_400) * 1000)
    }
}

extension DeviceAuthorization: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The page and the user's code, without the secret of the client.
    public var description: String { "code \(userCode) at \(verificationURL)" }

    /// The same as ``description``, so that a debugger does not show the secret.
    public var debugDescription: String { description }

    /// An empty mirror: dumps and logs would show the secret.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
