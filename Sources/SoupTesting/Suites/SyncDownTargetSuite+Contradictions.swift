// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization
internal import SoupCore

extension SyncDownTargetSuite {
    /// Checks that responses that announce more records than they contain do not count as complete.
    func checkContradictions(_ target: Target, after walk: PageWalk, _ report: inout SuiteReport) async {
        for damage in Damage.ofCounts { await checkPages(target, with: damage, after: walk, &report) }
        let levels = target.layout?.levels ?? [.init(soup: context.soup, idField: target.idField)]
        for (level, layout) in levels.enumerated() {
            let ids = walk.ids(level: level, idField: layout.idField)
            guard !ids.isEmpty else { continue }
            for damage in Damage.allCases {
                for lookup in idLookups(of: target, level: level, after: walk) {
                    await check(lookup, of: ids, idField: layout.idField, with: damage, &report)
                }
            }
        }
    }

    private func checkPages(
        _ target: Target, with damage: Damage, after walk: PageWalk, _ report: inout SuiteReport
    ) async {
        let server = DamagedServer(server, damage, idField: target.idField)
        guard let rest = try? await self.walk(target, in: context(server.transport)), let last = rest.steps.last,
            last.page.next == nil, last.page.failure == nil
        else { return }
        let isTree = target.layout?.isTree ?? false
        let count = rest.count(isTree: isTree)
        guard last.page.check(count: count) == .complete else { return }
        let announced = rest.steps.compactMap(\.page.totalSize).max() ?? 0
        report.require(
            announced <= count || approximateTotal,
            "the server announces \(announced) record(s) and sends \(count), and the target ends the run as complete: set "
                + "RecordPage.expectedCount (totalIsExact: true in RecordPage(_:recordsAt:nextAt:totalAt:totalIsExact:)), or set "
                + "approximateTotal: true if the number is an estimate")
        for level in 1..<max(1, target.layout?.levels.count ?? 1) where isTree && server.hasContradicted {
            let idField = target.layout?.levels[level].idField ?? ""
            report.require(
                Set(rest.ids(level: level, idField: idField)) == Set(walk.ids(level: level, idField: idField)),
                "the server announces children of level \(level) and does not send them, and the target ends the run as "
                    + "complete: compare the number of children with the announced number, and throw a SoupError")
        }
    }

    /// Checks that a response without some of its records does not count as "no record".
    private func check(
        _ lookup: IdLookup, of ids: [String], idField: String, with damage: Damage, _ report: inout SuiteReport
    ) async {
        let server = DamagedServer(server, damage, idField: idField)
        guard let found = try? await lookup.find(ids, context(server.transport)) else { return }
        report.require(
            found == Set(ids) || !server.hasContradicted,
            "the server sends \(damage.rawValue), and \(lookup.name) of level \(lookup.level) reports the missing records as "
                + "deleted, so their entries would be removed: compare the number of records with the announced number, "
                + "require an ID in each, and throw a SoupError")
    }

    /// Checks that malformed IDs are not sent, because a server refuses the whole request for one of them.
    func checkImpossibleIds(_ target: Target, after walk: PageWalk, _ report: inout SuiteReport) async {
        let levels = target.layout?.levels ?? [.init(soup: context.soup, idField: target.idField)]
        for (level, layout) in levels.enumerated() {
            let ids = walk.ids(level: level, idField: layout.idField)
            let refused = ids.filter { !$0.isEmpty && !target.isPossibleId($0, level: level) }
            report.require(
                refused.isEmpty,
                "isPossibleId(_:level:) returns false for \(refused.prefix(3)), which the server sent, so these records are never "
                    + "requested again: return true for every ID that the server can assign")
            guard !ids.isEmpty, target.isPossibleId(Self.impossibleId, level: level) else { continue }
            let server = self.server
            let transport = ScriptedTransport { request in
                let text = request.pathAndQuery + String(decoding: request.body ?? [], as: UTF8.self)
                guard !text.contains(Self.impossibleMark) else {
                    return HTTPAnswer(
                        status: 400, #"[{"errorCode":"INVALID_QUERY_FILTER_OPERATOR","message":"invalid ID field"}]"#)
                }
                return try await server(request)
            }
            let survivors = try? await target.survivors(
                of: ids + [Self.impossibleId], level: level, in: context(transport))
            report.require(
                survivors == Set(ids),
                "isPossibleId(_:level:) returns true for \(Self.impossibleId.debugDescription) in level \(level), and the server "
                    + "refuses the request for all IDs because of it: return false for texts that the server cannot assign"
            )
        }
    }

    private static var impossibleMark: String { "impossible-id-of-the-suite" }
    private static var impossibleId: String { "\u{1}\(impossibleMark)" }
}

/// The damage to a response; the announced numbers of records are unchanged.
private enum Damage: String, CaseIterable {
    case lastRecords = "fewer records than it announces"
    case allRecords = "none of the records that it announces"
    case children = "fewer children than it announces"
    case ids = "records without IDs"

    static let ofCounts: [Damage] = [.lastRecords, .allRecords, .children]
}

/// The author's server, with damage to its responses.
private final class DamagedServer: Sendable {
    private let server: ScriptedTransport.Server
    private let damage: Damage
    private let idField: String
    private let contradicted = Mutex(false)

    init(_ server: @escaping ScriptedTransport.Server, _ damage: Damage, idField: String) {
        self.server = server
        self.damage = damage
        self.idField = idField.lowercased()
    }

    /// Whether a response lost IDs, or records that it announces.
    var hasContradicted: Bool { contradicted.withLock { $0 } }

    var transport: ScriptedTransport {
        ScriptedTransport { request in
            var answer = try await self.server(request)
            if let json = try? JSONValue(parsing: answer.body), let text = try? self.damaged(json, depth: 0).jsonText()
            {
                answer.body = Array(text.bytes)
            }
            return answer
        }
    }

    /// - Parameter depth: the number of enclosing lists of records.
    private func damaged(_ value: JSONValue, depth: Int) -> JSONValue {
        switch value {
        case .array(let items) where items.contains(where: { $0.objectValue != nil }): damaged(items, depth)
        case .object(let object):
            .object(
                JSONObject(
                    object.members.map { name, member in
                        let list = member.arrayValue ?? []
                        let result = damaged(member, depth: depth)
                        let announces = object.members.contains { $0.value == .int(Int64(list.count)) }
                        if announces, result.arrayValue?.count != list.count, !list.isEmpty { contradict() }
                        return (key: name, value: result)
                    }))
        default: value
        }
    }

    private func damaged(_ items: [JSONValue], _ depth: Int) -> JSONValue {
        switch (damage, depth) {
        case (.lastRecords, 0), (.children, 1): return .array(Array(items.dropLast()))
        case (.allRecords, 0): return .array([])
        case (.ids, _):
            return .array(
                items.map { item in
                    guard case .object(let object) = damaged(item, depth: depth + 1) else { return item }
                    let kept = object.members.filter { $0.key.lowercased() != idField }
                    if kept.count < object.members.count { contradict() }
                    return .object(JSONObject(kept.map { (key: $0.key, value: $0.value) }))
                })
        default: return .array(items.map { damaged($0, depth: depth + 1) })
        }
    }

    private func contradict() { contradicted.withLock { $0 = true } }
}
