// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// A decoder for one value of a configuration; nil is a placeholder, whose missing members are not reported.
struct ConfigurationValueDecoder: Decoder {
    let value: JSONValue?
    let path: [ConfigurationStep]
    let report: DecodingReport

    var codingPath: [any CodingKey] { path.map { StepKey($0) } }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    /// Decodes the value, and throws its fault.
    func unbox<T: Decodable>(_ type: T.Type) throws -> T {
        if path.isEmpty { report.trace?.note(type, at: path) }
        if let scalar = type as? any ConfigurationScalar.Type {
            guard let value else { return try present(scalar.placeholder as? T) }
            guard let result = scalar.read(value) as? T else { throw mismatch(scalar.noun) }
            return result
        }
        if type == JSONValue.self { return try present((value ?? .null) as? T) }
        do {
            return try T(from: self)
        } catch {
            // A name outside a closed set: list the set, which the error of `RawRepresentable` does not do.
            guard let value else { throw error }
            guard let choices = configurationChoices(of: type) else {
                throw readable(error, of: type, value: value)
            }
            guard let text = value.stringValue else { throw mismatch(configurationNoun(of: type)) }
            throw ConfigurationFault(
                path, "\(report.hidesValues ? "the text" : "\"\(text)\"") is not one of the values allowed here",
                hint: NameDistance.hint(for: text, among: choices))
        }
    }

    /// Returns a readable error for a type that accepts only some texts and does not list them.
    ///
    /// The type's own message is for developers.
    private func readable(_ error: any Error, of type: Any.Type, value: JSONValue) -> any Error {
        guard case DecodingError.dataCorrupted = error, type is any RawRepresentable.Type,
            !(type is any CaseIterable.Type)
        else { return error }
        return ConfigurationFault(
            path, "\(noun(of: value)) is not one of the values allowed here",
            hint: "Write one of the values that the documentation lists for this key.")
    }

    /// Decodes the value; while collecting, records its fault and returns a placeholder.
    ///
    /// - Throws: `FaultRecorded` if the type has no placeholder.
    func unboxOrPlaceholder<T: Decodable>(_ type: T.Type) throws -> T {
        let known = report.problems.count
        do {
            return try unbox(type)
        } catch {
            guard report.isCollecting else { throw error }
            // The type's error about its members is only a consequence if one of them was replaced by a placeholder.
            let isConsequence = !(error is ConfigurationFault) && report.problems.count > known
            if value != nil, !isConsequence, !(error is FaultRecorded) { report.add(error, at: path) }
            guard let placeholder = Self.placeholder(for: type, at: path) else { throw FaultRecorded() }
            return placeholder
        }
    }

    /// Returns a value to continue with; nil if the type cannot be created without data.
    static func placeholder<T: Decodable>(for type: T.Type, at path: [ConfigurationStep]) -> T? {
        func first<Choice: CaseIterable>(_ type: Choice.Type) -> Any? { type.allCases.first }
        if let closed = type as? any CaseIterable.Type { return first(closed) as? T }
        // Use a separate report, because the missing members of a placeholder are not faults.
        return try? ConfigurationValueDecoder(value: nil, path: path, report: DecodingReport()).unbox(type)
    }

    private func noun(of value: JSONValue) -> String { report.hidesValues ? value.kindNoun : value.noun }

    func mismatch(_ expected: String) -> ConfigurationFault {
        let isOutOfRange = value?.doubleValue != nil && expected.hasPrefix("a whole number")
        return ConfigurationFault(
            path, "expected \(expected), found \(value.map(noun) ?? "nothing")",
            hint: isOutOfRange ? "Use a number without a fraction, and within the range." : "Write \(expected) here.")
    }

    private func present<T>(_ value: T?) throws -> T {
        guard let value else { throw FaultRecorded() }
        return value
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        report.trace?.noteObject(at: path)
        guard let value else { return KeyedDecodingContainer(ConfigurationObjectContainer(object: nil, of: self)) }
        guard let object = value.objectValue else { throw mismatch("an object") }
        report.begin(path, keys: object.keys)
        return KeyedDecodingContainer(ConfigurationObjectContainer(object: object, of: self))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        report.trace?.noteArray(at: path)
        guard let value else { return ConfigurationArrayContainer(elements: [], of: self) }
        guard let array = value.arrayValue else { throw mismatch("an array") }
        return ConfigurationArrayContainer(elements: array, of: self)
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer {
        ConfigurationSingleContainer(decoder: self)
    }
}

/// The container for the value itself, for types with a single value.
private struct ConfigurationSingleContainer: SingleValueDecodingContainer {
    let decoder: ConfigurationValueDecoder

    var codingPath: [any CodingKey] { decoder.codingPath }
    func decodeNil() -> Bool { decoder.value?.isNull ?? true }
    func decode<T: Decodable>(_ type: T.Type) throws -> T { try decoder.unbox(type) }
}
