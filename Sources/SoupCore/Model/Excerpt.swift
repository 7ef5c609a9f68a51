// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

extension StringProtocol {
    /// Returns the beginning of a text for a message, with an ellipsis for the rest.
    ///
    /// The ellipsis shows ``SecretMask`` that a secret may have been cut.
    package func excerpt(_ count: Int) -> String {
        let start = prefix(count)
        return start.endIndex == endIndex ? String(self) : start + "…"
    }
}
