// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// The way in which a sync down finds records that were deleted on the server, or that left its query.
public enum DeleteMode: String, Sendable, Hashable, Codable, CaseIterable {
    /// All IDs are compared, but only when ghosts are cleaned.
    case compare
    /// At the end of each run, the target requests the records that were deleted or changed since the last request.
    case incremental
}
