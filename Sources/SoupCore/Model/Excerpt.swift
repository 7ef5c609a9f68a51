// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

extension StringProtocol {
    /// The beginning of a text for a message, with an ellipsis in the place of the rest.
    ///
    /// The ellipsis is what tells ``SecretMask`` that a secret may have been cut.
    package func excerpt(_ count: Int) -> String {
        let start = prefix(count)
        return start.endIndex == endIndex ? String(self) : start + "…"
    }
}
