// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The request for an authorization code: the URL of the login page, and the check of the redirect.
struct AuthorizationRequest: Sendable {
    let authorizationURL: String
    let clientId: String
    let scope: String?
    let state: String
    let proof: ProofKey
    /// Further parameters, such as `login_hint`.
    let parameters: OAuthGrant.Fields

    /// Returns the URL of the login page.
    func page(redirectURI: String) -> String {
        var fields: OAuthGrant.Fields = [
            ("response_type", "code"), ("client_id", clientId), ("redirect_uri", redirectURI), ("state", state),
            ("code_challenge", proof.challenge), ("code_challenge_method", "S256"),
        ]
        if let scope { fields.append(("scope", scope)) }
        let query = OAuthGrant.form(fields + parameters)
        return authorizationURL + (authorizationURL.utf8.contains(UInt8(ascii: "?")) ? "&" : "?") + query
    }

    /// Returns the code of a redirect.
    ///
    /// - Throws: ``SoupError`` with `loginFailed` if the redirect does not belong to this request, or reports an error.
    func code(from redirect: LoginRedirect) throws -> String {
        let url = redirect.url
        let address = url.prefix { $0 != "?" && $0 != "#" }
        guard address == redirect.redirectURI else {
            throw Self.failure("the server redirected to another address than the requested one")
        }
        let query = url.dropFirst(address.count).drop { $0 != "?" }.dropFirst().prefix { $0 != "#" }
        let values = try Self.parameters(of: query)
        guard let returned = values["state"], Self.isEqual(returned, state) else {
            throw Self.failure(
                "the redirect does not belong to this login: its state is "
                    + (values["state"] == nil ? "missing" : "not the requested one"))
        }
        if let error = values["error"] {
            let text = (values["error_description"] ?? error).excerpt(200).onOneLine
            throw error == "access_denied"
                ? Self.failure("access was denied: \(text)") : Self.failure("the server refused the login: \(text)")
        }
        guard let code = values["code"], !code.isEmpty else { throw Self.failure("the redirect contains no code") }
        return code
    }

    private static func failure(_ message: String) -> SoupError {
        SoupError(.loginFailed, message, hint: "Log in again.")
    }

    /// Returns the parameters of a query; one that occurs twice is an error.
    private static func parameters(of query: Substring) throws -> [String: String] {
        let query = String(query).replacing("+", with: "%20")
        guard let items = URLComponents(string: "http://localhost/?\(query)")?.queryItems else {
            throw failure("the parameters of the redirect cannot be read")
        }
        var values: [String: String] = [:]
        for item in items {
            guard values.updateValue(item.value ?? "", forKey: item.name) == nil else {
                throw failure("the redirect contains a parameter twice")
            }
        }
        return values
    }

    /// Compares two texts in a time that depends only on their lengths.
    private static func isEqual(_ left: String, _ right: String) -> Bool {
        let (left, right) = (Array(left.utf8), Array(right.utf8))
        guard left.count == right.count else { return false }
        return zip(left, right).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
