// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// The usual names of parameters with the number of a page or of records, such as `page`, `page[number]` and `$skip`.
package enum PageNumberName {
    private static let names: Set<String> = [
        "p", "pg", "page", "pageno", "pagenumber", "pageindex", "pageoffset", "offset", "skip", "startat", "startindex",
    ]

    /// Returns whether a name, which is not percent-encoded, is one of them; only its letters count.
    package static func isUsual(_ name: String) -> Bool { names.contains(name.lowercased().filter(\.isLetter)) }
}
