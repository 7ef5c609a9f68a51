// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupSalesforce
internal import SoupCore

/// The changes of a push and the action for each.
struct PreparedPush {
    let changes: [RecordChange]
    /// The actions; nil for changes that need no request, or that cannot be sent: the ledger then contains the reason.
    private(set) var actions: [RecordForm.Action?] = []
    var ledger: PushLedger

    /// - Throws: ``SoupError`` if there is no field list.
    init(_ changes: [RecordChange], _ form: RecordForm) throws {
        self.changes = changes
        ledger = PushLedger(count: changes.count)
        for (position, change) in changes.enumerated() {
            do {
                let action = try form.action(for: change)
                // An update without changed fields needs no request.
                if action == nil { ledger.setOutcome(change.kind == .none ? .skipped : .ok(), at: position) }
                actions.append(action)
            } catch let failure as PushFailure {
                ledger.setOutcome(.failed(failure), at: position)
                actions.append(nil)
            }
        }
    }

    /// The positions of the changes to send.
    var sendable: [Int] { actions.indices.filter { actions[$0] != nil } }
}
