// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// Checks which parts of a schema are in use.
extension SchemaCheck {
    /// The objects that the org itself needs.
    static let indispensable: Set<String> = ["User", "Profile", "Group", "Organization", "RecordType"]

    private static let everywhere: Set<String> = [
        "Id", "IsDeleted", "OwnerId", "RecordTypeId", "CreatedDate", "CreatedById", "LastModifiedDate",
        "LastModifiedById", "SystemModstamp", "LastViewedDate", "LastReferencedDate",
    ]

    /// Returns the reason why a field cannot be removed; nil if it can.
    static func reasonToKeep(_ field: OrgField) -> (message: String, hint: String)? {
        if everywhere.contains(field.name) { return ("is a field that the org fills", "Leave it.") }
        if field.isNameField { return ("is the name of its records", "Leave it.") }
        if let compound = field.compound { return ("is a part of \(compound)", "Remove \(compound).") }
        return nil
    }

    /// Returns the references to missing objects and the rules that cannot be run, which exist if something in use is
    /// removed.
    static func dangling(in schema: OrgSchema, caller: QueryCaller) -> [ConfigurationProblem] {
        var problems: [ConfigurationProblem] = []
        func note(_ path: [ConfigurationStep], _ message: String, hint: String) {
            problems.append(ConfigurationProblem(at: SoupError.Place(path: path.text), message, hint: hint))
        }
        for object in schema.objects {
            let path: [ConfigurationStep] = [.key("objects"), .key(object.name)]
            for field in object.fields {
                for target in field.referenceTo where schema[target] == nil {
                    note(
                        path + [.key("fields"), .key(field.name), .key("referenceTo")],
                        "\(object.name).\(field.name) refers to \(target), which does not exist",
                        hint: "Remove \(object.name).\(field.name) too, or let it refer to another object.")
                }
            }
            for (index, rule) in object.rules.enumerated() {
                let place = path + [.key("validationRules"), .index(index)]
                let name = rule.name.isEmpty ? rule.condition : rule.name
                if let field = rule.field, object.field(field) == nil {
                    note(
                        place + [.key("field")],
                        "the rule \"\(name)\" reads \(object.name).\(field), which does not exist",
                        hint: "Change \"validationRules\" too.")
                }
                do {
                    _ = try RuleCondition(rule.condition, of: object, schema: schema, caller: caller)
                } catch {
                    let text = (error as? OrgError)?.items.first?.message ?? "\(error)"
                    note(
                        place + [.key("when")], "the rule \"\(name)\" of \(object.name) cannot be asked: \(text)",
                        hint: "Change \"validationRules\" too.")
                }
            }
        }
        return problems
    }
}
