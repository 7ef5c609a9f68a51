// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// The meaning of statuses in responses to pushes.
struct StatusForm: Sendable {
    let conflict: Set<Int>
    let retry: Set<Int>
    /// The statuses of rejected changes; nil for every other status from 400 to 499, except 408.
    private let rejected: Set<Int>?

    init(_ configuration: StatusConfiguration?, faults: inout ConfigurationFaults) {
        conflict = Set(configuration?.conflict ?? [409, 412])
        retry = Set(configuration?.retry ?? [429, 503])
        rejected = configuration?.rejected.map { Set($0) }
        for (statuses, key) in [(conflict, "conflict"), (retry, "retry"), (rejected ?? [], "rejected")]
        where statuses.contains(where: { !(400...599).contains($0) }) {
            faults.add(
                SoupError(
                    .badConfiguration, "the statuses are not between 400 and 599",
                    place: SoupError.Place(path: "statuses.\(key)"), hint: "Write statuses such as [409, 412]."))
        }
    }

    /// Whether the service rejects a change with this status.
    func isRejection(_ status: Int) -> Bool {
        rejected?.contains(status) ?? ((400..<500).contains(status) && status != 408)
    }
}
