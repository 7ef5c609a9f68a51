// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// The owner of a saved session.
public enum SessionAccount: Sendable, Hashable {
    /// A user of a Salesforce org; `community` is the ID of the Experience Cloud site that the user logged in to.
    ///
    /// All IDs have 18 characters, as the server reports them.
    case user(organization: String, user: String, community: String? = nil)
    /// A connection of `org.json`, by its name.
    ///
    /// `owner` is the name of the user's folder, `StoreUser.folderName`, if each user of the device has a session of
    /// their own; nil for one session of all users.
    case connection(String, owner: String? = nil)
    /// The session that continues a refresh token which a configuration contains.
    ///
    /// `digest` is a hash of that token, so that a new token in the configuration begins a new session.
    case configuredToken(digest: String)

    /// The account as one text of the characters `a-z`, `A-Z`, `0-9`, `-`, `_`, `.` and `%`.
    ///
    /// Two accounts never have the same key, also on a file system that ignores case. ``init(key:)`` reads it.
    public var key: String { parts.map(Self.escaped).joined(separator: ".") }

    /// Reads a ``key``; nil for any other text.
    public init?(key: String) {
        var parts: [String] = []
        for part in key.split(separator: ".", omittingEmptySubsequences: false) {
            guard let text = FileNamePart.unescaped(part) else { return nil }
            parts.append(text)
        }
        switch (parts.first, parts.count) {
        case ("user", 3): self = .user(organization: parts[1], user: parts[2])
        case ("user", 4): self = .user(organization: parts[1], user: parts[2], community: parts[3])
        case ("connection", 2): self = .connection(parts[1])
        case ("connection", 3...): self = .connection(parts[1], owner: parts[2...].joined(separator: "."))
        case ("token", 2): self = .configuredToken(digest: parts[1])
        default: return nil
        }
        guard self.key == key else { return nil }
    }

    private var parts: [String] {
        switch self {
        case .user(let organization, let user, let community):
            ["user", organization, user] + (community.map { [$0] } ?? [])
        // An owner contains dots. As parts of the key they stay readable, and the key stays short.
        case .connection(let name, let owner):
            ["connection", name]
                + (owner?.split(separator: ".", omittingEmptySubsequences: false).map(String.init) ?? [])
        case .configuredToken(let digest): ["token", digest]
        }
    }

    /// Returns a part of the key.
    ///
    /// An ID of 18 letters and digits keeps its capitals: its last three characters encode the case of the others.
    private static func escaped(_ part: String) -> String {
        let isRecordId =
            part.utf8.count == 18
            && part.utf8.allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte & 0xDF) && byte >= 0x41
            }
        return FileNamePart.escaped(part, keepsCapitals: isRecordId)
    }
}

extension SessionAccount: Comparable, CustomStringConvertible {
    /// Compares the keys.
    public static func < (left: SessionAccount, right: SessionAccount) -> Bool { left.key < right.key }

    /// The account for messages, such as `user 005…AAA of org 00D…EAA`.
    public var description: String {
        switch self {
        case .user(let organization, let user, let community):
            "user \(user) of org \(organization)" + (community.map { ", site \($0)" } ?? "")
        case .connection(let name, let owner):
            "connection \"\(name.excerpt(100))\"" + (owner.map { " of the user \($0.excerpt(200))" } ?? "")
        case .configuredToken: "refresh token of the configuration"
        }
    }
}
