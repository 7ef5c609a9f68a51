// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools && Server

import SoupCore
import SoupTestApp

/// The apps whose commands are killed: every sync-up target with every merge mode, in several requests each.
enum KillScenario {
    static let all: [SyncScenario] =
        MergeMode.allCases.flatMap { mode in
            [.rows("rest", mode, size: 4), .rows("batch", mode, size: 3), .rows("single", mode, size: 1), .trees(mode)]
        } + [
            .rows("rest", .overwrite, size: 4, byCode: true),
            .rows("single", .leaveIfChanged, size: 1, byCode: true),
            .trees(.overwrite, allOrNone: true),
            .rows("rest", .leaveIfChanged, size: 4).routed(),
            .trees(.merge).routed(),
            .rows("rest", .leaveIfChanged, size: 4).layered(),
            .trees(.merge).layered(),
        ] + encrypted

    #if Encryption
    private static let encrypted: [SyncScenario] = [
        .rows("rest", .leaveIfChanged, size: 4).encrypted(), .trees(.merge).encrypted(),
    ]
    #else
    private static let encrypted: [SyncScenario] = []
    #endif
}

#endif
