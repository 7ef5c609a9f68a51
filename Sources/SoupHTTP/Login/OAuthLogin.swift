// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

/// A login at an authorization server: with a browser (authorization code with PKCE), or on another device.
///
/// Secrets and tokens are in no error of this type.
public struct OAuthLogin: Sendable {
    /// The form of the requests for a login on another device.
    public enum DeviceForm: Sendable, Hashable {
        /// The form of RFC 8628.
        case standard
        /// The form of Salesforce, whose token endpoint issues the codes too.
        case salesforce
    }

    let grant: OAuthGrant
    private let deviceForm: DeviceForm
    private let transport: any HTTPTransport
    private let clock: any SoupClock
    private let random: @Sendable () -> [UInt8]

    /// - Parameters:
    ///   - grant: the endpoints and the client. Its ``OAuthGrant/refreshToken`` is not used.
    ///   - transport: sends absolute requests, without authorization.
    ///   - random: returns 32 random bytes, for the state and the proof of a login.
    public init(
        _ grant: OAuthGrant, deviceForm: DeviceForm = .standard, over transport: any HTTPTransport,
        clock: any SoupClock = SystemClock(), random: @escaping @Sendable () -> [UInt8] = OAuthLogin.randomBytes
    ) {
        self.grant = grant
        self.deviceForm = deviceForm
        self.transport = transport
        self.clock = clock
        self.random = random
    }

