// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

// The only file of this module that depends on WebKit, which Linux does not have. It contains no logic: it passes calls
// and events between a web view and a JavaScriptBridge, which is tested on every platform.
#if canImport(WebKit)
    public import Foundation
    public import WebKit
    internal import SoupCore

    /// A message handler that connects the page of a web view with a bridge.
    ///
    /// The page calls `window.webkit.messageHandlers.soupkit.postMessage(text)`, which returns a promise of a text, and
    /// receives events by `soupkit.receive(text)`; `soupkit.js` does both. The texts are the JSON of a call, of its
    /// answer and of an event, so that no number is rounded. Only allow pages of the app itself in such a web view.
    @MainActor
    public final class BridgeMessageHandler: NSObject, WKScriptMessageHandlerWithReply {
        private let bridge: JavaScriptBridge
        private var session = UUID().uuidString
        private var events: Task<Void, Never>?

        /// Creates a handler; ``attach(to:)`` begins its session.
        public init(_ bridge: JavaScriptBridge) { self.bridge = bridge }

        /// The text of `soupkit.js`, for a user script at the start of the document.
        public var script: String { String(decoding: JavaScriptBridge.script, as: UTF8.self) }

        /// Begins a session whose events go to a web view, and ends an earlier one; call it again when a new page is
        /// loaded.
        public func attach(to webView: WKWebView) {
            detach()
            session = UUID().uuidString
            guard let events = try? bridge.events(of: session) else { return }
            self.events = Task { @MainActor [weak webView] in
                for await event in events {
                    _ = try? await webView?.callAsyncJavaScript(
                        "soupkit.receive(detail)", arguments: ["detail": event.description],
                        contentWorld: .page)
                }
            }
        }

        /// Ends the session: its cursors are closed, and its syncs are stopped.
        public func detach() {
            events?.cancel()
            bridge.end(session: session)
        }

        /// Performs the call in a message, and replies with the text of its answer.
        public func userContentController(
            _ controller: WKUserContentController, didReceive message: WKScriptMessage,
            replyHandler: @escaping @MainActor @Sendable (Any?, String?) -> Void
        ) {
            guard let text = message.body as? String else {
                return replyHandler(nil, "a call must be a text that contains JSON")
            }
            let session = session
            Task { @MainActor in
                do {
                    let reply = try await bridge.perform(try BridgeCall(json: Array(text.utf8)), in: session)
                    replyHandler(reply.answer.json.description, nil)
                    reply.delivered()
                } catch {
                    replyHandler(nil, "\(error)")
                }
            }
        }
    }
#endif
