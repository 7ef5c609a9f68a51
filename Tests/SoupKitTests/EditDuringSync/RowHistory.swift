// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupLocalOrg
import SoupCore
import Synchronization

/// What an org held at each of its requests, record by record: each says who it is, and the number of its last edit.
///
/// Looked at after every request, of an org whose dates tell these apart, it tells a number that was written again from
/// one that is only still there.
final class RowHistory: Sendable {
    private struct State {
        var numbers: [String: [Int]] = [:]
        /// When each record was written last.
        var times: [String: String] = [:]
        var faults: [String] = []
    }

    private let org: LocalOrg
    private let state = Mutex(State())

    init(_ org: LocalOrg) { self.org = org }

    /// The numbers that each record has had, in the order in which they came.
    var numbers: [String: [Int]] { state.withLock(\.numbers) }
    /// What must never be: records that are there twice, numbers below the one before, and numbers that came again.
    var faults: [String] { state.withLock(\.faults) }

    /// Looks at the org.
    func look() throws {
        try state.withLock { state in
            for (name, found) in try Self.writes(in: org) {
                if found.count > 1 { state.faults.append("\(name) is there \(found.count) times") }
                guard let (number, time) = found.last else { continue }
                let (last, before) = (state.numbers[name]?.last, state.times.updateValue(time, forKey: name))
                if number == last {
                    if time != before { state.faults.append("\(name) was pushed again with \(number)") }
                    continue
                }
                if let last, number < last { state.faults.append("\(name) went back from \(last) to \(number)") }
                state.numbers[name, default: []].append(number)
            }
        }
    }

    /// The records that are not deleted, by who they are.
    static func rows(of org: LocalOrg) throws -> [String: [Int]] {
        try writes(in: org).mapValues { $0.map(\.number) }
    }

    /// The same, with the times at which they were written last.
    private static func writes(in org: LocalOrg) throws -> [String: [(number: Int, time: String)]] {
        let rows = try (org.state(of: "Account") + org.state(of: "Contact")).filter { $0["IsDeleted"] != true }
        return Dictionary(grouping: rows) { EditedRow.parts($0).name }.mapValues { rows in
            rows.map { (EditedRow.parts($0).number, $0["LastModifiedDate"]?.stringValue ?? "") }
        }
    }
}

/// How a record says who it is and which edit was its last: an account by its name and its description, a contact by
/// both in one, `Ng 1:7`.
enum EditedRow {
    static func parts(_ record: JSONValue) -> (name: String, number: Int) {
        if let name = record["Name"]?.stringValue, record["LastName"]?.stringValue == nil {
            return (name, Int(record["Description"]?.stringValue ?? "0") ?? -1)
        }
        let parts = (record["LastName"]?.stringValue ?? "").split(separator: ":")
        return (String(parts.first ?? ""), parts.count > 1 ? Int(parts[1]) ?? -1 : 0)
    }

    static func members(_ name: String, _ number: Int, isAccount: Bool) -> JSONObject {
        isAccount ? ["Description": .string(String(number))] : ["LastName": .string("\(name):\(number)")]
    }
}
