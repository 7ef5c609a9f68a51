// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools

internal import SoupKit

extension GlobalOptions {
    /// Replaces the name of a user by the IDs, which the session of the user contains.
    ///
    /// - Throws: ``SoupError`` with `badUser` if no user of that name is logged in, or several are.
    mutating func resolveUser() async throws {
        guard let name = user, storeUser == nil else { return }
        let sessions = try LoginTarget(self).store
        var found: [StoreUser] = []
        for account in try await sessions.accounts() {
            guard let user = StoreUser(account), let session = try? await sessions.session(of: account),
                session.username?.lowercased() == name.lowercased()
            else { continue }
            found.append(user)
        }
        guard found.count < 2 else {
            throw SoupError(
                .badUser,
                "\(found.count) users with the name \(name) are logged in: "
                    + found.map(\.argument).joined(separator: ", "),
                hint: "Give --user the IDs of one of them.")
        }
        guard let user = found.first else {
            throw SoupError(
                .badUser, "no user with the name \(name) is logged in",
                hint: "Log in with soup login, or give --user the IDs ORG/USER. soup users lists users with stores.")
        }
        self.user = user.argument
    }
}

#endif