    /// Returns 32 bytes of the system's random generator.
    public static func randomBytes() -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return (0..<32).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }

    // MARK: With a browser

    /// Shows the login page in a browser, and returns the tokens.
    ///
    /// The redirect must contain the state of this login, and the server gets the proof (S256) with the code.
    ///
    /// - Parameter username: the user whose name the login page shows; nil for none.
    /// - Throws: ``SoupError``: `loginFailed`; `badConfiguration` if the grant has no authorization URL; `network`.
    ///   The errors of the browser.
    public func tokens(with browser: any LoginBrowser, username: String? = nil) async throws -> OAuthTokens {
        guard let authorizationURL = grant.authorizationURL else {
            throw SoupError(
                .badConfiguration, "there is no \"authorizationURL\" for a login with a browser",
                hint: "Add it to the \"auth\" of the connection.")
        }
        let proof = ProofKey(random: random())
        let request = AuthorizationRequest(
            authorizationURL: authorizationURL, clientId: grant.clientId, scope: grant.scope,
            state: random().base64URL, proof: proof,
            parameters: grant.parameterFields + (username.map { [("login_hint", $0)] } ?? []))
        let redirect = try await browser.redirect { request.page(redirectURI: $0) }
        let code = try request.code(from: redirect)
        let mask = SecretMask(grant.secrets + [code, proof.verifier])
        return try await masking(mask) {
            let answer = try await grant.post(
                [
                    ("grant_type", "authorization_code"), ("code", code), ("redirect_uri", redirect.redirectURI),
                    ("code_verifier", proof.verifier),
                ], to: grant.tokenURL, adding: grant.parameterFields, over: transport)
            guard let tokens = try OAuthTokens(answer, orThrow: .loginFailed) else {
                throw Self.refusal(OAuthError(answer))
            }
            return tokens
        }
    }

    // MARK: On another device

    /// Requests the code that the user enters on another device.
    ///
    /// - Throws: ``SoupError``: `loginFailed` if the server does not offer this; `badConfiguration` if the grant has no
    ///   device URL; `network`.
    public func startOnDevice() async throws -> DeviceAuthorization {
        guard let deviceURL = grant.deviceURL else {
            throw SoupError(
                .badConfiguration, "there is no \"deviceURL\" for a login on another device",
                hint: "Add it to the \"auth\" of the connection.")
        }
        return try await masking(SecretMask(grant.secrets)) {
            let answer = try await grant.post(
                deviceForm == .salesforce ? [("response_type", "device_code")] : [], to: deviceURL,
                adding: grant.scopeField + grant.parameterFields, over: transport)
            guard let device = DeviceAuthorization(answer, now: clock.milliseconds) else {
                throw Self.refusal(OAuthError(answer))
            }
            return device
        }
    }

    /// Waits until the user has entered the code on the other device, and returns the tokens.
    ///
    /// Asks the server in the interval that it requested, and more slowly if it asks for that, cannot be reached, or is
    /// overloaded.
    ///
    /// - Throws: ``SoupError`` with `loginFailed` if the user denies the access, or if the code expires;
    ///   `CancellationError`.
    public func tokens(of device: DeviceAuthorization) async throws -> OAuthTokens {
        let mask = SecretMask(grant.secrets + [device.deviceCode])
        return try await masking(mask) {
            var interval = device.interval
            while true {
                guard clock.milliseconds + interval < device.expiry.millisecondsSince1970 else { throw Self.expired }
                try await clock.sleep(milliseconds: interval)
                switch try await poll(device) {
                case .tokens(let tokens): return tokens
                case .pending: break
                case .slowDown: interval += 5000
                case .unreachable: interval = min(interval * 2, 60_000)
                }
            }
        }
    }

    private enum Poll { case tokens(OAuthTokens), pending, slowDown, unreachable }

    private func poll(_ device: DeviceAuthorization) async throws -> Poll {
        let fields: OAuthGrant.Fields =
            switch deviceForm {
            case .standard:
                [
                    ("grant_type", "urn:ietf:params:oauth:grant-type:device_code"),
                    ("device_code", device.deviceCode),
                ]
            case .salesforce: [("grant_type", "device"), ("code", device.deviceCode)]
            }
        let answer: HTTPAnswer
        do {
            answer = try await grant.post(
                fields, to: grant.tokenURL, adding: grant.parameterFields, over: transport)
        } catch let error as SoupError where error.code == .network {
            return .unreachable
        }
        if let tokens = try OAuthTokens(answer, orThrow: .loginFailed) { return .tokens(tokens) }
        let error = OAuthError(answer)
        switch error.code {
        case "authorization_pending": return .pending
        case "slow_down": return .slowDown
        case "access_denied":
            throw SoupError(.loginFailed, "access was denied: \(error.text)", hint: "Log in again.")
        case "expired_token": throw Self.expired
        default:
            guard answer.status < 500, answer.status != 429 else { return .unreachable }
            throw Self.refusal(error)
        }
    }

    private static var expired: SoupError {
        SoupError(.loginFailed, "the code was not entered in time", hint: "Log in again.")
    }

    // MARK: Logout

    /// Ends a token at the server (RFC 7009); a token that the server does not know any more counts as ended.
    ///
    /// - Throws: ``SoupError``: `notSupported` if the grant has no revocation URL; `server`, `network`.
    package func revoke(_ token: String, kind: String) async throws {
        guard let revocationURL = grant.revocationURL else {
            throw SoupError(
                .notSupported, "there is no \"revocationURL\", so the server was not asked to end the token",
                hint: "Add \"revocationURL\" to the \"auth\" of the connection if the server has one.")
        }
        try await masking(SecretMask(grant.secrets + [token])) {
            let answer = try await grant.post(
                [("token", token), ("token_type_hint", kind)], to: revocationURL, over: transport)
            let error = OAuthError(answer)
            guard !answer.isSuccess, !["invalid_token", "unsupported_token_type"].contains(error.code) else { return }
            throw SoupError(.server, "the server did not end the token: \(error.text)")
        }
    }

    /// Ends the tokens of a session at the server.
    ///
    /// - Throws: as ``revoke(_:kind:)``; `notSupported` for a session with an empty token.
    package func revoke(_ session: SavedSession) async throws {
        guard session.refreshToken != "", session.refreshToken != nil || session.accessToken != "" else {
            throw SoupError(
                .notSupported, "the token of the session is empty, so the server was not asked to end it",
                hint: "End the session in the settings of the server.")
        }
        // The end of a refresh token is also that of the access tokens that were fetched with it.
        if let token = session.refreshToken {
            try await revoke(token, kind: "refresh_token")
        } else if let token = session.accessToken {
            try await revoke(token, kind: "access_token")
        }
    }

    // MARK: Parts

    private func masking<T>(_ mask: SecretMask, _ body: () async throws -> T) async throws -> T {
        do {
            return try await body()
        } catch {
            throw mask.masked(error)
        }
    }

    private static func refusal(_ error: OAuthError) -> SoupError {
        let isClient = error.code?.hasPrefix("invalid_client") == true || error.code == "unauthorized_client"
        return SoupError(
            .loginFailed, "the server refused the login: \(error.text)",
            hint: isClient ? "Check the client ID, its secret, and the logins that the server allows it." : nil)
    }
}
