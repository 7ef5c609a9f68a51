// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

extension SyncDownTargetSuite {
    /// A method of a target that returns those of some IDs whose records the server has.
    ///
    /// The engine removes the entries of the others.
    struct IdLookup {
        /// The base name of the method.
        var name: String
        /// The full name of the method.
        var signature: String
        var level: Int
        var find: @Sendable ([String], SyncContext) async throws -> Set<String>?
    }

    /// Returns the methods that look up IDs of a level.
    func idLookups(of target: Target, level: Int, after walk: PageWalk) -> [IdLookup] {
        // A target that needs the object returns nil for another one.
        let type = walk.objectType(level: level) ?? "Record"
        return [
            IdLookup(name: "survivors", signature: "survivors(of:level:in:)", level: level) {
                try await target.survivors(of: $0, level: level, in: $1)
            },
            IdLookup(name: "existing", signature: "existing(_:type:level:in:)", level: level) {
                try await target.existing($0, type: type, level: level, in: $1)
            },
        ]
    }

    func checkIdLookups(_ target: Target, after walk: PageWalk, _ report: inout SuiteReport) async {
        let levels = target.layout?.levels ?? [.init(soup: context.soup, idField: target.idField)]
        for (level, layout) in levels.enumerated() {
            let ids = walk.ids(level: level, idField: layout.idField)
            for lookup in idLookups(of: target, level: level, after: walk) {
                await check(lookup, of: ids, &report)
            }
        }
    }

    private func check(_ lookup: IdLookup, of ids: [String], _ report: inout SuiteReport) async {
        let place = "\(lookup.name) of level \(lookup.level)"
        let ghost = Self.ghost(like: ids.first ?? "")
        guard let response = await request(lookup, of: ids + [ghost], &report), let found = response else { return }
        report.require(
            found.isSubset(of: ids + [ghost]),
            "\(place) contains IDs that were not requested: return a subset of the given IDs")
        report.require(
            !found.contains(ghost),
            "\(place) contains an ID that the server does not have: return only IDs that the server confirms, or nil if the "
                + "target cannot determine them")
        let lost = Set(ids).subtracting(found)
        report.require(
            lost.isEmpty,
            "\(place) lacks IDs that were just synced, \(lost.sorted()), so their entries would be removed: return every ID that "
                + "the server still has")
        let again = await request(lookup, of: ids + [ghost], &report)
        report.require(
            again == found,
            "\(place) returned a different result the second time: return the same result for the same state of the "
                + "server")
        let none = await request(lookup, of: [], &report)
        report.require(
            none == Set(), "\(place) did not return an empty set for no IDs: return an empty set")
        await checkFailures(of: lookup, for: ids, &report)
    }

    private func request(
        _ lookup: IdLookup, of ids: [String], _ report: inout SuiteReport
    ) async -> Set<String>?? {
        await report.expect(
            "the server responds, and \(lookup.signature) for \(ids.count) ID(s) of level \(lookup.level)",
            rule: "return the IDs of the records that the server confirms, or nil if the target cannot determine them"
        ) { try await lookup.find(ids, context) }
    }

    /// Checks that an unusable response does not count as "no record": all entries would be deleted.
    private func checkFailures(of lookup: IdLookup, for ids: [String], _ report: inout SuiteReport) async {
        for (name, answer) in Self.unusableResponses where !ids.isEmpty {
            let transport = ScriptedTransport { _ in answer }
            do {
                let found = try await lookup.find(ids, context(transport))
                report.require(
                    found == nil || found == Set(ids),
                    "the server responds with \(name), and \(lookup.name) reports records as deleted, so their entries would be "
                        + "removed: throw a SoupError")
            } catch is SoupError {
            } catch {
                report.note(
                    "the server responds with \(name), and \(lookup.name) threw \(error.quoted): throw a SoupError, as "
                        + "context.get and answer.json() do")
            }
        }
    }
}
