// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

extension OrgRequest {
    /// Returns the members of the body of an administration request; none if there is no body.
    ///
    /// - Throws: ``OrgError`` for a body that is not a JSON object, and for unknown members.
    func members(_ name: String, _ members: [MemberForm.Member] = []) throws -> CheckedMembers {
        try CheckedMembers(body.isEmpty ? [:] : try json(), name: name, members: members)
    }

    /// Rejects query parameters that the administration does not have: a misspelled one would be ignored, and more
    /// would be changed than the caller meant.
    func checkAdministrationParameters() throws {
        let known: Set<String> =
            switch (segments.dropFirst().first, method) {
            case ("journal", _): ["since"]
            case ("faults", "DELETE"): ["id"]
            default: []
            }
        guard let unknown = query.first(where: { !known.contains($0.name) && $0.name != "_HttpMethod" }) else { return }
        let path = "/" + segments.joined(separator: "/")
        throw CheckedMembers.wrong(
            "\(path) has no parameter \"\(unknown.name)\""
                + (known.isEmpty ? "" : ": there is \(known.sorted().joined(separator: ", "))"))
    }
}
