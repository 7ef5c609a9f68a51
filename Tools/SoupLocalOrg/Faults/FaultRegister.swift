// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// A fault that strikes a request, with what chance decided for this time.
struct Strike: Sendable {
    var fault: OrgFault
    /// The numbers of this strike: the same in each run.
    var random: SplitMix

    init(_ fault: OrgFault, _ random: SplitMix) {
        self.fault = fault
        self.random = random
        if case .latency(let pause, let jitter) = fault.effect, jitter > 0 {
            let more = Int64(self.random.next() % (UInt64(jitter) + 1))
            self.fault.effect = .latency(pause.plus(more))
        }
    }
}

/// The faults that are in place, and how often each has been met.
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

    /// The faults, with how many matching requests they have met, and how often they have struck.
    var list: [(fault: OrgFault, seen: Int, fired: Int)] { entries.map { ($0.fault, $0.seen, $0.fired) } }

    /// Puts a fault behind the others, or in the place of the one that has its id.
    ///
    /// - Returns: the fault's id, made up when it had none.
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

    /// Takes a fault away, or all of them for nil.
    mutating func remove(_ id: String?) { entries.removeAll { id == nil || $0.fault.id == id } }

    /// The faults that strike a request: all that only take time, and the first of the others.
    ///
    /// Each counts the requests that it matches, whatever the others do to them.
    ///
    /// - Parameter sender: the client that sends it.
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

    /// Takes a strike back that did nothing: it does not count.
    mutating func takeBack(_ id: String) {
        guard let index = entries.firstIndex(where: { $0.fault.id == id }) else { return }
        entries[index].fired = max(0, entries[index].fired - 1)
    }
}

extension FaultRegister.Entry {
    /// Counts a matching request, and tells whether this is one to strike.
    fileprivate mutating func meets(at now: Int64) -> Bool {
        if now - added < fault.afterMilliseconds { return false }
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
