// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

extension OrgFault {
    /// Reads the rules of a file: one rule, an array of rules, or `{"faults": […]}`.
    ///
    /// The article <doc:Faults> describes the form of a rule.
    ///
    /// - Parameter file: the name of the file in errors.
    /// - Throws: ``SoupError`` with `badConfiguration` for a text that is not JSON; ``ConfigurationError`` with every
    /// wrong rule and its position.
    public static func rules(json: [UInt8], file: String) throws -> [OrgFault] {
        let document: JSONValue
        do {
            document = try JSONValue(parsing: json)
        } catch {
            throw SoupError(
                .badConfiguration, "not JSON: \(error.reason.rawValue)",
                place: SoupError.Place(file: file, offset: min(error.offset, json.count), in: json))
        }
        // The rules are in a member of an object, or in an array.
        let named = document["faults"]?.arrayValue
        var problems: [ConfigurationProblem] = []
        for other in document.objectValue?.keys ?? [] where named != nil && other != "faults" {
            problems.append(
                ConfigurationProblem(
                    at: SoupError.Place(path: [ConfigurationStep.key(other)].text),
                    "an object with \"faults\" has no other members"
                ))
        }
        var rules: [OrgFault] = []
        for (index, rule) in (named ?? document.arrayValue ?? [document]).enumerated() {
            do {
                rules.append(try OrgFault(json: rule))
            } catch let error as OrgError {
                let path = named != nil ? "faults[\(index)]" : document.arrayValue != nil ? "[\(index)]" : nil
                problems.append(
                    ConfigurationProblem(at: SoupError.Place(path: path), error.items.first?.message ?? "not a fault"))
            }
        }
        guard problems.isEmpty else {
            throw ConfigurationError(
                ConfigurationDocument(json, file: file).located(problems).map { problem in
                    var problem = problem
                    problem.severity = .error
                    problem.place.file = file
                    return problem
                })
        }
        return rules
    }

    /// Reads a rule in the form of the administration: `{"id", "match": {…}, "when": {…}, "do": {"kind", …}}`.
    ///
    /// - Throws: ``OrgError`` that names the problem.
    init(json: JSONValue) throws {
        let rule = try CheckedMembers(json, name: "a fault", members: Self.members)
        let match = try CheckedMembers(rule["match"] ?? [:], name: "match", members: Self.matchMembers)
        let when = try CheckedMembers(rule["when"] ?? [:], name: "when", members: Self.whenMembers)
        self.init(
            try FaultKind.effect(rule["do"] ?? .null), id: rule.text("id") ?? "", method: match.text("method"),
            path: match.text("path"), object: match.text("object"), bodyContains: match.text("bodyContains"),
            client: match.text("client"), nth: when.numbers("nth"), every: when.number("every"),
            count: when.number("count"), probability: when["probability"]?.doubleValue ?? 1,
            seed: UInt64(bitPattern: Int64(when.number("seed") ?? 1)),
            startDelay: when.duration("afterMs") ?? .zero)
    }

    private static let members: [MemberForm.Member] = [
        .init("id", .text), .init("match", .anything), .init("when", .anything), .init("do", .anything),
    ]

    private static let matchMembers: [MemberForm.Member] = [
        .init("method", .method), .init("path", .pattern), .init("object", .text), .init("bodyContains", .text),
        .init("client", .text),
    ]

    private static let whenMembers: [MemberForm.Member] = [
        .init("nth", .numbers(1...MemberForm.highestCount)), .init("every", .number(1...MemberForm.highestCount)),
        .init("probability", .share), .init("seed", .number(.min ... .max)), .init("count", .count),
        .init("afterMs", .milliseconds),
    ]
}
