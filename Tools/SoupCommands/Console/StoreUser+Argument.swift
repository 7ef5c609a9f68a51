// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools

internal import SoupKit

/// A user on the command line: `ORG/USER`, `ORG/USER/SITE`, the key of an account as `soup sessions` prints it, or the
/// name of the user's folder.
extension StoreUser {
    /// Reads the IDs, the key of an account, or the name of a folder; nil for the key of a connection.
    init?(argument: String) {
        let parts = argument.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        if (2...3).contains(parts.count) {
            let user = try? StoreUser(
                organization: parts[0], user: parts[1], community: parts.count == 3 ? parts[2] : nil)
            guard let user else { return nil }
            self = user
        } else if let account = SessionAccount(key: argument) {
            self.init(account)
        } else {
            self.init(folderName: argument)
        }
    }

    /// The text that ``init(argument:)`` reads: the IDs, or the key of the account if one of them contains a slash.
    var argument: String {
        let ids = [organization, user, community].compactMap { $0 }
        return ids.contains { $0.contains("/") } ? account.key : ids.joined(separator: "/")
    }
}

#endif
