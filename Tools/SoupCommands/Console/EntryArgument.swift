// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools

internal import ArgumentParser

/// The ID of an entry as an argument of a command.
enum EntryArgument {
    /// Parses an ID.
    ///
    /// - Throws: `ValidationError` if the text is not a whole number.
    @Sendable static func id(_ text: String) throws -> Int64 {
        guard let id = Int64(text) else {
            throw ValidationError("the ID of an entry, its _soupEntryId, is a whole number.")
        }
        return id
    }
}

#endif
