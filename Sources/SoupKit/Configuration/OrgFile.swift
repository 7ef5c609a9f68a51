// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupSalesforce
internal import SoupCore
internal import SoupHTTP

/// The server and its credentials, from `org.json` and the environment.
///
/// The environment overrides the file. A secret of the file is not sent to a server that the file does not name: if a
/// user sets the variable to try another server, that server must not receive the secrets of the real one.
struct OrgFile {
    /// The content of the file; nil if there is none, or it cannot be read.
    let document: ConfigurationDocument?
    private let unreadable: ConfigurationProblem?
    private let instance: String?
    private let token: String?
    private let username: String?

    init(_ files: ConfigurationFiles, environment: [String: String]) {
        func variable(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
        switch files.read(ConfigurationFolder.orgFile) {
        case .absent: (document, unreadable) = (nil, nil)
        case .unreadable(let problem): (document, unreadable) = (nil, problem)
        case .present(let bytes):
            (document, unreadable) = (ConfigurationDocument(bytes, file: ConfigurationFolder.orgFile), nil)
        }
        instance = variable(ConfigurationFolder.instanceVariable)
        token = variable(ConfigurationFolder.tokenVariable)
        username = variable(ConfigurationFolder.usernameVariable)
    }

    /// Returns the credentials; nil if there are none, or if an error was added to `problems`.
    func credentials(problems: inout [ConfigurationProblem]) -> SalesforceCredentials? {
        if let unreadable {
            problems.append(unreadable)
            return nil
        }
        if let document { return decode(document.json, from: document, problems: &problems) }
        guard let instance else {
            if token != nil { problems.append(Self.tokenWithoutServer) }
            return nil
        }
        return decode(.object(["instanceUrl": .string(instance)]), from: nil, problems: &problems)
    }

    /// Returns the connections of the file, by name; those with errors are left out.
    ///
    /// - Parameter folder: the folder of the file, which relative paths start from.
    func connections(
        in folder: String, environment: [String: String], problems: inout [ConfigurationProblem]
    ) -> [String: ServerConnection] {
        guard let document, let json = document.json?[Self.connectionsKey], !json.isNull else { return [:] }
        var found: [ConfigurationProblem] = []
        defer { problems += document.located(found) }
        let path: [ConfigurationStep] = [.key(Self.connectionsKey)]
        guard let members = json.objectValue else {
            found.append(
                ConfigurationProblem(
                    at: SoupError.Place(path: path.text), "\"connections\" is not an object",
                    hint: "Write {\"name\": {\"baseURL\": ..., \"auth\": {...}}}."))
            return [:]
        }
        var connections: [String: ServerConnection] = [:]
        for (name, json) in members.members {
            let place = path + [.key(name)]
            let config = ConfigurationDecoder.decodeWhole(
                ConnectionConfig.self, from: json, at: place, in: folder, hidesValues: true, problems: &found)
            connections[name] = config?.resolved(at: place, environment: environment, problems: &found)
        }
        return connections
    }

    /// The names of the connections, also of those with errors; nil if the file cannot be read.
    var connectionNames: Set<String>? {
        guard unreadable == nil, document == nil || document?.json != nil else { return nil }
        return Set(document?.json?[Self.connectionsKey]?.objectValue?.members.map(\.key) ?? [])
    }

    /// The beginning of the warning that there is no way to log in.
    static let missingLogin = "there is no access token for "

    static let connectionsKey = "connections"

    /// - Parameter file: the document that contains `json`; nil if the environment defines the credentials.
    private func decode(
        _ json: JSONValue?, from file: ConfigurationDocument?, problems: inout [ConfigurationProblem]
    ) -> SalesforceCredentials? {
        var found: [ConfigurationProblem] = []
        var credentials: SalesforceCredentials?
        if let instance, SalesforceCredentials.server(of: instance) == nil {
            problems.append(Self.badVariable(instance))
            // If the variable defines the server, a file without a server is correct.
            if let json, json["instanceUrl"] != nil || json["loginUrl"] != nil {
                _ = ConfigurationDecoder.decode(SalesforceCredentials.self, from: json, problems: &found)
            }
            problems += file?.located(found) ?? []
            return nil
        }
        if var json {
            if json.objectValue != nil {
                if let instance { replaceServer(of: &json, with: instance, problems: &problems) }
                if let token { json["accessToken"] = .string(token) }
                if let username { replaceUser(of: &json, with: username) }
            }
            credentials =
                ConfigurationDecoder.decodeWhole(
                    WholeFile.self, from: json, hidesValues: true, problems: &found)?.credentials
        }
        problems += file?.located(found) ?? found.map(inEnvironment)
        let keepsSessions = json?[OrgCredentialStore.key].map { !$0.isNull } ?? false
        if let credentials, !credentials.canLogIn, !keepsSessions, !problems.contains(where: Self.explainsMissingLogin)
        {
            problems.append(
                ConfigurationProblem(
                    .warning,
                    at: file.map { _ in SoupError.Place(file: ConfigurationFolder.orgFile) }
                        ?? SoupError.Place(path: ConfigurationFolder.instanceVariable),
                    "\(Self.missingLogin)\(credentials.instanceURL), and no credentials to request one",
                    hint:
                        "Log in with `soup login`, set \(ConfigurationFolder.tokenVariable), or add accessToken, or "
                        + "refreshToken and clientId, to \(ConfigurationFolder.orgFile)."))
        }
        return credentials
    }

    /// Returns whether a warning already explains the missing login: a secret was ignored, or a key is misspelt.
    private static func explainsMissingLogin(_ problem: ConfigurationProblem) -> Bool {
        problem.severity == .warning && (problem.place.file == nil || problem.hint?.hasPrefix("Did you mean") == true)
    }

    /// The whole of `org.json`: the credentials, and the keys that are read elsewhere.
    private struct WholeFile: Decodable {
        /// Nil if the file defines connections, plug-ins or settings of syncs, and nothing of a session with an org.
        let credentials: SalesforceCredentials?

        private enum CodingKeys: String, CodingKey { case transport, connections, plugins, credentials }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            let settings = try decoder.container(keyedBy: OrgSyncSettings.CodingKeys.self)
            // Ask for every key, so that none of them is reported as unknown.
            let found = [CodingKeys.transport, .connections, .plugins, .credentials].filter(container.contains)
            let hasSettings = !OrgSyncSettings.CodingKeys.allCases.filter(settings.contains).isEmpty
            let hasSession = try SalesforceCredentials.isPresent(in: decoder)
            let isComplete =
                hasSession || !(hasSettings || found.contains { [.connections, .plugins].contains($0) })
            credentials = isComplete ? try SalesforceCredentials(from: decoder) : nil
        }
    }

