// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupCore
import TestApp

/// The apps that meet every trouble and every edit: each way up with each way to merge.
enum MatrixScenarios {
    static let all: [SyncScenario] =
        ["rest", "batch", "single"].flatMap { type in MergeMode.allCases.map { .rows(type, $0) } }
        + [.rows("rest", .overwrite, byCode: true), .rows("single", .leaveIfChanged, byCode: true)]
        + MergeMode.allCases.map { .trees($0) }
}
