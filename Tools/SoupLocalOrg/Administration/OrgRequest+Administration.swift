// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

extension OrgRequest {
    /// The members of the body of a request of the administration; none for no body.
    ///
    /// - Throws: ``OrgError`` for a body that is no JSON object, or that has something else in it.
    func members(_ name: String, _ members: [MemberForm.Member] = []) throws -> CheckedMembers {
        try CheckedMembers(body.isEmpty ? [:] : try json(), name, members)
    }

    /// Refuses parameters that a request of the administration does not have: one that is mistyped would be read over,
    /// and more would be done than was meant.
    func refuseParameters(but known: Set<String> = []) throws {
        guard let unknown = query.first(where: { !known.contains($0.name) && $0.name != "_HttpMethod" }) else { return }
        let path = "/" + segments.joined(separator: "/")
        throw CheckedMembers.wrong(
            "\(path) has no parameter \"\(unknown.name)\""
                + (known.isEmpty ? "" : ": there is \(known.sorted().joined(separator: ", "))"))
    }
}
