// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

extension OrgFile {
    /// Whether the file contains a secret, including the proxy's and those of connections.
    ///
    /// The name of an environment variable or of another file is not a secret.
    var holdsSecrets: Bool {
        guard let json = document?.json else { return false }
        let keys = ["accessToken", "refreshToken", "password", "clientSecret", "privateKey"]
        return keys.contains { Self.text($0, of: json) != nil }
            || json[OrgTransport.key].map { TransportReference($0).proxySecrets.isEmpty } == false
            || json[Self.connectionsKey]?.objectValue?.members.contains { Self.holdsSecrets($0.value) } == true
    }

    private static func holdsSecrets(_ connection: JSONValue) -> Bool {
        func isLiteral(_ value: JSONValue?) -> Bool {
            value?.stringValue.map { !$0.isEmpty && SecretReference.text($0).isLiteral } == true
        }
        let auth = connection["auth"]
        let keys = ["token", "password", "value", "clientSecret", "refreshToken"]
        let others = [connection["headers"], auth?["parameters"]].flatMap { $0?.objectValue?.members ?? [] }
        return keys.contains { isLiteral(auth?[$0]) }
            || others.contains { isSecret($0.key) && isLiteral($0.value) }
    }

    /// Whether the value of a header or of a parameter with this name is probably a secret.
    static func isSecret(_ name: String) -> Bool {
        let name = name.lowercased()
        return ["auth", "cookie", "key", "token", "secret", "password", "assertion"].contains { name.contains($0) }
    }
}
