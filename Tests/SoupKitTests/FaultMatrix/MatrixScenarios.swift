// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupCore
import SoupTestApp

/// The apps that meet every trouble and every edit: each way up with each way to merge.
enum MatrixScenarios {
    static let all: [SyncScenario] =
        ["rest", "batch", "single"].flatMap { type in MergeMode.allCases.map { .rows(type, $0) } }
        + [.rows("rest", .overwrite, byCode: true), .rows("single", .leaveIfChanged, byCode: true)]
        + MergeMode.allCases.map { .trees($0) }

    /// Those that meet every trouble as well: trees that go whole or not at all, details, a third level, and a target
    /// of an app's own.
    static let further: [SyncScenario] = MergeMode.allCases.flatMap { mode in
        [
            .trees(mode, allOrNone: true), .trees(mode, levels: [.branches]), .trees(mode, levels: [.contacts, .pets]),
            .rows("plain", mode),
        ]
    }

    /// Those that are edited while they sync.
    static let edited = all + [.trees(.merge, allOrNone: true), .rows("plain", .overwrite)]
}
