// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import HTTPTypes
internal import SoupCore

/// The checked members of a JSON object of the administration: all are known and have the right form.
struct CheckedMembers {
    let object: JSONObject

    /// - Parameters:
    /// - name: the name of the object in errors.
    /// - members: the known members.
    /// - Throws: ``OrgError`` for a value that is not an object, for an unknown member, and for a member of the wrong
    /// form.
    init(_ json: JSONValue, name: String, members: [MemberForm.Member]) throws {
        guard let object = json.objectValue else { throw Self.wrong("\(name) must be an object") }
        for (key, value) in object.members {
            guard let member = members.first(where: { $0.name == key }) else {
                let known = members.map(\.name).sorted()
                let nearest = NameDistance.nearest(to: key, in: known).map { "; did you mean \"\($0)\"?" } ?? ""
                throw Self.wrong(
                    "\(name) has no \"\(key)\": there \(known.isEmpty ? "is nothing more" : "are ")"
                        + known.joined(separator: ", ") + nearest)
            }
            if value.isNull { continue }
            guard try member.form.takes(value, "\(name).\(key)") else {
                let shown = String(decoding: value.description.utf8.prefix(100), as: UTF8.self)
                throw Self.wrong("\(name).\(key) must be \(member.form.description), not \(shown)")
            }
        }
        self.object = object
    }

    /// - Throws: ``OrgError`` for the first missing member.
    func need(_ keys: String..., of name: String) throws {
        guard let missing = keys.first(where: { self[$0] == nil }) else { return }
        throw Self.wrong("\(name) needs \"\(missing)\"")
    }

    static func wrong(_ message: String) -> OrgError { OrgError(400, "INVALID_INPUT", message: message) }

    /// The value of a member; nil if it is missing or null.
    subscript(key: String) -> JSONValue? { object[key].flatMap { $0.isNull ? JSONValue?.none : $0 } }

    func text(_ key: String) -> String? { self[key]?.stringValue }
    func texts(_ key: String) -> [String] { self[key]?.arrayValue?.compactMap(\.stringValue) ?? [] }
    func number(_ key: String) -> Int? { self[key].flatMap { MemberForm.whole($0, .min ... .max) } }
    /// Returns the value of a member in milliseconds as a duration.
    func duration(_ key: String) -> Duration? { number(key).map { .milliseconds($0) } }
    /// Returns the value of a member as a list: one object, or an array of objects.
    func list(_ key: String) -> [JSONValue] { self[key].map { $0.arrayValue ?? [$0] } ?? [] }
    func numbers(_ key: String) -> [Int] { list(key).compactMap { MemberForm.whole($0, .min ... .max) } }
}

extension MemberForm {
    /// Returns whether a value has this form.
    ///
    /// - Parameter name: the name of the member in errors.
    /// - Throws: ``OrgError`` with a more precise error, where there is one.
    fileprivate func takes(_ value: JSONValue, _ name: String) throws -> Bool {
        switch self {
        case .text: return value.stringValue != nil
        case .texts: return value.arrayValue?.allSatisfy { $0.stringValue != nil } ?? false
        case .truth: return value.boolValue != nil
        case .number(let range): return Self.whole(value, range) != nil
        case .milliseconds: return Self.whole(value, 0...Self.longestTime) != nil
        case .numbers(let range):
            return (value.arrayValue ?? [value]).allSatisfy { Self.whole($0, range) != nil }
        case .share: return value.doubleValue.map { (0...1).contains($0) } ?? false
        case .word(let words, let range):
            if let text = value.stringValue, words.contains(text) { return true }
            guard let range else { return false }
            return Self.whole(value, range) != nil
                || value.stringValue.flatMap { Int($0) }.map(range.contains) ?? false
        case .pattern: return value.stringValue.map { (try? Regex($0)) != nil } ?? false
        case .method: return value.stringValue?.wholeMatch(of: /[A-Za-z]+/) != nil
        case .headers:
            return value.objectValue?.members.allSatisfy { name, value in
                HTTPField.Name(name) != nil && (value.stringValue != nil || value.intValue != nil)
            } ?? false
        case .timeZone: return value.stringValue.map { TimeZone(identifier: $0) != nil } ?? false
        case .objects(let members, let needs):
            let list = value.arrayValue ?? [value]
            for (index, item) in list.enumerated() {
                let place = value.arrayValue == nil ? name : "\(name)[\(index)]"
                let checked = try CheckedMembers(item, name: place, members: members)
                if let missing = needs.first(where: { checked[$0] == nil }) {
                    throw CheckedMembers.wrong("\(place) needs \"\(missing)\"")
                }
            }
            return true
        case .anything: return true
        }
    }
}
