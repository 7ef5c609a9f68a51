// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// An option of the org in the administration: its name, its form, and how it is read and written.
///
/// The list of all options is the only place that defines their names: requests are checked with it, `GET` returns it,
/// and a test compares the table in the article *Administration* with it.
struct OrgOption: Sendable {
    var member: MemberForm.Member
    /// The meaning of the option, for the article.
    var summary: String
    private var read: @Sendable (OrgOptions) -> JSONValue
    /// Sets a value of the member's form; null means nil.
    private var write: @Sendable (inout OrgOptions, JSONValue) -> Void

    init(
        _ name: String, _ form: MemberForm, takesNull: Bool = false, summary: String,
        read: @escaping @Sendable (OrgOptions) -> JSONValue,
        write: @escaping @Sendable (inout OrgOptions, JSONValue) -> Void
    ) {
        member = MemberForm.Member(name, form, takesNull: takesNull)
        self.summary = summary
        self.read = read
        self.write = write
    }

    /// Returns all options with their values.
    static func json(of options: OrgOptions) -> JSONValue {
        .object(JSONObject(all.map { (key: $0.member.name, value: $0.read(options)) }))
    }

    /// Sets the options in an object: all of them, or none.
    ///
    /// - Throws: ``OrgError`` for an unknown name, and for a value of another form or out of range.
    static func set(_ json: JSONValue, in options: inout OrgOptions) throws {
        let given = try CheckedMembers(json, name: "options", members: all.map(\.member))
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

    /// The rows of the table in the article *Administration*.
    static var documentation: [String] {
        let standard = OrgOptions()
        return all.map { option in
            let null = option.member.takesNull ? ", or null" : ""
            return
                "| `\(option.member.name)` | \(option.member.form.description)\(null) | `\(option.read(standard))` | "
                + "\(option.summary) |"
        }
    }
}
