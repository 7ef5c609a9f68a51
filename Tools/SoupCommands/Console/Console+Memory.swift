// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools

internal import SoupKit

extension Console {
    /// Prints a note about soups whose entries are gone when the command ends.
    func noteSoupsInMemory(_ soups: some Sequence<SoupName>, of store: SmartStore) {
        for soup in Set(soups).sorted() where !store.backend.capabilities(of: soup).contains(.durable) {
            note(
                "the soup \"\(soup)\" is in memory, so its entries are gone when this command ends",
                hint: "Choose another backend or route for it in the store configuration to keep them.")
        }
    }
}

#endif
