// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools

internal import SoupKit

extension RecordConventions {
    /// Tells of fields that were set and that no sync up sends.
    func noteUnsent(_ fields: some Sequence<String>, as kind: RecordChange.Kind, of soup: SoupName, _ console: Console)
    {
        let unsent = unsent(of: Array(fields), as: kind)
        guard !unsent.isEmpty else { return }
        let isSentOnce = kind == .update && self.unsent(of: unsent, as: .create).isEmpty
        console.note(
            "no sync up sends \(unsent.joined(separator: ", ")) of \(soup)" + (isSentOnce ? " in an update" : ""),
            hint: "what is set there stays here, and a sync down may replace it; "
                + "soup validate tells of misspelt field lists")
    }
}

#endif
