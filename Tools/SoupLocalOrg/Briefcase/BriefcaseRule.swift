// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// A rule of a briefcase: it selects records that a client should have before it goes offline.
struct BriefcaseRule: Sendable {
    var id: String
    /// The query for the records' IDs; nil for a rule without an object.
    var query: String?
    /// The relationships whose records are included.
    var related: [String]

    /// - Parameter position: the position in the list of rules, for rules without an ID.
    init(_ json: JSONValue, position: Int, userId: String) {
        id = json.id?.stringValue ?? "r\(position + 1)"
        related = (json.related ?? json.relatedRules)?.arrayValue?.compactMap(\.stringValue) ?? []
        guard let object = json["object"]?.stringValue else { return }
        var text = "SELECT Id FROM \(object)"
        if let condition = json["where"]?.stringValue, !condition.isEmpty {
            text += " WHERE " + Self.resolved(condition, userId)
        }
        if let order = json.orderBy?.stringValue, !order.isEmpty { text += " ORDER BY \(order)" }
        if let limit = json.limit?.intValue { text += " LIMIT \(limit)" }
        query = text
    }

    /// Replaces `:me` outside of literals by the caller's ID.
    private static func resolved(_ condition: String, _ userId: String) -> String {
        let bytes = Array(condition.utf8)
        var output: [UInt8] = []
        var isInLiteral = false
        var index = 0
        while index < bytes.count {
            let byte = bytes[index]
            if isInLiteral, byte == UInt8(ascii: "\\"), index + 1 < bytes.count {
                output += bytes[index...index + 1]
                index += 2
                continue
            }
            if byte == UInt8(ascii: "'") { isInLiteral.toggle() }
            if !isInLiteral, byte == UInt8(ascii: ":"), bytes[index...].starts(with: ":me".utf8) {
                output += "'\(userId)'".utf8
                index += 3
                continue
            }
            output.append(byte)
            index += 1
        }
        return String(decoding: output, as: UTF8.self)
    }
}

/// A record of a briefcase.
struct PrimingRecord: Sendable {
    var object: String
    var recordType: String
    var id: String
    /// Milliseconds since 1970.
    var stamp: Int64
    /// The position of the rule that selects it.
    var rule: Int
}

/// The records of a briefcase, which a client reads page by page.
struct Priming: Sendable {
    var records: [PrimingRecord]
    /// The IDs of the rules, in order.
    var rules: [String]
    /// The IDs of the rules that cannot be run.
    var errors: [String]
}

/// The briefcases that are being read.
struct PrimingRegister: Sendable {
    private var kept: [(number: Int, priming: Priming)] = []
    private var made = 0

    /// The maximum number of briefcases; the oldest is removed first.
    private static let capacity = 50
    /// The maximum number of records in all of them; the latest is kept, regardless of its size.
    var mostRecords = 1_000_000

    /// Keeps a briefcase and returns its number.
    mutating func keep(_ priming: Priming) -> Int {
        made += 1
        kept.append((made, priming))
        var records = kept.reduce(0) { $0 + $1.priming.records.count }
        while kept.count > Self.capacity || (records > mostRecords && kept.count > 1) {
            records -= kept.removeFirst().priming.records.count
        }
        return made
    }

    subscript(number: Int) -> Priming? { kept.first { $0.number == number }?.priming }
}
