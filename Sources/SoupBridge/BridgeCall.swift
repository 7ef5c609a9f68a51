// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

/// One call of the JavaScript API: a service, an action and its arguments.
///
/// The arguments of the mobile SDKs' libraries are a list: the text `pluginSDKVersion:` with a version, which is not
/// used, followed by at most one object.
public struct BridgeCall: Sendable, Hashable {
    /// The service, such as `com.salesforce.smartstore`.
    public var service: String
    /// The action, such as `pgUpsertSoupEntries`.
    public var action: String
    /// The object with the arguments; nil if the call has none.
    public var arguments: JSONText?

    /// Creates a call.
    ///
    /// - Parameter arguments: an object, or nil.
    public init(service: String, action: String, arguments: JSONText? = nil) {
        self.service = service
        self.action = action
        self.arguments = arguments
    }

    /// Creates a call with arguments in the form in which the libraries pass them to `cordova.exec`.
    ///
    /// - Parameter list: a list; a first text that begins with `pluginSDKVersion` is left out.
    /// - Throws: ``SoupError`` with `json` if the rest is not at most one object.
    public init(service: String, action: String, list: JSONText) throws {
        guard var elements = list.elements else { throw Self.malformed("args must be a list") }
        if elements.first?.string?.hasPrefix("pluginSDKVersion") == true { elements.removeFirst() }
        guard elements.count <= 1 else { throw Self.malformed("args must contain at most one object") }
        if let object = elements.first, object != .null, object.members == nil {
            throw Self.malformed("args must contain an object, not \(object.description.excerpt(100))")
        }
        self.init(service: service, action: action, arguments: elements.first == .null ? nil : elements.first)
    }

    /// Creates a call from JSON: `{"service", "action", "args"}`, with ``init(service:action:list:)`` for `args`.
    ///
    /// - Throws: ``SoupError`` with `json` for anything else.
    public init(json: [UInt8]) throws {
        let text: JSONText
        do {
            text = try JSONText(json[...])
        } catch {
            throw Self.malformed("the call is not JSON: \(error)")
        }
        guard let members = text.members else { throw Self.malformed("a call must be an object") }
        func member(_ name: String) -> JSONText? { members.first { $0.key == name }?.value }
        func name(_ key: String) throws -> String {
            guard let name = member(key)?.string, !name.isEmpty else {
                throw Self.malformed("\(key) is missing, or is not a text")
            }
            return name
        }
        try self.init(
            service: try name("service"), action: try name("action"),
            list: member("args") ?? JSONText(trusted: Array("[]".utf8)[...]))
    }

    private static func malformed(_ message: String) -> SoupError {
        SoupError(.json, message, hint: #"Send {"service": ..., "action": ..., "args": [...]}."#)
    }
}
