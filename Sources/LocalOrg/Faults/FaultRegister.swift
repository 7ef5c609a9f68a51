// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// The faults that are in place, and how often each has been met.
struct FaultRegister: Sendable {
    fileprivate struct Entry: Sendable {
        var fault: OrgFault
        var seen = 0
        var fired = 0
        var random: SplitMix
    }

    private var entries: [Entry] = []
    private var added = 0

    /// The faults, with how often they have struck.
    var list: [(fault: OrgFault, fired: Int)] { entries.map { ($0.fault, $0.fired) } }

    /// - Returns: the fault's id, made up when it had none.
    @discardableResult
    mutating func add(_ fault: OrgFault) -> String {
        added += 1
        var fault = fault
        if fault.id.isEmpty { fault.id = "f\(added)" }
        entries.append(Entry(fault: fault, random: SplitMix(seed: fault.seed)))
        return fault.id
    }

    /// Takes a fault away, or all of them for nil.
    mutating func remove(_ id: String?) { entries.removeAll { id == nil || $0.fault.id == id } }

    /// The faults that strike a request: all pauses, and the first of the others.
    mutating func strike(_ request: OrgRequest) -> [OrgFault] {
        var struck: [OrgFault] = []
        var isStruck = false
        for index in entries.indices {
            let isPause = if case .latency = entries[index].fault.effect { true } else { false }
            if isStruck && !isPause { continue }
            guard entries[index].fault.matches(request), entries[index].strikes() else { continue }
            struck.append(entries[index].fault)
            if !isPause { isStruck = true }
        }
        return struck
    }
}

extension FaultRegister.Entry {
    /// Counts a matching request, and tells whether this one is struck.
    fileprivate mutating func strikes() -> Bool {
        if let count = fault.count, fired >= count { return false }
        seen += 1
        if !fault.nth.isEmpty, !fault.nth.contains(seen) { return false }
        if let every = fault.every, every > 0, seen % every != 0 { return false }
        if fault.probability < 1, Double(random.next() >> 11) / 9_007_199_254_740_992 >= fault.probability {
            return false
        }
        fired += 1
        return true
    }
}
