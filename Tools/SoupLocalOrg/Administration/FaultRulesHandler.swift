// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// Answers `/_emu/faults`: lists, adds and removes fault rules.
struct FaultRulesHandler: ResourceHandler {
    let request: OrgRequest
    let context: OrgContext

    func list() throws -> OrgAnswer {
        OrgAnswer(
            .array(
                context.org.faults.list.map { fault, seen, fired in
                    var rule = fault.json
                    rule["seen"] = .int(Int64(seen))
                    rule["fired"] = .int(Int64(fired))
                    return .object(rule)
                }))
    }

    func add() throws -> OrgAnswer {
        let body = try request.json()
        var rules = body.arrayValue ?? [body]
        if body["faults"] != nil {
            guard let list = try request.members("body", [.init("faults", .anything)])["faults"]?.arrayValue else {
                throw CheckedMembers.wrong("body.faults must be an array of rules")
            }
            rules = list
        }
        let org = context.org
        let faults = try rules.map { try OrgFault(json: $0) }
        return OrgAnswer(["ids": .array(faults.map { .string(org.faults.add($0, now: org.clock.now)) })])
    }

    func remove() throws -> OrgAnswer {
        context.org.faults.remove(request.parameter("id"))
        return .ok
    }
}
