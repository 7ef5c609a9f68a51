// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

extension JSONPath {
    /// Reads a path of a configuration, in which `\.` is a dot within a key, as in `@odata\.nextLink`.
    init(configured text: String) {
        var keys = [""]
        var scalars = text.unicodeScalars.makeIterator()
        var pending: Unicode.Scalar?
        while let scalar = pending ?? scalars.next() {
            pending = nil
            if scalar == "." {
                keys.append("")
            } else if scalar == "\\", let next = scalars.next() {
                keys[keys.count - 1] += next == "." ? "." : "\\"
                if next != "." { pending = next }
            } else {
                keys[keys.count - 1].unicodeScalars.append(scalar)
            }
        }
        self = text.isEmpty ? JSONPath("") : JSONPath(keys: keys)
    }
}
