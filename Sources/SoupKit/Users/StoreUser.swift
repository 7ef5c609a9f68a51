// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupSalesforce
public import SoupCore

/// The owner of stores: a user of an org, and the Experience Cloud site (community) that the user logged in to.
///
/// A user has stores of their own for each site, and without one. The IDs can be those of any server. For Salesforce,
/// the forms of 15 and 18 characters of an ID are the same user; other IDs are compared exactly.
///
/// ```swift
/// let user = try StoreUser(organization: "00DJ0000000CeXy", user: "005J0000002AbCd")
/// let kit = try await SoupClient.open(at: folder, options: .init(user: user))
/// ```
public struct StoreUser: Sendable {
    /// The ID of the org; in the form of 18 characters if it is one of Salesforce.
    public let organization: String
    /// The ID of the user; in the form of 18 characters if it is one of Salesforce.
    public let user: String
    /// The ID of the site; nil for a login to the org itself.
    public let community: String?
    /// The name of the folder with the user's files: `ORG.USER` or `ORG.USER.COMMUNITY`.
    ///
    /// It consists of ASCII letters, digits, `-`, `_`, `.` and `%`, and does not begin with a dot. Different users have
    /// different names, also on a file system that ignores case. ``init(folderName:)`` reads it.
    public let folderName: String

    /// The greatest length of ``folderName``, which leaves room for a prefix in the 255 bytes of a file system.
    private static let maximumLength = 200

    /// Creates a user from the IDs of the server.
    ///
    /// - Throws: ``SoupError`` with `badUser` for an empty ID, for IDs that are too long for the name of a folder, and
    ///   for an ID of Salesforce whose last three characters do not match the others.
    public init(organization: String, user: String, community: String? = nil) throws {
        self.organization = try Self.normalized(organization, of: "org", prefix: "00D")
        self.user = try Self.normalized(user, of: "user", prefix: "005")
        self.community = try community.map { try Self.normalized($0, of: "community", prefix: "0DB") }
        folderName = [self.organization, self.user, self.community].compactMap { $0 }.map(Self.escaped)
            .joined(separator: ".")
        guard folderName.utf8.count <= Self.maximumLength else {
            throw SoupError(
                .badUser, "the IDs of the user are too long for the name of a folder",
                hint: "Use IDs with at most \(Self.maximumLength) characters together.")
        }
    }

    /// Creates the user of a session; nil for an account that is not a user, and for IDs that cannot be those of one.
    public init?(_ account: SessionAccount) {
        guard case .user(let organization, let user, let community) = account,
            let made = try? StoreUser(organization: organization, user: user, community: community)
        else { return nil }
        self = made
    }

    /// The account under which a session of the user is saved.
    public var account: SessionAccount { .user(organization: organization, user: user, community: community) }

    /// Reads a ``folderName``; nil for any other text.
    public init?(folderName: String) {
        let parts = folderName.split(separator: ".", omittingEmptySubsequences: false).map {
            FileNamePart.unescaped($0)
        }
        guard (2...3).contains(parts.count), let organization = parts[0], let user = parts[1] else { return nil }
        if parts.count == 3, parts[2] == nil { return nil }
        let made = try? StoreUser(
            organization: organization, user: user, community: parts.count == 3 ? parts[2] : nil)
        guard let made, made.folderName == folderName else { return nil }
        self = made
    }

    /// Returns the form of 18 characters of an ID of Salesforce, and any other ID unchanged.
    private static func normalized(_ id: String, of owner: String, prefix: String) throws -> String {
        guard !id.isEmpty else {
            throw SoupError(
                .badUser, "the ID of the \(owner) is empty", hint: "Use the IDs in the response to the login.")
        }
        // Only the form of 18 characters contains the case of its letters twice.
        let isLong = id.utf8.count == 18 && id.prefix(3).lowercased() == prefix.lowercased()
        guard isLong || (id.utf8.count == 15 && id.hasPrefix(prefix)), id.utf8.allSatisfy(isLetterOrDigit) else {
            return id
        }
        guard let long = SalesforceID.longForm(of: id) else {
            throw SoupError(
                .badUser,
                "\"\(id)\" is not the ID of \(owner == "org" ? "an" : "a") \(owner): its last three characters "
                    + "do not match the others", hint: "Use the IDs in the response to the login.")
        }
        return long
    }

    /// Returns a part of the folder's name; the form of 18 characters of an ID of Salesforce keeps its capitals.
    private static func escaped(_ id: String) -> String {
        FileNamePart.escaped(id, keepsCapitals: isSalesforce(id))
    }

    private static func isSalesforce(_ id: String) -> Bool {
        id.utf8.count == 18 && ["00D", "005", "0DB"].contains(id.prefix(3)) && SalesforceID.longForm(of: id) == id
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: false
        }
    }
}

extension StoreUser: Hashable, Comparable, CustomStringConvertible {
    /// Compares the folders, so that equal users always have the same stores.
    public static func == (left: StoreUser, right: StoreUser) -> Bool { left.folderName == right.folderName }

    /// Hashes the name of the folder.
    public func hash(into hasher: inout Hasher) { hasher.combine(folderName) }

    /// Compares the names of the folders.
    public static func < (left: StoreUser, right: StoreUser) -> Bool { left.folderName < right.folderName }

    /// The user for messages: `user 005J0000002AbCdEFG of org 00DJ0000000CeXyHIJ`.
    public var description: String {
        "user \(user) of org \(organization)" + (community.map { ", site \($0)" } ?? "")
    }
}

extension SoupError.Code {
    /// The IDs cannot be those of a user.
    public static let badUser: Self = "badUser"
}
