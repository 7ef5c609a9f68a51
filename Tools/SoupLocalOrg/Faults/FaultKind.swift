// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// A kind of fault: its name and members in rules, and the effect that it creates from them.
///
/// The list of all kinds is the only place that defines them: rules are checked and read with it, and a test compares
/// the table in the article *Faults* with it.
struct FaultKind: Sendable {
    var name: String
    /// Beside `kind`.
    var members: [MemberForm.Member]
    /// The effect, for the article.
    var summary: String
    private var make: @Sendable (CheckedMembers) throws -> OrgFault.Effect

    init(
        _ name: String, members: [MemberForm.Member] = [], summary: String,
        _ make: @escaping @Sendable (CheckedMembers) throws -> OrgFault.Effect
    ) {
        self.name = name
        self.members = members
        self.summary = summary
        self.make = make
    }

    /// Reads the effect of a rule: an object with `kind` and the members of that kind.
    ///
    /// - Throws: ``OrgError`` that names the problem and the known kinds or members.
    static func effect(_ json: JSONValue) throws -> OrgFault.Effect {
        guard let given = json.objectValue else { throw CheckedMembers.wrong("do must be an object") }
        let names = all.map(\.name).sorted()
        guard let name = given["kind"]?.stringValue else {
            throw CheckedMembers.wrong("do.kind must be one of \(names.joined(separator: ", "))")
        }
        guard let kind = all.first(where: { $0.name == name }) else {
            let nearest = NameDistance.nearest(to: name, in: names).map { "; did you mean \"\($0)\"?" } ?? ""
            throw CheckedMembers.wrong(
                "there is no kind of fault \"\(name)\": there are \(names.joined(separator: ", "))\(nearest)")
        }
        let members = [MemberForm.Member("kind", .text)] + kind.members
        return try kind.make(try CheckedMembers(json, name: "do", members: members))
    }

    /// The rows of the table in the article *Faults*.
    static var documentation: [String] {
        all.map { kind in
            let members = kind.members.map { "`\($0.name)`\($0.form.note)" }.joined(separator: ", ")
            return "| `\(kind.name)` |\(members.isEmpty ? "" : " \(members)") | \(kind.summary) |"
        }
    }
}

extension MemberForm {
    /// The note on the form, after the name of a member in a table.
    var note: String {
        switch self {
        case .word(let words, let range):
            ": " + words.map { "`\($0)`" }.joined(separator: ", ")
                + (range.map { ", or \($0.lowerBound) to \($0.upperBound)" } ?? "")
        case .number(let range) where range != Int.min...Int.max && range.upperBound < Self.highestCount:
            " (\(range.lowerBound) to \(range.upperBound))"
        case .milliseconds: " (ms)"
        case .objects(let members, _): " (" + members.map { "`\($0.name)`" }.joined(separator: ", ") + ")"
        default: ""
        }
    }
}
