// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import GRDB
internal import SoupCore

/// Inserts the rows of a seed into an empty org, without the checks of requests.
struct SeedLoader {
    let org: OrgCore
    let context: OrgContext
    let definition: OrgDefinition

    init(org: OrgCore, db: Database) {
        self.org = org
        definition = org.definition
        context = OrgContext(org: org, db: db, userId: org.definition.caller.id)
    }

    /// - Returns: the positions of the document's rows in the document.
    func load(_ seed: OrgSeed) throws -> SeedPlaces {
        try loadPeople()
        var places = SeedPlaces(after: org.counters.records)
        for (index, row) in definition.rows.enumerated() {
            places.add(1, of: org.schema[row.object]?.name ?? row.object, at: [.key("seed"), .index(index)])
        }
        try insert(definition.rows)
        for (index, description) in definition.generate.enumerated() {
            let object = description["object"]?.stringValue ?? ""
            let count = Self.count(description)
            places.add(count, of: org.schema[object]?.name ?? object, at: [.key("generate"), .index(index)])
            do {
                try generate(description)
            } catch var error as SoupError where error.place == nil {
                error.place = SoupError.Place(path: "generate[\(index)]")
                throw error
            }
        }
        switch seed.kind {
        case .definition, .tiny, .refused: break
        case .medium: try MediumSeed().load(into: self)
        case .large(let count): try LargeSeed(count: count).load(into: self)
        }
        return places
    }

    /// Returns the number of rows of a `generate` description.
    private static func count(_ description: JSONValue) -> Int {
        max(0, min(description["count"]?.intValue.map { Int(clamping: $0) } ?? 0, SeedCheck.generatorLimit))
    }

    /// Inserts the rows of the organization, its users and record types.
    private func loadPeople() throws {
        func row(_ object: String, _ values: JSONObject) -> OrgDefinition.Row {
            Self.row(of: object, values, org.schema)
        }
        let info = definition.organization
        try insert([
            row("Profile", ["Name": "System Administrator"]),
            row(
                "Organization",
                [
                    "Name": info["name"] ?? "Demo Org", "OrganizationType": info["type"] ?? "Developer Edition",
                    "IsSandbox": info["isSandbox"] ?? true, "InstanceName": info["instanceName"] ?? "EMU1",
                ]),
        ])
        for user in definition.users {
            org.keys[user.key] = user.id
            try insert([
                row(
                    "User",
                    [
                        "Username": .string(user.username), "LastName": .string(user.lastName),
                        "FirstName": user.firstName.map { .string($0) } ?? .null, "Email": .string(user.email),
                        "Alias": .string(String(user.key.prefix(8))), "TimeZoneSidKey": "GMT",
                        "LocaleSidKey": "en_US", "LanguageLocaleKey": "en_US", "UserType": "Standard",
                        "ProfileId": .string(RecordID.make("00e", 1)),
                    ])
            ])
        }
        for object in org.schema.objects {
            for type in object.recordTypes {
                try insert([Self.row(of: type, object: object, schema: org.schema)])
            }
        }
    }

    /// Returns a row with the values for which the object has fields: an object that a seed describes as a whole may
    /// not have all of them.
    private static func row(of object: String, _ values: JSONObject, _ schema: OrgSchema) -> OrgDefinition.Row {
        let known = values.members.filter { schema[object]?.field($0.key) != nil }
        return OrgDefinition.Row(object: object, values: JSONObject(known))
    }

    /// Returns the row of a record type.
    static func row(of type: OrgObject.RecordType, object: OrgObject, schema: OrgSchema) -> OrgDefinition.Row {
        row(
            of: "RecordType",
            [
                "Name": .string(type.name), "DeveloperName": .string(type.developerName),
                "SobjectType": .string(object.name),
            ], schema)
    }

    /// Inserts rows; a value `@key` is the ID of the row with that key, anywhere in the list.
    func insert(_ rows: [OrgDefinition.Row]) throws {
        var numbered: [(OrgObject, Int64, OrgDefinition.Row)] = []
        for row in rows {
            guard let object = org.schema[row.object] else {
                throw SoupError(
                    .badConfiguration, "a seed row is of the unknown object \"\(row.object)\"",
                    hint: "Use an object of the org, or define it under objects.")
            }
            let number = org.nextNumber(of: object)
            if let key = row.key { org.keys[key] = RecordID.make(object.keyPrefix, number) }
            numbered.append((object, number, row))
        }
        for (object, number, row) in numbered { try insert(object, number, number: row) }
    }

