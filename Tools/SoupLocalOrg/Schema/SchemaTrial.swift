// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import GRDB
internal import SoupCore

/// Creates the tables of a schema in a separate database, to find formulas and rules that only SQLite rejects because
/// they are nested too deeply.
struct SchemaTrial {
    private(set) var problems: [ConfigurationProblem] = []

    init(_ schema: OrgSchema) throws {
        guard schema.objects.contains(where: { !$0.rules.isEmpty || $0.fields.contains { $0.formula != nil } }) else {
            return
        }
        let queue = try OrgDatabase.open(file: nil, memory: 1024)
        var problems: [ConfigurationProblem] = []
        try queue.inDatabase { db in
            for object in schema.objects { problems += try Self.formulas(of: object, in: db) }
            for object in schema.objects { problems += Self.rules(of: object, schema, in: db) }
        }
        self.problems = problems
    }

    /// Creates the table of an object.
    ///
    /// - Returns: the problems of its formulas.
    private static func formulas(of object: OrgObject, in db: Database) throws -> [ConfigurationProblem] {
        let stored = object.fields.filter { $0.type.storage != .none }
        let plain = stored.filter { $0.formula == nil }.map(OrgDatabase.column)
        try db.execute(sql: "CREATE TABLE \(object.table) (_row INTEGER PRIMARY KEY, \(plain.joined(separator: ", ")))")
        return stored.filter { $0.formula != nil }.compactMap { field in
            do {
                try db.execute(sql: "ALTER TABLE \(object.table) ADD COLUMN \(OrgDatabase.column(field))")
                return nil
            } catch {
                return problem(
                    at: [.key("objects"), .key(object.name), .key("fields"), .key(field.name), .key("formula")],
                    "the formula cannot be used", cause: error, hint: "Write it with fewer parts inside of others.")
            }
        }
    }

    private static func rules(
        of object: OrgObject, _ schema: OrgSchema, in db: Database
    ) -> [ConfigurationProblem] {
        object.rules.enumerated().compactMap { index, rule in
            // ``SchemaCheck`` and ``SeedCheck`` report conditions that cannot be parsed.
            let caller = QueryCaller(userId: "", now: 0)
            guard let condition = try? RuleCondition(rule.condition, of: object, schema: schema, caller: caller) else {
                return nil
            }
            do {
                _ = try db.statement(condition.selectSQL(from: object))
                return nil
            } catch {
                return problem(
                    at: [.key("objects"), .key(object.name), .key("validationRules"), .index(index), .key("when")],
                    "the condition cannot be asked", cause: error, hint: "Write it with fewer parts inside of others.")
            }
        }
    }

    private static func problem(
        at path: [ConfigurationStep], _ message: String, cause error: any Error, hint: String
    ) -> ConfigurationProblem {
        let reason = (error as? DatabaseError)?.message ?? (error as? SoupError)?.message ?? "\(error)"
        return ConfigurationProblem(
            at: SoupError.Place(path: path.text), "\(message): the database refuses it: \(reason)", hint: hint)
    }
}
