// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// Answers `/sobjects/User/{id}/password`: sets the password with which a user logs in, or generates one.
struct PasswordHandler: ResourceHandler {
    private let request: OrgRequest
    private let context: OrgContext
    /// The position of the user in the org's definition.
    private let index: Int

    static func accepts(_ path: PathPattern.Values, in context: OrgContext) -> Bool {
        context.schema[path["object"]]?.name == "User"
    }

    init(request: OrgRequest, context: OrgContext) throws {
        self.request = request
        self.context = context
        let object = try context.object(request.path["object"])
        let row = try context.rows.existingRow(
            of: object, id: request.path["id"], for: request.method == "GET" ? .reading : .writing)
        let id = row.id(object)
        guard let index = context.org.definition.users.firstIndex(where: { $0.id == id }) else {
            throw OrgError(400, "INVALID_OPERATION", message: "The user has no login here")
        }
        self.index = index
    }

    func status() throws -> OrgAnswer { OrgAnswer(["isExpired": false]) }

    func set() throws -> OrgAnswer {
        guard let password = try request.jsonObject()["NewPassword"]?.stringValue, !password.isEmpty else {
            throw OrgError(400, "MISSING_ARGUMENT", message: "NewPassword is missing")
        }
        context.org.definition.setPassword(password, at: index)
        return .noContent
    }

    func reset() throws -> OrgAnswer {
        let password = context.org.tokens.nextText()
        context.org.definition.setPassword(password, at: index)
        return OrgAnswer(["NewPassword": .string(password)])
    }
}

extension OrgDefinition {
    /// Sets a user's password, in the document too, so that a saved org contains it.
    fileprivate mutating func setPassword(_ password: String, at index: Int) {
        users[index].password = password
        var members = document.objectValue ?? JSONObject()
        let listed = members["users"]?.arrayValue ?? []
        members["users"] = .array(
            users.enumerated().map { position, user in
                var json = position < listed.count ? listed[position].objectValue ?? JSONObject() : user.json
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
