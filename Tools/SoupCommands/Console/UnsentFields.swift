// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools

internal import SoupKit

extension RecordConventions {
    /// Prints a note about fields that were set although no sync up sends them.
    func noteUnsent(_ fields: some Sequence<String>, as kind: RecordChange.Kind, of soup: SoupName, _ console: Console)
    {
        let unsent = unsent(of: Array(fields), as: kind)
        guard !unsent.isEmpty else { return }
        let isSentOnce = kind == .update && self.unsent(of: unsent, as: .create).isEmpty
        console.note(
            "no sync up sends \(unsent.joined(separator: ", ")) of \(soup)" + (isSentOnce ? " in an update" : ""),
            hint: "Run soup validate to find misspelt field lists. The values stay in this store, and a sync down may "
                + "replace them.")
    }
}

#endif
