// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// The meaning of statuses in responses to pushes.
struct StatusForm: Sendable {
    let conflict: Set<Int>
    /// Whether the configuration names the statuses of conflicts.
    private let namesConflicts: Bool
    let retry: Set<Int>
    /// The statuses of rejected changes; nil for every other status from 400 to 499, except 408.
    private let rejected: Set<Int>?

    init(_ configuration: StatusConfiguration?, faults: inout ConfigurationFaults) {
        conflict = Set(configuration?.conflict ?? [409, 412])
        namesConflicts = configuration?.conflict != nil
        retry = Set(configuration?.retry ?? [429, 503])
        rejected = configuration?.rejected.map { Set($0) }
        for (statuses, key) in [(conflict, "conflict"), (retry, "retry"), (rejected ?? [], "rejected")]
        where statuses.contains(where: { !(400...599).contains($0) }) {
            faults.add(
                SoupError(
                    .badConfiguration, "the statuses are not between 400 and 599",
                    place: SoupError.Place(path: "statuses.\(key)"), hint: "Write statuses such as [409, 412]."))
        }
        let own = [configuration?.conflict, configuration?.retry, configuration?.rejected].map { Set($0 ?? []) }
        let repeated = own[0].intersection(own[1]).union(own[2].intersection(own[0].union(own[1])))
        if let status = repeated.min() {
            faults.add(
                SoupError(
                    .badConfiguration, "the status \(status) has two meanings",
                    place: SoupError.Place(path: "statuses"),
                    hint: "Write each status into one list."))
        }
    }

    /// Whether the service refuses a change because the record has another version.
    ///
    /// Unless the configuration names 409, it means that only for a request with the version: services also send it for
    /// other reasons.
    func isConflict(_ status: Int, of request: PushRequest) -> Bool {
        conflict.contains(status) && (status != 409 || namesConflicts || request.isConditional)
    }

    /// Whether the service rejects a change with this status.
    func isRejection(_ status: Int) -> Bool {
        rejected?.contains(status) ?? ((400..<500).contains(status) && status != 408)
    }
}
