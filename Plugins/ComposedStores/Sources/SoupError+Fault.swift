// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

extension SoupError {
    /// Returns the error for a fault in the configuration of a store, with its path inside the `backend` object.
    static func fault(_ message: String, at path: String, hint: String) -> SoupError {
        SoupError(.badConfiguration, message, place: SoupError.Place(path: path), hint: hint)
    }
}
