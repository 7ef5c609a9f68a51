// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

extension PluginRegistry {
    /// The JSON Schema (2020-12) of a store configuration, such as `userstore.json`, with the options of all backends.
    ///
    /// It describes the form of the file. `StoreConfig.read` also checks names that are used twice, and the values of
    /// options.
    public var storeSchema: JSONValue {
        var types = TypeSchemas()
        types.define("keyProvider", namedSchema(keyProviderTypes, "keyProvider", into: &types))
        types.define("backend", backendSchema(&types))
        let index = ObjectSchema(
            [
                ("path", Self.text), ("type", Self.choice(of: IndexSpec.Kind.self)),
                ("columnName", ["description": "Ignored."]),
            ], required: ["path", "type"])
        let name: JSONValue = [
            "type": "string", "pattern": #"^[^:{}\u0000-\u001f]+$"#,
            "not": ["enum": .array(SoupName.reserved.map { .string($0.rawValue) }.sorted { "\($0)" < "\($1)" })],
        ]
        let soup = ObjectSchema(
            [
                ("soupName", name),
                ("indexes", ["type": "array", "minItems": 1, "items": index.json]),
                ("features", ["description": "Ignored."]),
            ], required: ["soupName", "indexes"])
        let root = ObjectSchema(
            [
                ("soups", ["type": "array", "items": soup.json]),
                ("backend", TypeSchemas.nullable(TypeSchemas.reference("backend"))),
            ], required: ["soups"])
        return Self.document("Soups and backend of a store", root, defining: types)
    }

    /// The JSON Schema (2020-12) of a configuration of syncs, such as `usersyncs.json`, with the options of all
    /// targets, conflict resolvers and record transforms.
    ///
    /// It describes the form of the file. `SyncsConfig.read` also compares the syncs with each other and with the
    /// soups, and checks the values of options.
    public var syncsSchema: JSONValue {
        var types = TypeSchemas()
        types.define("downTarget", targetSchema(downTargets, "down", default: nil, into: &types))
        types.define("upTarget", targetSchema(upTargets, "up", default: defaultUpTarget, into: &types))
        types.define("resolver", namedSchema(resolvers, "resolver", into: &types))
        types.define("transform", namedSchema(transformTypes, "transform", adding: ["soupName": [:]], into: &types))
        let fields: JSONValue = ["type": ["array", "null"], "items": Self.string]
        let options = ObjectSchema([
            ("mergeMode", TypeSchemas.nullable(Self.choice(of: MergeMode.self))),
            ("fieldlist", fields),
            ("conflictResolver", TypeSchemas.nullable(TypeSchemas.reference("resolver"))),
            ("transforms", ["type": ["array", "null"], "items": TypeSchemas.reference("transform")]),
            ("removeAllGhosts", ["type": ["boolean", "null"]]),
        ])
        let sync = ObjectSchema(
            [
                ("syncName", Self.text), ("syncType", Self.choice(of: SyncType.self)), ("soupName", Self.text),
                ("target", [:]), ("options", TypeSchemas.nullable(options.json)),
            ], required: ["syncName", "syncType", "soupName"],
            rules: [
                Self.when(
                    "syncType", isIn: [SyncType.syncDown.rawValue],
                    then: [
                        "required": ["target"], "properties": ["target": TypeSchemas.reference("downTarget")],
                    ]),
                Self.when(
                    "syncType", isIn: [SyncType.syncUp.rawValue],
                    then: ["properties": ["target": TypeSchemas.nullable(TypeSchemas.reference("upTarget"))]]),
            ])
        let root = ObjectSchema([("syncs", ["type": "array", "items": sync.json])], required: ["syncs"])
        return Self.document("Syncs of a store", root, defining: types)
    }

    /// Returns the schema of the `transport` of `org.json`; adds the options of all transports.
    package func transportSchema(_ types: inout TypeSchemas) -> JSONValue {
        namedSchema(transportTypes, "transport", into: &types)
    }

