// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// A kind of fault as rules name it: its members, what it does, and the effect that they make.
///
/// The list of all kinds is the one place that knows them: rules are checked and read by it, and the README's table is
/// what it writes.
struct FaultKind: Sendable {
    var name: String
    /// Beside `kind`.
    var members: [MemberForm.Member]
    /// What happens, for the README.
    var summary: String
    private var make: @Sendable (CheckedMembers) throws -> OrgFault.Effect

    init(
        _ name: String, _ members: [MemberForm.Member] = [], _ summary: String,
        _ make: @escaping @Sendable (CheckedMembers) throws -> OrgFault.Effect
    ) {
        self.name = name
        self.members = members
        self.summary = summary
        self.make = make
    }

    /// Reads what a rule wants to happen: an object with `kind` and the members of that kind.
    ///
    /// - Throws: ``OrgError`` naming what is wrong, and what there is.
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
        return try kind.make(try CheckedMembers(json, "do", members))
    }

    /// The rows of the README's table.
    static var readme: [String] {
        all.map { kind in
            let members = kind.members.map { "`\($0.name)`\($0.form.note)" }.joined(separator: ", ")
            return "| `\(kind.name)` |\(members.isEmpty ? "" : " \(members)") | \(kind.summary) |"
        }
    }
}

extension MemberForm {
    /// What a table says of the form behind the name of a member.
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
