// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore
internal import SoupHTTP

/// The server of an org and the credentials for it: the content of `org.json`.
///
/// ```json
/// {"instanceUrl": "https://example.my.salesforce.com", "accessToken": "00D…", "apiVersion": "66.0"}
/// ```
///
/// With only an access token the session ends when the token expires. To renew it, add a refresh token with its client
/// ID, a user name and password with a client ID, or a client ID and secret; they are tried in this order.
public struct SalesforceCredentials: Sendable, Hashable, Codable {
    /// The server that requests go to, such as `https://example.my.salesforce.com`.
    public var instanceURL: String
    /// The access token for requests; if nil, one is fetched before the first request.
    public var accessToken: String?
    /// The version of the REST API, such as `66.0`.
    ///
    /// In `org.json` it may begin with a `v`, in code it may not.
    public var apiVersion: String
    /// The token that, with ``clientId``, fetches a new access token; a renewal may replace it.
    public var refreshToken: String?
    /// The consumer key of the connected app; without it a session cannot be renewed.
    public var clientId: String?
    /// The consumer secret, sent with every login if present; with only ``clientId`` it is a login of its own.
    public var clientSecret: String?
    /// The user to log in, with ``password`` and ``clientId``.
    public var username: String?
    /// The user's password; only used with ``username``.
    public var password: String?
    /// The server that issues tokens, if it is not the instance.
    public var loginURL: String?

    /// The API version for credentials that name none.
    public static let defaultAPIVersion = "66.0"
    /// The ``apiPath`` of credentials that name no version: `/services/data/v66.0`.
    public static let defaultAPIPath = path(ofVersion: defaultAPIVersion)

    /// Creates credentials unchanged: unlike decoding, it checks no URL and keeps empty texts and a `v`.
    public init(
        instanceURL: String, accessToken: String? = nil, apiVersion: String = SalesforceCredentials.defaultAPIVersion,
        refreshToken: String? = nil, clientId: String? = nil, clientSecret: String? = nil, username: String? = nil,
        password: String? = nil, loginURL: String? = nil
    ) {
        self.instanceURL = instanceURL
        self.accessToken = accessToken
        self.apiVersion = apiVersion
        self.refreshToken = refreshToken
        self.clientId = clientId
        self.clientSecret = clientSecret
        self.username = username
        self.password = password
        self.loginURL = loginURL
    }

    /// The keys in `org.json`, with the spelling of the mobile SDKs and of token responses.
    private enum CodingKeys: String, CodingKey, CaseIterable {
        case instanceURL = "instanceUrl"
        case accessToken, apiVersion, refreshToken, clientId, clientSecret, username, password
        case loginURL = "loginUrl"
    }

    /// Returns whether a file has any of the keys of credentials.
    package static func isPresent(in decoder: any Decoder) throws -> Bool {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        return !CodingKeys.allCases.filter(container.contains).isEmpty
    }

    /// Reads the keys `instanceUrl`, `loginUrl`, and those of the other properties; empty texts count as absent.
    ///
    /// `instanceUrl` may be omitted if there is a `loginUrl` and a way to log in: the response to the login contains
    /// it.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        func text(_ key: CodingKeys) throws -> String? {
            try container.decodeIfPresent(String.self, forKey: key).flatMap { $0.isEmpty ? nil : $0 }
        }
        // Read all keys before the first check, so that a faulty file has no unknown keys.
        let login = try text(.loginURL)
        let instance = try text(.instanceURL) ?? login
        let written = try text(.apiVersion) ?? Self.defaultAPIVersion
        let version = written.hasPrefix("v") ? String(written.dropFirst()) : written
        self.init(
            instanceURL: instance ?? "", accessToken: try text(.accessToken), apiVersion: version,
            refreshToken: try text(.refreshToken), clientId: try text(.clientId),
            clientSecret: try text(.clientSecret), username: try text(.username), password: try text(.password),
            loginURL: login)
        for (key, url) in [(CodingKeys.instanceURL, instance), (.loginURL, login)] {
            if let url, let fault = ServerAddress.fault(in: url) {
                throw SoupError(
                    .badConfiguration, "\"\(URLText.masked(url))\" \(fault)",
                    place: SoupError.Place(path: key.stringValue),
                    hint: "Use a URL such as https://example.my.salesforce.com.")
            }
        }
        guard instance != nil else {
            throw DecodingError.keyNotFound(
                CodingKeys.instanceURL,
                .init(codingPath: decoder.codingPath, debugDescription: "the URL of the server is missing"))
        }
        guard Self.isVersion(version) else {
            throw SoupError(
                .badConfiguration, "\"\(written)\" is not a version of the API",
                place: SoupError.Place(path: "apiVersion"),
                hint: "Use a version such as \(Self.defaultAPIVersion): a whole number followed by .0.")
        }
    }

    /// Returns whether a text is a number from 1 to 999 and `.0`: the API paths have no other form.
    private static func isVersion(_ text: String) -> Bool {
        guard text.hasSuffix(".0"), let number = text.utf8.dropLast(2).first, number != UInt8(ascii: "0") else {
            return false
        }
        let digits = text.utf8.dropLast(2)
        return digits.count <= 3 && digits.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }

    /// Whether there is an access token, or a way to get one.
    public var canLogIn: Bool { accessToken != nil || LoginGrant(self) != nil }

    /// The texts that must not occur in messages: tokens, password and client secret.
    var secrets: [String] { [accessToken, refreshToken, password, clientSecret].compactMap { $0 } }

    /// Returns the server part of a URL, such as `https://example.my.salesforce.com`, for comparison.
    ///
    /// In lower case and without the default port of the scheme; nil for texts that are not http or https URLs.
    public static func server(of url: String) -> String? {
        ServerAddress(url).map { "\($0.scheme)://\($0.authority)" }
    }

    /// Returns the reason why a text is not the URL of a server, as the end of a sentence; nil for a valid URL.
    package static func fault(inServer url: String) -> String? { ServerAddress.fault(in: url) }

    /// The base path of the versioned REST API: `/services/data/v66.0`.
    public var apiPath: String { Self.path(ofVersion: apiVersion) }

    private static func path(ofVersion version: String) -> String { "/services/data/v\(version)" }
}

extension SalesforceCredentials: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The server and the kinds of secrets that are present, never the secrets.
    public var description: String {
        let kinds = [
            accessToken.map { _ in "access token" }, refreshToken.map { _ in "refresh token" },
            password.map { _ in "password" }, clientSecret.map { _ in "client secret" },
        ].compactMap { $0 }
        return "\(instanceURL) with \(kinds.isEmpty ? "no secret" : kinds.joined(separator: ", "))"
    }

    /// The same as ``description``, so that a debugger shows no secrets.
    public var debugDescription: String { description }

    /// An empty mirror: dumps and logs would show the secrets.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
