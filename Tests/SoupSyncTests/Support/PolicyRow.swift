// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupCore

@testable import SoupSync

/// A row of a policy table: the records of a tree, and the decision about the tree.
///
/// Each record is a line. The first line is the root `a`; the children `b`, `c`, ... are indented by `-`, one for each
/// level. The first word is the local change: `create`, `update`, `delete` or `unchanged`. The second is the server's
/// state: `?` if it was not asked, `same`, `older`, `newer`, `deleted`, `unknown` (also if the target cannot report
/// states), or `silent` if it did not answer.
/// Further words:
/// - `has=X`: the fetched server record has the name X; `missing`: the server does not have it; `unfetchable`: the
///   target cannot fetch records. The local name is always `Local`.
/// - `onceSynced`: a creation with a server ID, which is to be recreated.
/// - `versioned`: the records have versions, and not only dates.
/// - `equal`, `inConflict`, `decided`, `merged`, `conditional`, `refused`, `verified`: see ``TreeFacts``.
struct PolicyRow: Sendable, CustomStringConvertible {
    let lines: [String]
    let decision: String

    init(_ lines: String..., gives decision: String) {
        self.lines = lines
        self.decision = decision
    }

    var description: String { lines.joined(separator: ", ") + " -> " + decision }

    /// The decision of a policy, with the names of the records.
    func decision(of policy: any PushPolicy) -> String {
        let (tree, facts) = parsed()
        func names(_ records: [PushRecord]) -> String { records.map { Self.name($0.key) }.joined(separator: " ") }
        switch policy.decide(tree, knowing: facts) {
        case .push: return "push"
        case .hold(let reason): return "hold \(reason.code)"
        case .ask(.states(let records)): return "ask for states: \(names(records))"
        case .ask(.records(let records)): return "ask for records: \(names(records))"
        case .resolve(let resolutions):
            return resolutions.map { resolution in
                let name = Self.name(resolution.record.key)
                return switch resolution.action {
                case .finishDeletion: "finish deletion: \(name)"
                case .markClean: "mark clean: \(name)"
                case .keepOnServer: "keep on server: \(name)"
                case .update: "update: \(name)"
                case .recreate: "recreate: \(name)"
                case .merge(let remote): "merge: \(name) with \(remote.map { "\($0)" } ?? "a deletion")"
                }
            }.joined(separator: ", ")
        }
    }

    private static func name(_ key: EntryKey) -> String { String("abcdefgh"[Int(key.id - 1)]) }

    private func parsed() -> (PushTree, TreeFacts) {
        var facts = TreeFacts()
        var records: [PushRecord] = []
        var unchangedChildren: [PushRecord] = []
        var path: [EntryKey] = []
        for (position, line) in lines.enumerated() {
            let depth = line.prefix { $0 == "-" }.count
            let words = line.drop { $0 == "-" || $0 == " " }.split(separator: " ").map(String.init)
            let key = EntryKey(soup: "s", id: Int64(position + 1))
            path = Array(path.prefix(depth))
            let record = Self.record(key, words, parent: path.last)
            path.append(key)
            Self.add(words, about: key, to: &facts)
            // An unchanged record is part of the tree only if a record below it is.
            let isParent = lines.dropFirst(position + 1).first.map { $0.prefix { $0 == "-" }.count > depth } ?? false
            if record.kind == .none, depth > 0, !isParent {
                unchangedChildren.append(record)
            } else {
                records.append(record)
            }
        }
        var tree = PushTree(root: records[0])
        tree.children = Array(records.dropFirst())
        tree.unchangedChildren = unchangedChildren
        return (tree, facts)
    }

    private static func record(_ key: EntryKey, _ words: [String], parent: EntryKey?) -> PushRecord {
        let kind: RecordChange.Kind = words[0] == "unchanged" ? .none : RecordChange.Kind(rawValue: words[0]) ?? .none
        let hasServerId = kind != .create || words.contains("onceSynced")
        return PushRecord(
            key: key, level: parent == nil ? 0 : 1, kind: kind, version: 1,
            id: hasServerId ? "00300000000000\(key.id)" : "local_\(key.id)",
            localTime: DateText.milliseconds("2026-01-01T00:00:10.000Z"), isDirty: kind != .none,
            record: .object([(name: "Name", value: .string("Local"))]), parent: parent)
    }

    private static func add(_ words: [String], about key: EntryKey, to facts: inout TreeFacts) {
        switch words.count > 1 ? words[1] : "?" {
        case "same": facts.states[key] = .modified("2026-01-01T00:00:10.000Z")
        case "older": facts.states[key] = .modified("2026-01-01T00:00:05.000Z")
        case "newer": facts.states[key] = .modified("2026-01-01T00:00:20.000Z")
        case "deleted": facts.states[key] = .deleted
        case "unknown": facts.states[key] = .unknown
        case "silent": facts.failure = PushFailure(code: "SILENT", message: "no answer", retry: .inLaterRun)
        default: break
        }
        for word in words.dropFirst(2) {
            switch word {
            case "missing": facts.records[key] = .missing
            case "unfetchable": facts.records[key] = .unsupported
            case "equal": facts.unchanged.insert(key)
            case "inConflict": facts.inConflict.insert(key)
            case "decided": facts.decided.insert(key)
            case "merged": facts.merged.insert(key)
            case "conditional": facts.conditional.insert(key)
            case "refused": facts.refused.insert(key)
            case "versioned": facts.versionedSoups.insert(key.soup)
            case "verified": facts.verified.insert(key)
            case _ where word.hasPrefix("has="):
                facts.records[key] = .record(.object([(name: "Name", value: .string(String(word.dropFirst(4))))]))
            default: break
            }
        }
    }
}

extension String {
    fileprivate subscript(_ position: Int) -> Character { self[index(startIndex, offsetBy: position)] }
}
