// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// A fault that applies to a request, with its random numbers for this time.
struct Strike: Sendable {
    var fault: OrgFault
    /// The random numbers of this strike: the same in each run.
    var random: SplitMix

    init(_ fault: OrgFault, _ random: SplitMix) {
        self.fault = fault
        self.random = random
        if case .latency(let pause, let jitter) = fault.effect, jitter > .zero {
            let more = Int64(self.random.next() % (UInt64(jitter.milliseconds) + 1))
            self.fault.effect = .latency(.milliseconds(pause.milliseconds.plus(more)))
        }
    }
}

/// The faults of an org, and how often each has matched.
struct FaultRegister: Sendable {
    fileprivate struct Entry: Sendable {
        var fault: OrgFault
        /// Milliseconds since 1970.
        var added: Int64
        var seen = 0
        var fired = 0
        var random: SplitMix
    }

    private var entries: [Entry] = []
    private var added = 0

    /// The faults, each with the number of matching requests and the number of times that it took effect.
    var list: [(fault: OrgFault, seen: Int, fired: Int)] { entries.map { ($0.fault, $0.seen, $0.fired) } }

    /// Adds a fault after the others, or replaces the one with its ID.
    ///
    /// - Returns: the fault's ID, generated if it had none.
    @discardableResult
    mutating func add(_ fault: OrgFault, now: Int64) -> String {
        added += 1
        var fault = fault
        if fault.id.isEmpty { fault.id = "f\(added)" }
        let entry = Entry(fault: fault, added: now, random: SplitMix(seed: fault.seed))
        if let place = entries.firstIndex(where: { $0.fault.id == fault.id }) {
            entries[place] = entry
        } else {
            entries.append(entry)
        }
        return fault.id
    }

    /// Removes a fault, or all of them for nil.
    mutating func remove(_ id: String?) { entries.removeAll { id == nil || $0.fault.id == id } }

    /// Returns the faults that apply to a request: all that only delay it, and the first of the others.
    ///
    /// Each fault counts the requests that it matches, regardless of other faults.
    ///
    /// - Parameter sender: the client that sends the request.
    mutating func strike(_ request: OrgRequest, from sender: String?, now: Int64) -> [Strike] {
        var struck: [Strike] = []
        var isStruck = false
        for index in entries.indices {
            let isDelay = entries[index].fault.effect.isDelay
            guard entries[index].fault.matches(request, from: sender), entries[index].meets(at: now),
                isDelay || !isStruck
            else { continue }
            entries[index].fired += 1
            struck.append(Strike(entries[index].fault, SplitMix(seed: entries[index].random.next())))
            if !isDelay { isStruck = true }
        }
        return struck
    }

    /// Undoes the count of a strike that had no effect.
    mutating func undoStrike(_ id: String) {
        guard let index = entries.firstIndex(where: { $0.fault.id == id }) else { return }
        entries[index].fired = max(0, entries[index].fired - 1)
    }
}

extension FaultRegister.Entry {
    /// Counts a matching request, and returns whether the fault applies to it.
    fileprivate mutating func meets(at now: Int64) -> Bool {
        if now - added < fault.startDelay.milliseconds { return false }
        if let count = fault.count, fired >= count { return false }
        seen += 1
        if !fault.nth.isEmpty, !fault.nth.contains(seen) { return false }
        if let every = fault.every, every > 0, seen % every != 0 { return false }
        if fault.probability < 1, Double(random.next() >> 11) / 9_007_199_254_740_992 >= fault.probability {
            return false
        }
        return true
    }
}
