// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupLocalOrg
import SoupCore
import Synchronization

/// The values of an org's records over time: each record contains its name and the number of its last edit.
///
/// If it records after every request, and the org's dates differ between requests, it distinguishes a number that was
/// written again from an unchanged one.
final class RowHistory: Sendable {
    private struct State {
        var numbers: [String: [Int]] = [:]
        /// The time of each record's last write.
        var times: [String: String] = [:]
        var faults: [String] = []
    }

    private let org: LocalOrg
    private let state = Mutex(State())

    init(_ org: LocalOrg) { self.org = org }

    /// The numbers that each record has had, in order.
    var numbers: [String: [Int]] { state.withLock(\.numbers) }
    /// The faults: duplicated records, numbers lower than an earlier one, and numbers that were written again.
    var faults: [String] { state.withLock(\.faults) }

    /// Records the current state of the org.
    func record() throws {
        try state.withLock { state in
            for (name, found) in try Self.writes(in: org) {
                if found.count > 1 { state.faults.append("\(name) exists \(found.count) times") }
                guard let (number, time) = found.last else { continue }
                let (last, before) = (state.numbers[name]?.last, state.times.updateValue(time, forKey: name))
                if number == last {
                    if time != before { state.faults.append("\(name) was pushed again with \(number)") }
                    continue
                }
                if let last, number < last { state.faults.append("\(name) changed back from \(last) to \(number)") }
                state.numbers[name, default: []].append(number)
            }
        }
    }

    /// Returns the edit numbers of the records that are not deleted, by name.
    static func rows(of org: LocalOrg) throws -> [String: [Int]] {
        try writes(in: org).mapValues { $0.map(\.number) }
    }

    /// Returns the same numbers with the times of the last writes.
    private static func writes(in org: LocalOrg) throws -> [String: [(number: Int, time: String)]] {
        let rows = try (org.state(of: "Account") + org.state(of: "Contact")).filter { $0["IsDeleted"] != true }
        return Dictionary(grouping: rows) { EditedRow.parts($0).name }.mapValues { rows in
            rows.map { (EditedRow.parts($0).number, $0["LastModifiedDate"]?.stringValue ?? "") }
        }
    }
}

/// The encoding of a record's name and its last edit: an account has them in its name and its description, a contact
/// has both in its last name, `Ng 1:7`.
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
