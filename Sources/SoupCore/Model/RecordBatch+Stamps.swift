// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

extension RecordBatch {
    /// Returns the member that the record's own stamp sets or removes, whatever the record contains.
    ///
    /// - Returns: nil if the stamp does not change the member.
    public func stampedMember(_ name: String, of index: Int) -> RecordBatch.Stamp.Member? {
        stamps.isEmpty ? nil : stamps[index].members.last { $0.name == name }
    }
}