    /// Returns a whole document, with its definitions.
    package static func document(_ title: String, _ root: ObjectSchema, defining types: TypeSchemas) -> JSONValue {
        var document: JSONObject = [
            "$schema": "https://json-schema.org/draft/2020-12/schema", "title": .string(title),
        ]
        for (key, value) in root.json.objectValue?.members ?? [] { document[key] = value }
        document["$defs"] = .object(types.definitions)
        return .object(document)
    }

    // MARK: - Plug-ins

    /// Returns the schema of a target object: the plug-in that its names choose defines the other keys.
    ///
    /// The names are tried as in ``downTarget(_:at:problems:)``.
    private func targetSchema<Plugin>(
        _ table: PluginTable<Plugin>, _ kind: String, default fallback: PluginName?, into types: inout TypeSchemas
    ) -> JSONValue {
        let nameKeys = TargetReference.classKeys + ["type"]
        var common: JSONObject = [:]
        for key in nameKeys { common[key] = ["type": ["string", "null"]] }
        for key in ["idFieldName", "modificationDateFieldName"] { common[key] = [:] }
        let entries = table.entries.sorted { $0.name < $1.name }
        var known: [String] = []
        for entry in entries {
            known += ([entry.name] + entry.aliases).map(\.rawValue)
            types.define(Self.definition(kind, entry.name), options(of: entry, adding: common, &types))
        }
        func chosen(by key: String) -> JSONValue {
            let rules = entries.map { entry in
                Self.when(
                    key, isIn: ([entry.name] + entry.aliases).map(\.rawValue),
                    then: TypeSchemas.reference(Self.definition(kind, entry.name)))
            }
            return ["allOf": .array(rules)]
        }
        // Without a name: the default, or an error for the missing type.
        let unnamed =
            fallback.map { TypeSchemas.reference(Self.definition(kind, $0)) }
            ?? [
                "required": ["type"],
                "properties": ["type": ["enum": .array(entries.map { .string($0.name.rawValue) })]],
            ]
        let nonempty: JSONValue = ["type": "string", "minLength": 1]
        var named: JSONValue = [
            "if": ["required": ["type"], "properties": ["type": nonempty]],
            "then": [
                "properties": ["type": ["enum": .array(known.map { .string($0) })]],
                "allOf": chosen(by: "type")["allOf"] ?? [],
            ],
            "else": unnamed,
        ]
        // A class name that is not registered is an error, even with a type.
        let anyClass = TargetReference.classKeys.map { key -> JSONValue in
            ["required": [.string(key)], "properties": .object([key: nonempty])]
        }
        named = [
            "if": ["anyOf": .array(anyClass)],
            "then": [
                "anyOf": .array(
                    TargetReference.classKeys.map { key in
                        ["required": [.string(key)], "properties": .object([key: Self.choice(of: known)])]
                    })
            ],
            "else": named,
        ]
        for key in TargetReference.classKeys.reversed() {
            named = [
                "if": ["required": [.string(key)], "properties": .object([key: Self.choice(of: known)])],
                "then": chosen(by: key), "else": named,
            ]
        }
        types.define("\(kind)TargetByName", named)
        // A target that also names a class of another platform can have the keys of that class.
        let foreign = TargetReference.classKeys.filter { $0 != "swiftImpl" }
        return [
            "type": "object", "properties": .object(common), "patternProperties": TypeSchemas.comments,
            "if": ["anyOf": .array(foreign.map { ["required": [.string($0)]] })],
            "then": TypeSchemas.reference("\(kind)TargetByName"),
            "else": [
                "$ref": .string("#/$defs/\(kind)TargetByName"), "properties": .object(common),
                "patternProperties": TypeSchemas.comments, "unevaluatedProperties": false,
            ],
        ]
    }

