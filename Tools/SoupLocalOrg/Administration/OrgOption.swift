// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// An option of the org as the administration names it: what may be set, and how it is read and written.
///
/// The list of all options is the one place that knows their names: requests are checked by it, `GET` tells what it
/// says, and the README's table is what it writes.
struct OrgOption: Sendable {
    var member: MemberForm.Member
    /// What the option means, for the README.
    var summary: String
    private var read: @Sendable (OrgOptions) -> JSONValue
    /// Takes a value of the member's form; null stands for nil.
    private var write: @Sendable (inout OrgOptions, JSONValue) -> Void

    init(
        _ name: String, _ form: MemberForm, takesNull: Bool = false, _ summary: String,
        _ read: @escaping @Sendable (OrgOptions) -> JSONValue,
        _ write: @escaping @Sendable (inout OrgOptions, JSONValue) -> Void
    ) {
        member = MemberForm.Member(name, form, takesNull: takesNull)
        self.summary = summary
        self.read = read
        self.write = write
    }

    /// All options with what they are set to.
    static func json(of options: OrgOptions) -> JSONValue {
        .object(JSONObject(all.map { (key: $0.member.name, value: $0.read(options)) }))
    }

    /// Sets the options that an object names: all of them, or none.
    ///
    /// - Throws: ``OrgError`` for a name that is not known, and for a value of another form or out of its range.
    static func set(_ json: JSONValue, in options: inout OrgOptions) throws {
        let given = try CheckedMembers(json, "options", all.map(\.member))
        var changed = options
        for (name, value) in given.object.members {
            guard let option = all.first(where: { $0.member.name == name }) else { continue }
            if value.isNull, !option.member.takesNull {
                throw CheckedMembers.wrong("options.\(name) must be \(option.member.form.description), not null")
            }
            option.write(&changed, value)
        }
        options = changed
    }

    /// The rows of the README's table.
    static var readme: [String] {
        let standard = OrgOptions()
        return all.map { option in
            let null = option.member.takesNull ? ", or null" : ""
            return
                "| `\(option.member.name)` | \(option.member.form.description)\(null) | `\(option.read(standard))` | "
                + "\(option.summary) |"
        }
    }
}
