// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupCore
import Testing

@testable import SoupSync

@Suite struct HoldReasonTests {
    private static let unanswered = HoldReason.failure(
        PushFailure(code: "SILENT", message: "no answer", retry: .inLaterRun))

    /// The codes are stored in conflicts, and apps read them.
    @Test(arguments: [
        (HoldReason.conflict, "CONFLICT", false, false),
        (.newerOnServer, "NEWER_ON_SERVER", false, false),
        (.deletedOnServer, "DELETED_ON_SERVER", true, false),
        (.parentDeletedOnServer, "PARENT_DELETED_ON_SERVER", true, false),
        (.inFlight, "IN_FLIGHT", false, true),
        (unanswered, "SILENT", false, true),
    ])
    func `Each reason has a failure`(_ reason: HoldReason, code: String, isGone: Bool, isRetryable: Bool) {
        #expect(reason.code == code && reason.failure.isGone == isGone && reason.failure.isRetryable == isRetryable)
    }

    @Test(arguments: [
        (HoldReason.conflict, RecordOutcome.Result.conflicted, RecordOutcome.Result.conflicted),
        (.newerOnServer, .skipped, .skipped),
        (.deletedOnServer, .skipped, .conflicted),
        (.parentDeletedOnServer, .skipped, .conflicted),
        (.inFlight, .skipped, .skipped),
        (unanswered, .failed, .failed),
    ])
    func `Deletions are conflicts of a merge`(
        _ reason: HoldReason, compared: RecordOutcome.Result, merged: RecordOutcome.Result
    ) {
        #expect(reason.result(under: LeaveIfChangedPolicy(layout: RecordLayout(levels: []))) == compared)
        #expect(reason.result(under: MergePolicy()) == merged)
    }
}