    /// Returns the schema of a plug-in that is given by its name, or by an object with a `type` and options.
    func namedSchema<Plugin>(
        _ table: PluginTable<Plugin>, _ kind: String, adding common: JSONObject = [:], into types: inout TypeSchemas
    ) -> JSONValue {
        let entries = table.entries.sorted { $0.name < $1.name }
        var known: [String] = []
        var rules: [JSONValue] = []
        var common = common
        for (key, schema) in Self.pluginMembers.members { common[key] = schema }
        for entry in entries {
            let names = ([entry.name] + entry.aliases).map(\.rawValue)
            known += names
            types.define(Self.definition(kind, entry.name), options(of: entry, adding: common, &types))
            rules.append(
                Self.when("type", isIn: names, then: TypeSchemas.reference(Self.definition(kind, entry.name))))
        }
        var object = ObjectSchema([("type", Self.choice(of: known))], required: ["type"], rules: rules)
        object.properties += common.members.filter { $0.key != "type" }.map { ($0.key, $0.value) }
        return ["anyOf": [Self.choice(of: known), object.json]]
    }

    private func backendSchema(_ types: inout TypeSchemas) -> JSONValue {
        let names = backends.keys.sorted()
        var rules: [JSONValue] = []
        for name in names {
            let schema = backends[name]?.configuration.flatMap {
                Self.object(of: $0, sample: nil, adding: Self.pluginMembers, &types)
            }
            // A function that opens a store reads any options.
            types.define(Self.definition("backend", name), schema.map { .object($0) } ?? ["additionalProperties": true])
            rules.append(
                Self.when(
                    "type", isIn: [name.rawValue], then: TypeSchemas.reference(Self.definition("backend", name))))
        }
        return ObjectSchema([("type", Self.choice(of: names.map(\.rawValue)))], required: ["type"], rules: rules).json
    }

    /// Returns the schema of the options of a plug-in, with its sample.
    private func options<Plugin>(
        of entry: PluginTable<Plugin>.Entry, adding common: JSONObject, _ types: inout TypeSchemas
    ) -> JSONValue {
        let sample = entry.sample?.value
        let schema = Self.object(of: entry.configuration, sample: sample, adding: common, &types)
        var object = schema ?? ["additionalProperties": true]
        if let sample, schema != nil { object["examples"] = [sample] }
        return .object(object)
    }

    private static func object<T: Decodable>(
        of type: T.Type, sample: JSONValue?, adding common: JSONObject, _ types: inout TypeSchemas
    ) -> JSONObject? {
        types.objectSchema(of: type, sample: sample, adding: common)
    }

    /// Returns the name of a plug-in's definition, without characters that a reference would have to escape.
    private static func definition(_ kind: String, _ name: PluginName) -> String {
        name.rawValue.unicodeScalars.reduce(into: kind + ".") { text, scalar in
            let isPlain =
                scalar.isASCII && (scalar.properties.isAlphabetic || "0123456789_.".unicodeScalars.contains(scalar))
            text += isPlain ? String(scalar) : "-\(String(scalar.value, radix: 16))-"
        }
    }

    /// The members that the object of every plug-in may have, and that its own options need not contain.
    private static var pluginMembers: JSONObject {
        JSONObject(DecodingReport.pluginKeys.sorted().map { (key: $0, value: [:]) })
    }

    // MARK: - Parts

    private static let string: JSONValue = ["type": "string"]
    private static let text: JSONValue = ["type": "string", "minLength": 1]

    private static func choice(of names: [String]) -> JSONValue { ["enum": .array(names.map { .string($0) })] }

    private static func choice<Choice: CaseIterable & RawRepresentable<String>>(of type: Choice.Type) -> JSONValue {
        choice(of: type.allCases.map(\.rawValue))
    }

    /// Returns a rule for objects whose value of a key is one of some names.
    private static func when(_ key: String, isIn names: [String], then schema: JSONValue) -> JSONValue {
        ["if": ["required": [.string(key)], "properties": .object([key: choice(of: names)])], "then": schema]
    }
}
