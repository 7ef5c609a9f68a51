// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// The order in which several syncs run in one call.
///
/// A record can refer to a record that another sync up creates. ``SyncManager/sequence(of:)`` orders the sync ups by
/// these references. A sync up whose records still wait, because records of two soups refer to each other, runs again
/// after the others.
///
/// ```swift
/// var sequence = try await manager.sequence(of: ["contactsUp", "accountsUp", "contacts"])
/// while let name = sequence.next() {
///     let result = try await manager.reSync(named: name).value
///     sequence.finished(name, result)
/// }
/// ```
public struct SyncSequence: Sendable {
    private var names: ArraySlice<String>
    /// The syncs whose last run has left records that wait for records of other syncs, in order.
    public private(set) var waiting: [String] = []
    /// The waiting syncs that can continue, because another sync has created records since.
    private var ready: Set<String> = []

    init(_ names: [String]) { self.names = names[...] }

    /// Returns the name of the sync to run next; `nil` if all have run.
    public mutating func next() -> String? {
        if names.isEmpty, !ready.isEmpty {
            names = waiting.filter(ready.contains)[...]
            waiting.removeAll(where: ready.contains)
            ready = []
        }
        return names.popFirst()
    }

    /// Records the end of a run; without this call, a sync runs once.
    public mutating func finished(_ name: String, _ result: SyncResult) {
        if result.created > 0 { ready.formUnion(waiting.filter { $0 != name }) }
        waiting.removeAll { $0 == name }
        guard result.waiting > 0, result.state.status == .done else { return }
        ready.remove(name)
        waiting.append(name)
    }
}

extension SyncManager {
    /// Returns the syncs with the given names in the order in which they should run in one call.
    ///
    /// If a record of a sync up refers to a record that another sync up has to create, the other one comes first. Apart
    /// from that, and for sync downs, the given order is kept.
    ///
    /// - Throws: ``SoupError`` with `syncNotFound`; the errors of the store; `ConfigurationError` if the registry
    ///   cannot make a target.
    public func sequence(of names: [String]) async throws -> SyncSequence {
        var ups: [String: Set<SoupName>] = [:]
        for name in names {
            let definition = try await requireSync(try await id(of: name)).definition
            guard definition.type == .syncUp else { continue }
            ups[name] = try services.registry.upTarget(of: definition).recordLayout(for: definition.soup).soups
        }
        guard ups.count > 1 else { return SyncSequence(names) }
        let layouts = try await services.pushedLayouts()
        let pending = try await services.backend.read { try PendingCreations(layouts, in: $0) }
        var providers: [String: Set<String>] = [:]
        for (id, referrers) in pending.referrers {
            guard let provider = pending.entries[id]?.soup else { continue }
            for referrer in Set(referrers.map(\.soup)) where referrer != provider {
                for (name, soups) in ups where soups.contains(referrer) && !soups.contains(provider) {
                    providers[name, default: []].formUnion(ups.filter { $0.value.contains(provider) }.keys)
                }
            }
        }
        return SyncSequence(SyncSequence.order(names, ups: Set(ups.keys), after: providers))
    }
}

extension SyncSequence {
    /// Returns names in an order in which each sync up follows those that it needs, directly or through others; syncs
    /// that need each other keep the given order.
    ///
    /// - Parameters:
    ///   - ups: the names of the sync ups; the other names keep their positions.
    ///   - needed: the sync ups that should run before a sync up.
    static func order(_ names: [String], ups: Set<String>, after needed: [String: Set<String>]) -> [String] {
        var waiting = names.filter(ups.contains)
        var ordered: [String] = []
        while !waiting.isEmpty {
            let all = Dictionary(waiting.map { ($0, allNeeded(by: $0, in: needed, among: waiting)) }) { $1 }
            // Without needs, or with those of its own cycle only.
            let position = waiting.firstIndex { name in
                (all[name] ?? []).allSatisfy { all[$0]?.contains(name) == true }
            }
            ordered.append(waiting.remove(at: position ?? 0))
        }
        var rest = ordered[...]
        return names.map { ups.contains($0) ? rest.popFirst() ?? $0 : $0 }
    }

    /// Returns the sync ups that a sync up needs, directly or through others.
    private static func allNeeded(
        by name: String, in needed: [String: Set<String>], among names: [String]
    ) -> Set<String> {
        var found: Set<String> = []
        var open = [name]
        while let next = open.popLast() {
            for other in needed[next] ?? [] where names.contains(other) && found.insert(other).inserted {
                open.append(other)
            }
        }
        return found
    }
}
