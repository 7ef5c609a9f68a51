// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// Answers `/_emu/edit`, `/_emu/undelete`, `/_emu/purge` and `/_emu/state/{object}`: changes and reads records as an
/// administrator or another user does.
struct RecordAdministrationHandler: ResourceHandler {
    let request: OrgRequest
    let context: OrgContext

    func edit() throws -> OrgAnswer {
        let given = try CheckedMembers(
            try request.json(), name: "edit",
            members: [
                .init("object", .text), .init("id", .text), .init("values", .anything), .init("as", .text),
                .init("takingMs", .milliseconds),
            ])
        try given.need("object", "id", "values", of: "edit")
        guard let values = given["values"]?.objectValue else {
            throw CheckedMembers.wrong("edit.values must be an object")
        }
        let key = given.text("as").map { $0 == "otherUser" ? "other" : $0 } ?? "other"
        let org = context.org
        guard let user = org.definition.users.first(where: { $0.id == org.keys[key] }) else {
            let known = org.definition.users.map(\.key).joined(separator: ", ")
            throw CheckedMembers.wrong("edit.as: there is no user \"\(key)\": there are \(known)")
        }
        context.userId = user.id
        context.faults.transactionTime = given.duration("takingMs") ?? .zero
        try context.records.edit(given.text("object") ?? "", id: given.text("id") ?? "", values)
        return .ok
    }

    func undelete() throws -> OrgAnswer {
        let given = try CheckedMembers(try request.json(), name: "undelete", members: [.init("ids", .texts)])
        try given.need("ids", of: "undelete")
        try context.atomically { for id in given.texts("ids") { try context.recycleBin.undelete(id) } }
        return .ok
    }

    func purge() throws -> OrgAnswer {
        let given = try CheckedMembers(
            try request.json(), name: "purge", members: [.init("ids", .texts), .init("all", .truth)])
        guard given["ids"] != nil || given["all"] == true else {
            throw CheckedMembers.wrong("purge needs \"ids\" or \"all\"")
        }
        try context.atomically {
            for id in given.texts("ids") { try context.recycleBin.purge(id) }
            if given["all"] == true { try context.recycleBin.purgeAll() }
        }
        return .ok
    }

    func state() throws -> OrgAnswer {
        OrgAnswer(
            200, body: try context.reader.allRows(of: request.path["object"]), contentType: OrgAnswer.json)
    }
}
