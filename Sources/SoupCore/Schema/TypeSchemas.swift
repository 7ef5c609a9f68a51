// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// A type whose schema is defined elsewhere in the same document.
protocol ReferencedInSchemas {
    /// The name of the definition.
    static var definitionName: String { get }
}

/// A builder of JSON Schemas (2020-12) for the types that decode a configuration.
///
/// It lets a type decode several values, one of each kind, and records its requests: the schema contains the keys that
/// the type requests, with the types that it requests them as. A type must therefore request all keys before it checks
/// their values. If the keys depend on the value of a key with a closed set of names, as on `type`, each name is tried.
package struct TypeSchemas {
    /// The definitions, by the names in `$ref`.
    package private(set) var definitions: JSONObject = [:]
    /// The names of the types that have a definition, or get one.
    private var names: [ObjectIdentifier: String] = [:]
    /// The types whose schemas are being made, and whether each refers to itself.
    private var isRecursive: [ObjectIdentifier: Bool] = [:]

    package init() {}

    /// Adds a definition that other schemas refer to.
    package mutating func define(_ name: String, _ schema: JSONValue) { definitions[name] = schema }

    /// Returns the schema of a value that a type decodes.
    package mutating func schema<T: Decodable>(of type: T.Type) -> JSONValue {
        if let simple = Self.simpleSchema(of: type) { return simple }
        let id = ObjectIdentifier(type)
        if isRecursive[id] != nil {
            isRecursive[id] = true
            return Self.reference(name(of: type))
        }
        if let known = names[id], definitions[known] != nil { return Self.reference(known) }
        isRecursive[id] = false
        let schema = tracedSchema(of: type)
        let refersToItself = isRecursive.removeValue(forKey: id) ?? false
        guard refersToItself || schema["properties"] != nil else { return schema }
        let name = name(of: type)
        definitions[name] = schema
        return Self.reference(name)
    }

    /// Returns the schema of an object that a type decodes, with its members in place and not as a reference.
    ///
    /// - Parameters:
    ///   - sample: a valid object, whose members can lead to further requests.
    ///   - common: members that other code reads.
    /// - Returns: a schema without a rule for other keys; nil if the type does not request an object, and therefore
    ///   accepts any.
    package mutating func objectSchema<T: Decodable>(
        of type: T.Type, sample: JSONValue? = nil, adding common: JSONObject = [:]
    ) -> JSONObject? {
        let base = ConfigurationDecoder.trace(type, from: [:]).trace
        guard base.isObject, !base.isMap else { return nil }
        var traces = [base, filled(type, base)]
        if let sample { traces.append(ConfigurationDecoder.trace(type, from: sample).trace) }
        var schema = members(of: traces, branches: branches(of: type, base))
        var properties = common
        for (key, value) in schema["properties"]?.objectValue?.members ?? [] { properties[key] = value }
        schema["properties"] = .object(properties)
        return schema
    }

    /// Returns an object schema that allows no other keys than its own and comments.
    package static func closed(_ schema: JSONObject) -> JSONValue {
        var schema = schema
        schema["patternProperties"] = comments
        schema[schema["allOf"] == nil ? "additionalProperties" : "unevaluatedProperties"] = false
        return .object(schema)
    }

    /// The keys that begin like a comment, which every object may have.
    package static let comments: JSONValue = ["^(_|//|#|\\$)": [:]]

    package static func reference(_ name: String) -> JSONValue { ["$ref": .string("#/$defs/\(name)")] }

    /// Returns a schema that also accepts null.
    package static func nullable(_ schema: JSONValue) -> JSONValue {
        guard var object = schema.objectValue, !object.isEmpty else { return schema }
        if let choices = object["enum"]?.arrayValue {
            object["enum"] = .array(choices + [.null])
        } else if let type = object["type"]?.stringValue {
            object["type"] = .array([.string(type), "null"])
        } else if let list = object["anyOf"]?.arrayValue {
            object["anyOf"] = .array(list + [["type": "null"]])
        } else {
            return ["anyOf": [schema, ["type": "null"]]]
        }
        return .object(object)
    }

    // MARK: - Types without members

    private static func simpleSchema(of type: any Decodable.Type) -> JSONValue? {
        if type == JSONValue.self { return [:] }
        if let referenced = type as? any ReferencedInSchemas.Type { return reference(referenced.definitionName) }
        if let choices = configurationChoices(of: type) { return ["enum": .array(choices.map { .string($0) })] }
        switch type {
        case is String.Type: return ["type": "string"]
        case is Bool.Type: return ["type": "boolean"]
        case let integer as any FixedWidthInteger.Type: return integerSchema(integer)
        case is any ConfigurationScalar.Type: return ["type": "number"]
        default: return nil
        }
    }

    private static func integerSchema<T: FixedWidthInteger>(_ type: T.Type) -> JSONValue {
        ["type": "integer", "minimum": .int(Int64(clamping: T.min)), "maximum": .int(Int64(clamping: T.max))]
    }

    /// Returns the name of a type's definition, such as `RESTTargets.FieldLocation`.
    private mutating func name(of type: any Decodable.Type) -> String {
        let id = ObjectIdentifier(type)
        if let known = names[id] { return known }
        // The name of a private type contains a part in parentheses, which differs from build to build.
        let parts = String(reflecting: type).split(separator: ".").filter { !$0.contains("(") && !$0.contains(")") }
        let base = parts.joined(separator: ".").filter { $0.isLetter || $0.isNumber || $0 == "." }
        let taken = Set(names.values)
        var name = base
        var number = 2
        while taken.contains(name) {
            name = "\(base).\(number)"
            number += 1
        }
        names[id] = name
        return name
    }

    // MARK: - Traced types

    /// Returns the schema of a type that decodes itself, one alternative for each kind of value that it accepts.
    private mutating func tracedSchema<T: Decodable>(of type: T.Type) -> JSONValue {
        let probes: [(value: JSONValue, type: String)] = [
            ("a", "string"), (true, "boolean"), (1, "number"), ([[:]], "array"), ([:], "object"),
        ]
        var alternatives: [JSONValue] = []
        var acceptsAll = true
        for probe in probes {
            let (trace, isValid) = ConfigurationDecoder.trace(type, from: probe.value)
            let schema = alternative(of: type, probe.type, trace, isValid: isValid)
            if let schema, !alternatives.contains(schema) { alternatives.append(schema) }
            acceptsAll = acceptsAll && schema != nil && isValid
        }
        if acceptsAll { return [:] }
        return alternatives.count == 1 ? alternatives[0] : ["anyOf": .array(alternatives)]
    }

    /// Returns the schema for values of one kind; nil if the type does not accept them.
    private mutating func alternative<T: Decodable>(
        of type: T.Type, _ kind: String, _ trace: DecodingTrace, isValid: Bool
    ) -> JSONValue? {
        let referenced = trace.ownTypes.lazy.compactMap { $0 as? any ReferencedInSchemas.Type }.first
        switch kind {
        case "object" where referenced != nil: return referenced.map { Self.reference($0.definitionName) }
        case "object" where trace.isMap:
            let values = ConfigurationDecoder.trace(type, from: ["key": ""]).trace.members["key"]?.types ?? []
            return ["type": "object", "additionalProperties": schema(ofAny: values)]
        case "object" where trace.isObject:
            return Self.closed(members(of: [trace, filled(type, trace)], branches: branches(of: type, trace)))
        case "array" where trace.isArray: return ["type": "array", "items": schema(ofAny: trace.elementTypes)]
        case "object", "array": break
        default:
            let own = trace.ownTypes.filter { $0 != type }.compactMap { Self.simpleSchema(of: $0) }
            let fitting = own.filter {
                $0["type"].map { $0 == .string(kind) || kind == "number" && $0 == "integer" } ?? false
            }
            // A closed set is more exact than the text that it is read from.
            if kind == "string", let choices = own.first(where: { $0["enum"] != nil }) { return choices }
            if let first = fitting.first { return first }
        }
        // A type that reads any value decides by itself.
        return trace.ownTypes.contains { $0 == JSONValue.self } && isValid ? ["type": .string(kind)] : nil
    }

    /// Returns the trace of an object with a value for each key that was requested.
    ///
    /// Some types read a key again if it has a value.
    private func filled<T: Decodable>(_ type: T.Type, _ base: DecodingTrace) -> DecodingTrace {
        var object: JSONObject = [:]
        for key in base.keys {
            let types = base.members[key]?.types ?? []
            object[key] = types.lazy.compactMap { Self.example(of: $0) }.first
        }
        return ConfigurationDecoder.trace(type, from: .object(object)).trace
    }

    private static func example(of type: any Decodable.Type) -> JSONValue? {
        if let choices = configurationChoices(of: type) { return choices.first.map { .string($0) } }
        switch simpleSchema(of: type)?["type"] {
        case "string": return "a"
        case "boolean": return true
        case "integer", "number": return 1
        default: return nil
        }
    }

    /// Returns the traces for each name of the key on which the other keys depend.
    private func branches<T: Decodable>(
        of type: T.Type, _ base: DecodingTrace
    ) -> (key: String, traces: [(name: String, trace: DecodingTrace)])? {
        for key in base.keys {
            guard let choices = base.members[key]?.types.compactMap({ configurationChoices(of: $0) }).first else {
                continue
            }
            let traces = choices.map { name in
                (name: name, trace: ConfigurationDecoder.trace(type, from: .object([key: .string(name)])).trace)
            }
            if Set(traces.map { Set($0.trace.keys) }).count > 1 { return (key, traces) }
        }
        return nil
    }

    /// Returns the members of an object, those of each branch under its condition.
    private mutating func members(
        of traces: [DecodingTrace], branches: (key: String, traces: [(name: String, trace: DecodingTrace)])?
    ) -> JSONObject {
        guard let branches else { return members(of: traces, except: []) }
        let shared = branches.traces.dropFirst().reduce(Set(branches.traces[0].trace.keys)) {
            $0.intersection($1.trace.keys)
        }
        let others = Set(Self.keys(of: traces)).subtracting(shared)
        var schema = members(of: traces, except: others)
        schema["allOf"] = .array(
            branches.traces.map { branch in
                var then = members(of: [branch.trace], except: shared)
                then["type"] = nil
                let condition: JSONValue = [
                    "properties": .object([branches.key: ["const": .string(branch.name)]]),
                    "required": [.string(branches.key)],
                ]
                return ["if": condition, "then": .object(then)]
            })
        return schema
    }

    private mutating func members(of traces: [DecodingTrace], except left: Set<String>) -> JSONObject {
        var properties: JSONObject = [:]
        var required: [JSONValue] = []
        for key in Self.keys(of: traces) where !left.contains(key) {
            var all = DecodingTrace.Member()
            for member in traces.compactMap({ $0.members[key] }) {
                all.isRequired = all.isRequired || member.isRequired
                all.types += member.types.filter { type in !all.types.contains { $0 == type } }
            }
            let schema = schema(ofAny: all.types)
            properties[key] = all.isRequired ? schema : Self.nullable(schema)
            if all.isRequired { required.append(.string(key)) }
        }
        var schema: JSONObject = ["type": "object", "properties": .object(properties)]
        if !required.isEmpty { schema["required"] = .array(required) }
        return schema
    }

    /// Returns the keys of traces, each once.
    private static func keys(of traces: [DecodingTrace]) -> [String] {
        var seen: Set<String> = []
        return traces.flatMap(\.keys).filter { seen.insert($0).inserted }
    }

    /// Returns the schema of a value that is read as one of several types.
    private mutating func schema(ofAny types: [any Decodable.Type]) -> JSONValue {
        if types.count > 1, let choices = types.compactMap({ configurationChoices(of: $0) }).first {
            // The text is read first, because an empty one means the default.
            let empty = types.contains { $0 == String.self } ? [""] : []
            return ["enum": .array((choices + empty).map { .string($0) })]
        }
        var schemas: [JSONValue] = []
        for type in types {
            let schema = schema(of: type)
            if !schemas.contains(schema) { schemas.append(schema) }
        }
        return schemas.isEmpty || schemas.contains([:])
            ? [:] : schemas.count == 1 ? schemas[0] : ["anyOf": .array(schemas)]
    }
}

extension StoreReference: ReferencedInSchemas {
    static var definitionName: String { "backend" }
}

extension KeyReference: ReferencedInSchemas {
    static var definitionName: String { "keyProvider" }
}
