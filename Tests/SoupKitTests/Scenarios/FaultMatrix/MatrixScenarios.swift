// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupCore
import SoupTestApp

/// The scenarios of the matrices: each sync-up target with each merge mode.
enum MatrixScenarios {
    static let all: [SyncScenario] =
        ["rest", "batch", "single"].flatMap { type in MergeMode.allCases.map { .rows(type, $0) } }
        + [.rows("rest", .overwrite, byCode: true), .rows("single", .leaveIfChanged, byCode: true)]
        + MergeMode.allCases.map { .trees($0) }

    /// Further scenarios of the fault matrix: trees that are pushed completely or not at all, details, a third level,
    /// a custom target, and encrypted stores.
    static let further: [SyncScenario] =
        MergeMode.allCases.flatMap { mode in
            [
                .trees(mode, allOrNone: true), .trees(mode, levels: [.branches]),
                .trees(mode, levels: [.contacts, .pets]), .rows("plain", mode),
            ]
        } + encrypted

    private static var encrypted: [SyncScenario] {
        #if Encryption
            [.rows("rest", .overwrite).encrypted(), .trees(.merge).encrypted()]
        #else
            []
        #endif
    }

    /// The scenarios that are edited during syncs.
    static let edited = all + [.trees(.merge, allOrNone: true), .rows("plain", .overwrite)]
}
