// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

extension OrgContext {
    /// The error that a fault has for a record of this request; nil for none.
    ///
    /// - Parameters:
    ///   - index: the position in a collection; nil for a subrequest.
    func itemFault(_ index: Int?, _ record: JSONValue?, referenceId: String? = nil) -> OrgError? {
        let fault = itemFaults.first { fault in
            if let wanted = fault.index, wanted != index { return false }
            if let wanted = fault.referenceId, wanted != referenceId { return false }
            if let wanted = fault.contains {
                return record.flatMap { try? JSONText($0) }?.description.contains(wanted) ?? false
            }
            return fault.index != nil || fault.referenceId != nil || index != nil
        }
        return fault.map { OrgError(400, $0.code, $0.message, fields: $0.fields) }
    }
}
