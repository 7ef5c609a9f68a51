// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// Checks the users, clients and API versions of a seed document.
struct AccessCheck {
    private(set) var problems: [ConfigurationProblem] = []

    private typealias Path = [ConfigurationStep]

    init(_ document: JSONValue) {
        checkVersions(document["apiVersions"]?.arrayValue)
        checkUsers(document["users"]?.arrayValue ?? [])
        var ids: Set<String> = []
        for (index, client) in (document["clients"]?.arrayValue ?? []).enumerated() {
            let path: Path = [.key("clients"), .index(index)]
            if let id = client["id"]?.stringValue, !ids.insert(id).inserted {
                note(path + [.key("id")], "the client \"\(id)\" is there already", hint: "Give it another id.")
            }
            check(client: client, path)
        }
    }

    private mutating func note(_ path: Path, _ message: String, hint: String) {
        problems.append(ConfigurationProblem(at: SoupError.Place(path: path.text), message, hint: hint))
    }

    private mutating func checkVersions(_ versions: [JSONValue]?) {
        guard let versions else { return }
        let path: Path = [.key("apiVersions")]
        if versions.isEmpty {
            note(
                path, "an org needs at least one version",
                hint: "Write versions, such as [\"60.0\"], or remove the key.")
        }
        for (index, version) in versions.enumerated() {
            guard let text = version.stringValue, text.wholeMatch(of: /[0-9]{1,3}\.0/) == nil else { continue }
            note(path + [.index(index)], "\"\(text)\" is no version", hint: "Write it like 60.0.")
        }
    }

    private mutating func checkUsers(_ users: [JSONValue]) {
        var names: Set<String> = []
        for (index, user) in users.enumerated() {
            guard let name = user["username"]?.stringValue, !names.insert(name.lowercased()).inserted else { continue }
            note(
                [.key("users"), .index(index), .key("username")], "another user has the username \"\(name)\"",
                hint: "Give each user one of their own.")
        }
    }

    private mutating func check(client: JSONValue, _ path: Path) {
        let known = OrgDefinition.Client.grantTypes
        for (index, grant) in (client["grants"]?.arrayValue ?? []).enumerated() {
            guard let name = grant.stringValue, !known.contains(name) else { continue }
            note(
                path + [.key("grants"), .index(index)], "there is no grant type \"\(name)\"",
                hint: NameDistance.hint(for: name, among: known))
        }
        if let key = client["publicKey"]?.stringValue, !BearerAssertion.isKey(key) {
            note(
                path + [.key("publicKey")], "this is no public key",
                hint: "Write an RSA key in PEM: -----BEGIN PUBLIC KEY-----, its lines, -----END PUBLIC KEY-----.")
        }
    }
}

extension OrgDefinition.Client {
    /// The names of the grant types in the lists of clients' grants.
    static let grantTypes = ["password", "client_credentials", "refresh_token", "authorization_code", "jwt"]
}