    private func insert(_ object: OrgObject, _ number: Int64, number row: OrgDefinition.Row) throws {
        try Task.checkCancellation()
        var cells = blank(object)
        var given: Set<Int> = []
        for (name, value) in row.values.members {
            guard let field = object.field(name) else {
                throw SoupError(
                    .badConfiguration, "a seed row sets \(object.name).\(name), which is not a field",
                    hint: "Use a field of the object, or define it under objects.\(object.name).fields.")
            }
            do {
                cells[field.position] = try FieldCoercion.cell(resolved(value, for: field), for: field)
            } catch let error as OrgError {
                throw SoupError(
                    .badConfiguration, "a seed row of \(object.name): \(error.items.first?.message ?? "bad value")")
            }
            given.insert(field.position)
        }
        let id = RecordID.make(object.keyPrefix, number)
        stamp(object, &cells, id: id, created: row.created ?? row.modified, modified: row.modified)
        if row.isDeleted {
            cells[object.position("IsDeleted")] = .int(1)
            // A row that would have expired enters the recycle bin when the org is filled.
            let now = definition.frozenAt ?? org.timestamp
            if (row.modified ?? definition.stamp) <= now - RecycleBin.lifetime {
                cells[object.position("SystemModstamp")] = .int(now)
            }
        }
        for field in object.fields {
            if let format = field.autonumber {
                cells[field.position] = .text(
                    org.nextAutonumber(
                        of: field, in: object, format: format, at: row.created ?? row.modified ?? definition.stamp))
            } else if field.isNameField, field.isDefaulted, cells[field.position].isNull {
                cells[field.position] = .text(RecordID.short(id))
            }
        }
        try context.records.deriveFromParents(object, &cells, changed: given)
        RecordDerivation.apply(object, &cells, changed: given, now: row.modified ?? definition.stamp)
        try context.rows.insert(cells, into: object, number: number)
    }

    /// Returns cells with the defaults of the object.
    func blank(_ object: OrgObject) -> [CellValue] {
        var cells = Array(repeating: CellValue.null, count: object.fields.count)
        for field in object.fields {
            if let value = field.defaultValue, let cell = try? FieldCoercion.cell(value, for: field) {
                cells[field.position] = cell
            } else if field.type == .boolean {
                cells[field.position] = .int(0)
            }
        }
        if object.hasOwner { cells[object.position("OwnerId")] = .text(context.userId) }
        if let type = object.defaultRecordType { cells[object.position("RecordTypeId")] = .text(type.id) }
        return cells
    }

    func stamp(
        _ object: OrgObject, _ cells: inout [CellValue], id: String, created: Int64? = nil, modified: Int64? = nil
    ) {
        context.records.setCreationFields(of: object, in: &cells, id: id)
        let modified = modified ?? definition.stamp
        cells[object.position("CreatedDate")] = .int(created ?? modified)
        cells[object.position("LastModifiedDate")] = .int(modified)
        cells[object.position("SystemModstamp")] = .int(modified)
    }

    private func resolved(_ value: JSONValue, for field: OrgField) throws -> JSONValue {
        guard let text = value.stringValue, text.hasPrefix("@") else { return value }
        if let id = org.keys[String(text.dropFirst())] { return .string(id) }
        guard field.isReference else { return value }
        throw SoupError(
            .badConfiguration, "a seed row refers to \"\(text)\", and no row has that key",
            hint: "Give the row this \"key\".")
    }

    /// Inserts the rows of a `generate` description: `{n}` in texts counts, `{"int": [low, high]}` and `{"pick": […]}`
    /// vary.
    ///
    /// The rows are created one at a time, so that memory does not grow with their number.
    private func generate(_ description: JSONValue) throws {
        guard let object = description["object"]?.stringValue else {
            throw SoupError(.badConfiguration, "generate needs the name of its object", hint: "Set \"object\".")
        }
        var random = SplitMix(seed: UInt64(bitPattern: description.seed?.intValue ?? 1))
        let templates = description["values"]?.objectValue ?? JSONObject()
        for index in 0..<Self.count(description) {
            let values = templates.members.map { name, template in
                (key: name, value: Self.value(template, number: index + 1, &random))
            }
            try insert([OrgDefinition.Row(object: object, values: JSONObject(values))])
        }
    }

    /// Returns a text with each `{n}` replaced by a number.
    static func counted(_ text: String, _ number: Int) -> String {
        text.split(separator: "{n}", omittingEmptySubsequences: false).joined(separator: "\(number)")
    }

    private static func value(_ template: JSONValue, number: Int, _ random: inout SplitMix) -> JSONValue {
        if let text = template.stringValue {
            return .string(counted(text, number))
        }
        if let bounds = template["int"]?.arrayValue?.compactMap(\.intValue), bounds.count == 2, bounds[0] <= bounds[1] {
            return .int(Int64.random(in: bounds[0]...bounds[1], using: &random))
        }
        if let choices = template.pick?.arrayValue, !choices.isEmpty { return random.pick(choices) }
        return template
    }
}
