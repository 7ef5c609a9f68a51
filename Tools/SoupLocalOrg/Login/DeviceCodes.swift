// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// The logins on other devices that are in progress.
struct DeviceCodes: Sendable {
    /// The state of a login.
    enum State: Sendable {
        case pending
        case approved(TokenRegister.Grant)
        case denied
    }

    struct Code: Sendable {
        var userCode: String
        var clientId: String
        var scope: String
        /// Milliseconds since 1970.
        var issued: Int64
        /// The time of the client's last request; nil before the first one.
        var polled: Int64?
        var state = State.pending
    }

    private var codes: [String: Code] = [:]

    /// The number of seconds between two requests of a client.
    static let interval: Int64 = 5
    /// Ten minutes, in milliseconds.
    static let lifetime: Int64 = 600_000
    /// The maximum number of codes; the oldest ones are removed.
    static let maximum = 1000

    /// Stores a code, and removes expired ones.
    mutating func keep(_ code: Code, as text: String) {
        codes = codes.filter { code.issued - $0.value.issued < Self.lifetime }
        if codes.count >= Self.maximum, let oldest = codes.min(by: { $0.value.issued < $1.value.issued }) {
            codes[oldest.key] = nil
        }
        codes[text] = code
    }

    /// Approves or denies the login with a user's code, once; returns whether there is one that is pending.
    mutating func decide(_ userCode: String, _ state: (Code) -> State, now: Int64) -> Bool {
        let found = codes.first { $0.value.userCode == userCode.uppercased() && now - $0.value.issued < Self.lifetime }
        guard let found, case .pending = found.value.state else { return false }
        codes[found.key]?.state = state(found.value)
        return true
    }

    /// Returns the grant of an approved login, whose code is then used up.
    mutating func redeem(_ text: String, client: String, now: Int64) throws -> TokenRegister.Grant {
        guard let code = codes[text], code.clientId == client, now - code.issued < Self.lifetime else {
            throw OAuthRefusal("invalid_grant", "invalid or expired device code")
        }
        let isEarly = code.polled.map { now - $0 < Self.interval * 1000 } ?? false
        codes[text]?.polled = now
        guard !isEarly else { throw OAuthRefusal("slow_down", "requests for this device code are too frequent") }
        switch code.state {
        case .pending: throw OAuthRefusal("authorization_pending", "the user has not entered the code yet")
        case .denied:
            codes[text] = nil
            throw OAuthRefusal("access_denied", "end-user denied authorization")
        case .approved(let grant):
            codes[text] = nil
            return grant
        }
    }
}