    /// Makes `instance` the server of the credentials, and removes the secrets of any other server.
    ///
    /// If there is a `loginURL`, the secrets that renew a session are kept: they are sent only to that URL.
    private func replaceServer(
        of json: inout JSONValue, with instance: String, problems: inout [ConfigurationProblem]
    ) {
        defer { json["instanceUrl"] = .string(instance) }
        let server = SalesforceCredentials.server(of: instance)
        let named = Self.text("instanceUrl", of: json) ?? Self.text("loginUrl", of: json)
        guard server == nil || named.flatMap({ SalesforceCredentials.server(of: $0) }) != server else { return }
        let renewing = ["refreshToken", "password", "clientSecret"]
        let secrets = Self.text("loginUrl", of: json) == nil ? ["accessToken"] + renewing : ["accessToken"]
        let held = secrets.filter { Self.text($0, of: json) != nil }
        for key in held { json[key] = .null }
        guard server != nil, !held.isEmpty, token == nil else { return }
        problems.append(
            ConfigurationProblem(
                .warning, at: SoupError.Place(path: ConfigurationFolder.instanceVariable),
                "this server differs from the one in \(ConfigurationFolder.orgFile); "
                    + "\(held.joined(separator: ", ")) of the file \(held.count == 1 ? "is" : "are") not used, "
                    + "so that no secret is sent to a server that the file does not name",
                hint: "Set \(ConfigurationFolder.tokenVariable) for this server, or write its URL and secrets into "
                    + "\(ConfigurationFolder.orgFile)."))
    }

    /// Makes `username` the user of the credentials, and removes the password and the tokens of another user.
    private func replaceUser(of json: inout JSONValue, with username: String) {
        let named = Self.text("username", of: json)
        json["username"] = .string(username)
        guard named?.lowercased() != username.lowercased() else { return }
        for key in ["password", "refreshToken"] + (token == nil ? ["accessToken"] : []) { json[key] = .null }
    }

    static func text(_ key: String, of json: JSONValue) -> String? {
        json[key]?.stringValue.flatMap { $0.isEmpty ? nil : $0 }
    }

    private static func badVariable(_ url: String) -> ConfigurationProblem {
        ConfigurationProblem(
            at: SoupError.Place(path: ConfigurationFolder.instanceVariable),
            "\"\(URLText.masked(url))\" "
                + (SalesforceCredentials.fault(inServer: url) ?? "is not an http or https URL"),
            hint: "Set this environment variable to a URL such as https://example.my.salesforce.com, or unset it.")
    }

    private static var tokenWithoutServer: ConfigurationProblem {
        ConfigurationProblem(
            at: SoupError.Place(path: ConfigurationFolder.tokenVariable), "an access token is set, but no server",
            hint: "Also set \(ConfigurationFolder.instanceVariable), or add \(ConfigurationFolder.orgFile).")
    }

    /// Returns the problem with the environment variable, and not a file, as its place.
    private func inEnvironment(_ problem: ConfigurationProblem) -> ConfigurationProblem {
        var problem = problem
        problem.place = SoupError.Place(path: ConfigurationFolder.instanceVariable)
        return problem
    }
}
