// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

extension OrgContext {
    /// Answers `/sobjects/User/{id}/password`: sets the password that a user logs in with, or makes one up.
    func password(_ object: OrgObject, _ id: String, _ request: OrgRequest) throws -> OrgAnswer {
        let row = try target(object, id, request.method == "GET" ? .reading : .writing)
        guard let index = org.definition.users.firstIndex(where: { $0.id == row.id(object) }) else {
            throw OrgError(400, "INVALID_OPERATION", "The user has no login here")
        }
        switch request.method {
        case "GET", "HEAD": return OrgAnswer(["isExpired": false])
        case "POST":
            guard let password = try request.jsonObject()["NewPassword"]?.stringValue, !password.isEmpty else {
                throw OrgError(400, "MISSING_ARGUMENT", "NewPassword is missing")
            }
            org.definition.setPassword(password, at: index)
            return .noContent
        case "DELETE":
            let password = org.tokens.nextText()
            org.definition.setPassword(password, at: index)
            return OrgAnswer(["NewPassword": .string(password)])
        default: return try allow(["GET", "POST", "DELETE"], request) { .noContent }
        }
    }
}

extension OrgDefinition {
    /// Gives a user another password, in the document too, so that an org that is kept knows it.
    mutating func setPassword(_ password: String, at index: Int) {
        users[index].password = password
        var members = document.objectValue ?? JSONObject()
        let listed = members["users"]?.arrayValue ?? []
        members["users"] = .array(
            users.enumerated().map { place, user in
                var json = place < listed.count ? listed[place].objectValue ?? JSONObject() : user.json
                json["password"] = .string(user.password)
                return .object(json)
            })
        document = .object(members)
    }
}

extension OrgDefinition.User {
    /// The user as a document describes one.
    fileprivate var json: JSONObject {
        [
            "key": .string(key), "username": .string(username), "name": .string(name), "email": .string(email),
            "securityToken": .string(securityToken),
        ]
    }
}
