// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import GRDB
internal import SoupCore

/// The positions of an org's rows in the seed document, to report rows that violate the org's rules.
struct SeedPlaces {
    private struct Run {
        var numbers: ClosedRange<Int64>
        var path: [ConfigurationStep]
    }

    /// The numbers of the latest records, by object.
    private var latest: [String: Int64]
    /// By object, in the order of their numbers.
    private var runs: [String: [Run]] = [:]

    /// The maximum number of reported problems of each rule and each unique field.
    private static let limit = 20

    /// - Parameter latest: the numbers of the latest existing records, by object.
    init(after latest: [String: Int64]) { self.latest = latest }

    /// Records the position of an object's next rows.
    mutating func add(_ count: Int, of object: String, at path: [ConfigurationStep]) {
        guard count > 0 else { return }
        let first = (latest[object] ?? 0).plus(1)
        let last = (latest[object] ?? 0).plus(Int64(count))
        latest[object] = last
        runs[object, default: []].append(Run(numbers: first...last, path: path))
    }

    /// Returns the position of a row, with its number if the description creates several.
    private func place(_ number: Int64, of object: OrgObject) -> (path: [ConfigurationStep], row: String)? {
        guard let runs = runs[object.name], let index = runs.firstIndex(where: { $0.numbers.contains(number) }) else {
            return nil
        }
        let run = runs[index]
        let isSeveral = run.path.first == .key("generate")
        return (run.path, isSeveral ? "row \(number - run.numbers.lowerBound + 1) " : "")
    }

    /// Checks the unique values and validation rules of the rows.
    ///
    /// - Throws: ``ConfigurationError`` with the position of each row that the org would reject.
    func verify(_ schema: OrgSchema, caller: QueryCaller, in db: Database) throws {
        var problems: [ConfigurationProblem] = []
        for object in schema.objects where runs[object.name] != nil {
            for field in object.fields where field.isUnique { problems += try twice(field, of: object, in: db) }
            for rule in object.rules where rule.onInsert {
                problems += try refused(by: rule, of: object, schema: schema, caller: caller, in: db)
            }
        }
        guard problems.isEmpty else { throw ConfigurationError(problems) }
    }

    private func twice(_ field: OrgField, of object: OrgObject, in db: Database) throws -> [ConfigurationProblem] {
        let (table, column) = (object.table, "\"\(field.name)\"")
        let live = "\"IsDeleted\" = 0 AND \(column) IS NOT NULL"
        let statement = try db.statement(
            "SELECT _row, \(column) || '', (SELECT min(o._row) FROM \(table) o WHERE o.\(column) = t.\(column) AND "
                + "o.\"IsDeleted\" = 0) AS first FROM \(table) t WHERE \(live) AND \(column) IN (SELECT \(column) FROM "
                + "\(table) WHERE \(live) GROUP BY \(column) HAVING count(*) > 1) AND first <> _row ORDER BY _row LIMIT "
                + "\(Self.limit)")
        var problems: [ConfigurationProblem] = []
        try statement.forEach { row in
            guard let (path, which) = place(row.int(0), of: object) else { return }
            let other = place(row.int(2), of: object)?.path.text ?? "another row"
            problems.append(
                ConfigurationProblem(
                    at: SoupError.Place(path: (path + [.key("values"), .key(field.name)]).text),
                    "\(which)\(object.name).\(field.name) is unique, and \(other) has \"\(row.text(1) ?? "")\" already",
                    hint: which.isEmpty ? "Give one of the two another value." : "Let the value count: write {n} in it."
                ))
        }
        return problems
    }

    private func refused(
        by rule: OrgObject.Rule, of object: OrgObject, schema: OrgSchema, caller: QueryCaller, in db: Database
    ) throws -> [ConfigurationProblem] {
        let condition = try RuleCondition(rule.condition, of: object, schema: schema, caller: caller)
        let statement = try db.statement(
            "SELECT t._row FROM \(object.table) t\(condition.joins) WHERE (\(condition.sql)) ORDER BY t._row LIMIT "
                + "\(Self.limit)", condition.values)
        var problems: [ConfigurationProblem] = []
        try statement.forEach { row in
            guard let (path, which) = place(row.int(0), of: object) else { return }
            let name = rule.name.isEmpty ? rule.condition : rule.name
            problems.append(
                ConfigurationProblem(
                    at: SoupError.Place(path: path.text),
                    "\(which)the rule \"\(name)\" of \(object.name) refuses it: \(rule.message)",
                    hint: "Change the row, or the rule."))
        }
        return problems
    }
}

extension OrgDefinition {
    /// Inserts the rows of the document into a temporary org, to find those that it would reject.
    ///
    /// Generated rows are left out: there may be many, and they are checked when the org is created.
    ///
    /// - Throws: ``ConfigurationError`` with the positions of the rejected rows.
    func tryRows() throws {
        let isChecked = rows.contains { row in
            schema[row.object].map { object in
                object.rules.contains(where: \.onInsert) || object.fields.contains(where: \.isUnique)
            } ?? false
        }
        guard isChecked else { return }
        var definition = self
        definition.generate = []
        // Rows may refer to generated rows; these references are checked when the org is created.
        let keys = Set(rows.compactMap(\.key) + users.map(\.key))
        for index in definition.rows.indices {
            for (name, value) in definition.rows[index].values.members {
                guard let text = value.stringValue, text.hasPrefix("@"), !keys.contains(String(text.dropFirst())) else {
                    continue
                }
                if schema[rows[index].object]?.field(name)?.isReference == true {
                    definition.rows[index].values[name] = .null
                }
            }
        }
        _ = try OrgCore(seed: OrgSeed(kind: .definition(definition)), clock: SystemClock(), options: OrgOptions())
    }
}
