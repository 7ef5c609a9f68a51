// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools

internal import SoupKit

extension GlobalOptions {
    /// Replaces the name of a user by the IDs, which the session of the user contains.
    ///
    /// - Throws: ``SoupError``: `badUser` if no user of that name is logged in, or several are; `credentialsUnusable`
    ///   if the session of the user is not found, and another one cannot be read.
    mutating func resolveUser() async throws {
        guard let name = user, storeUser == nil else { return }
        let sessions = try LoginTarget(self).store
        var found: [StoreUser] = []
        var failure: SoupError?
        for account in try await sessions.accounts() {
            guard let user = StoreUser(account) else { continue }
            do {
                let session = try await sessions.session(of: account)
                if session?.username?.lowercased() == name.lowercased() { found.append(user) }
            } catch let error as SoupError where error.code == .credentialsUnusable {
                failure = error
            }
        }
        // The session that cannot be read can be that of the user.
        if found.isEmpty, let failure { throw failure }
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
