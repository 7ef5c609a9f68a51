// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

/// The answer to a ``BridgeCall``: a JSON value for one of the two callbacks of `cordova.exec`.
public enum BridgeAnswer: Sendable, Hashable {
    /// The call succeeded; nil if the action has no value.
    case value(JSONText?)
    /// The call failed. The value is a text; for the network service, it is a text that contains JSON.
    case error(JSONText)

    /// The answer as an object: `{"ok": value}` or `{"error": value}`; a missing value is null.
    public var json: JSONText {
        switch self {
        case .value(let value): .object([("ok", value ?? .null)])
        case .error(let error): .object([("error", error)])
        }
    }

    /// Creates the answer for an error, with its description.
    init(_ error: any Error) {
        if let error = error as? BridgeFailure {
            self = .error(error.value)
        } else {
            self = .error(.string("\(error)"))
        }
    }
}

/// The answer to a call, on its way to the client.
///
/// The events of a sync that the call started are sent after ``delivered()``, or when the reply is released: no event
/// overtakes the answer.
public final class BridgeReply: Sendable {
    /// The answer.
    public let answer: BridgeAnswer
    private let answered: Promise<Void>

    init(_ answer: BridgeAnswer, answered: Promise<Void>) {
        self.answer = answer
        self.answered = answered
    }

    deinit { answered.resolve(()) }

    /// Notes that the client has the answer; further calls do nothing.
    public func delivered() { answered.resolve(()) }
}

/// An error whose value is not the description of a ``SoupError``.
struct BridgeFailure: Error {
    let value: JSONText
}
