// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

// The declarations of Apple's AuthenticationServices that SoupKit uses.

public import Foundation

open class ASPresentationAnchor: NSObject {}

@MainActor
public protocol ASWebAuthenticationPresentationContextProviding {
    func presentationAnchor(for session: ASWebAuthenticationSession) -> ASPresentationAnchor
}

open class ASWebAuthenticationSession: NSObject {
    @available(macOS 14.4, iOS 17.4, tvOS 17.4, watchOS 10.4, visionOS 1.1, *)
    public final class Callback: NSObject {
        public class func customScheme(_ scheme: String) -> Callback { Callback() }
    }
    @available(macOS 14.4, iOS 17.4, tvOS 17.4, watchOS 10.4, visionOS 1.1, *)
    public init(url: URL, callback: Callback, completionHandler: @escaping (URL?, (any Error)?) -> Void) {}
    @available(macOS 10.15, iOS 13.0, visionOS 1.0, *)
    public weak var presentationContextProvider: (any ASWebAuthenticationPresentationContextProviding & AnyObject)?
    @available(macOS 10.15, iOS 13.0, visionOS 1.0, *)
    public var prefersEphemeralWebBrowserSession = false
    @discardableResult
    public func start() -> Bool { false }
    public func cancel() {}
}
