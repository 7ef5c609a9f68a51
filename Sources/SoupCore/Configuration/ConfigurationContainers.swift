// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// The members of an object in a configuration.
struct ConfigurationObjectContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
    /// Nil in a placeholder.
    let object: JSONObject?
    let decoder: ConfigurationValueDecoder

    init(object: JSONObject?, of decoder: ConfigurationValueDecoder) {
        self.object = object
        self.decoder = decoder
    }

    private var report: DecodingReport { decoder.report }
    var codingPath: [any CodingKey] { decoder.codingPath }

    var allKeys: [Key] {
        report.readAllKeys(at: decoder.path)
        report.trace?.noteMap(at: decoder.path)
        return object?.keys.compactMap { Key(stringValue: $0) } ?? []
    }

    func contains(_ key: Key) -> Bool { member(key) != nil }

    func decodeNil(forKey key: Key) throws -> Bool { member(key)?.isNull ?? true }

    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
        let value = member(key)
        report.trace?.note(type, at: decoder.path + [.key(key.stringValue)], isRequired: value == nil)
        if let value, !(value.isNull && !acceptsNull(type)) { return try nested(value, key).unboxOrPlaceholder(type) }
        let fault = missing(key, isNull: value != nil, expected: noun(of: type))
        guard report.isCollecting || object == nil else { throw fault }
        if object != nil { report.add(fault, at: decoder.path) }
        return try nested(nil, key).unboxOrPlaceholder(type)
    }

    func decodeIfPresent<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T? { try optional(type, key) }

    fileprivate func optional<T: Decodable>(_ type: T.Type, _ key: Key) throws -> T? {
        report.trace?.note(type, at: decoder.path + [.key(key.stringValue)])
        guard let value = member(key), !value.isNull else { return nil }
        return try nested(value, key).unboxOrPlaceholder(type)
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> {
        try container(forKey: key, expected: "an object") { try $0.container(keyedBy: type) }
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try container(forKey: key, expected: "an array") { try $0.unkeyedContainer() }
    }

    func superDecoder() throws -> any Decoder { decoder }

    func superDecoder(forKey key: Key) throws -> any Decoder { nested(member(key), key) }

    private func container<Container>(
        forKey key: Key, expected noun: String, _ make: (ConfigurationValueDecoder) throws -> Container
    ) throws -> Container {
        do {
            guard object == nil || member(key) != nil else { throw missing(key, isNull: false, expected: noun) }
            return try make(nested(member(key), key))
        } catch {
            guard report.isCollecting else { throw error }
            report.add(error, at: decoder.path)
            return try make(nested(nil, key))
        }
    }

    private func member(_ key: Key) -> JSONValue? {
        report.read(key.stringValue, at: decoder.path)
        return object?[key.stringValue]
    }

    private func nested(_ value: JSONValue?, _ key: Key) -> ConfigurationValueDecoder {
        ConfigurationValueDecoder(value: value, path: decoder.path + [.key(key.stringValue)], report: report)
    }

    private func missing(_ key: Key, isNull: Bool, expected noun: String) -> ConfigurationFault {
        ConfigurationFault(
            decoder.path + [.key(key.stringValue)], "\"\(key.stringValue)\" is \(isNull ? "null" : "missing")",
            hint: isNull ? "Write \(noun) here." : "Add \"\(key.stringValue)\" with \(noun).")
    }

    /// Returns the name for a value of a type; one that decodes itself may accept a text, too.
    private func noun<T: Decodable>(of type: T.Type) -> String {
        let noun = configurationNoun(of: type)
        guard noun == "an object", report.trace == nil, ConfigurationDecoder.trace(type, from: "a").isValid else {
            return noun
        }
        return "a string or an object"
    }

    private func acceptsNull(_ type: Any.Type) -> Bool { type == JSONValue.self || type is any OptionalType.Type }
}

// The protocol has defaults for these types, which ask for the presence of a key before its type is known.
extension ConfigurationObjectContainer {
    func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? { try optional(type, key) }
    func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? { try optional(type, key) }
    func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? { try optional(type, key) }
    func decodeIfPresent(_ type: Float.Type, forKey key: Key) throws -> Float? { try optional(type, key) }
    func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? { try optional(type, key) }
    func decodeIfPresent(_ type: Int8.Type, forKey key: Key) throws -> Int8? { try optional(type, key) }
    func decodeIfPresent(_ type: Int16.Type, forKey key: Key) throws -> Int16? { try optional(type, key) }
    func decodeIfPresent(_ type: Int32.Type, forKey key: Key) throws -> Int32? { try optional(type, key) }
    func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? { try optional(type, key) }
    func decodeIfPresent(_ type: UInt.Type, forKey key: Key) throws -> UInt? { try optional(type, key) }
    func decodeIfPresent(_ type: UInt8.Type, forKey key: Key) throws -> UInt8? { try optional(type, key) }
    func decodeIfPresent(_ type: UInt16.Type, forKey key: Key) throws -> UInt16? { try optional(type, key) }
    func decodeIfPresent(_ type: UInt32.Type, forKey key: Key) throws -> UInt32? { try optional(type, key) }
    func decodeIfPresent(_ type: UInt64.Type, forKey key: Key) throws -> UInt64? { try optional(type, key) }
}

/// The elements of an array in a configuration.
struct ConfigurationArrayContainer: UnkeyedDecodingContainer {
    let elements: [JSONValue]
    let decoder: ConfigurationValueDecoder
    private(set) var currentIndex = 0

    init(elements: [JSONValue], of decoder: ConfigurationValueDecoder) {
        self.elements = elements
        self.decoder = decoder
    }

    private var report: DecodingReport { decoder.report }
    var codingPath: [any CodingKey] { decoder.codingPath }
    var count: Int? { elements.count }
    var isAtEnd: Bool { currentIndex >= elements.count }

    mutating func decodeNil() throws -> Bool {
        guard !isAtEnd, elements[currentIndex].isNull else { return false }
        currentIndex += 1
        return true
    }

    mutating func decode<T: Decodable>(_ type: T.Type) throws -> T {
        let element = try next()
        report.trace?.note(type, at: element.path)
        do {
            return try element.unboxOrPlaceholder(type)
        } catch let error as FaultRecorded {
            // Without a placeholder this array ends here; continue only to report the faults of the remaining elements.
            while !isAtEnd { _ = try? next().unboxOrPlaceholder(type) }
            throw error
        }
    }

    mutating func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type
    ) throws -> KeyedDecodingContainer<Nested> {
        try next().container(keyedBy: type)
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer { try next().unkeyedContainer() }

    mutating func superDecoder() throws -> any Decoder { try next() }

    private mutating func next() throws -> ConfigurationValueDecoder {
        guard !isAtEnd else {
            guard decoder.value != nil else { throw FaultRecorded() }
            throw ConfigurationFault(
                decoder.path, "the array has only \(elements.count) elements",
                hint: "Add the elements that are missing.")
        }
        defer { currentIndex += 1 }
        return ConfigurationValueDecoder(
            value: elements[currentIndex], path: decoder.path + [.index(currentIndex)], report: decoder.report)
    }
}

private protocol OptionalType {}
extension Optional: OptionalType {}
