// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// A JSON value as a tree, for the app's side of the store and for configurations.
///
/// A number that is read from text keeps its digits: it is ``int(_:)`` or ``double(_:)`` when that writes the same text
/// again, and ``number(_:)`` otherwise, as for `18446744073709551615`, `1.50`, `1E2` and `-0`. The three compare by
/// value. To read a number whatever its case, use ``intValue`` and ``doubleValue``.
@dynamicMemberLookup
public enum JSONValue: Sendable {
    case null
    case bool(Bool)
    case int(Int64)
    case double(Double)
    /// A number that neither an `Int64` nor a `Double` writes as it was written.
    case number(JSONNumber)
    case string(String)
    case array([JSONValue])
    case object(JSONObject)
}

/// The members of a JSON object, in the order in which they were written.
///
/// A key that is written twice counts once, with its first value, as in SQLite's `json_extract`.
public struct JSONObject: Sendable {
    /// The keys, in order.
    public private(set) var keys: [String] = []
    private var values: [String: JSONValue] = [:]

    /// An object without members, `{}`.
    public init() {}

    /// Takes members in order; of those with one key the first counts.
    public init(_ members: some Sequence<(key: String, value: JSONValue)>) {
        keys.reserveCapacity(members.underestimatedCount)
        values.reserveCapacity(members.underestimatedCount)
        for (key, value) in members where values[key] == nil { self[key] = value }
    }

    /// The value of a key.
    ///
    /// Setting nil removes the member; setting a new key appends it.
    public subscript(key: String) -> JSONValue? {
        get { values[key] }
        set {
            if let newValue {
                if values.updateValue(newValue, forKey: key) == nil { keys.append(key) }
            } else if values.removeValue(forKey: key) != nil {
                keys.removeAll { $0 == key }
            }
        }
    }

    /// How many members there are.
    public var count: Int { keys.count }
    /// True for `{}`.
    public var isEmpty: Bool { keys.isEmpty }
    /// The members, in order.
    public var members: [(key: String, value: JSONValue)] { keys.map { ($0, values[$0] ?? .null) } }
}

extension JSONObject: Hashable {
    /// Order does not count.
    public static func == (left: JSONObject, right: JSONObject) -> Bool {
        JSONValue.object(left) == JSONValue.object(right)
    }
    /// Order does not count here either.
    public func hash(into hasher: inout Hasher) { JSONValue.object(self).hash(into: &hasher) }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
    /// Keeps the order of the literal; a key that comes twice does not trap, its first value counts.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self.init(elements.map { (key: $0.0, value: $0.1) })
    }
}

extension JSONValue: Hashable {
    /// Compares meaning: `1` equals `1.0`, and the order of members does not count.
    ///
    /// Strings are equal when their bytes are, so that a composed letter differs from a decomposed one; keys compare as
    /// Swift's strings do. A number is rounded to a double to be compared with one; a ``number(_:)`` compares with
    /// another, and with an ``int(_:)``, by all its digits. NaN does not equal itself.
    public static func == (left: JSONValue, right: JSONValue) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.bool(let left), .bool(let right)): left == right
        case (.int(let left), .int(let right)): left == right
        case (.double(let left), .double(let right)): left == right
        case (.int(let whole), .double(let real)), (.double(let real), .int(let whole)): Double(whole) == real
        case (.number(let left), .number(let right)): left == right
        case (.number(let written), .int(let whole)), (.int(let whole), .number(let written)):
            written == JSONNumber(whole)
        case (.number(let written), .double(let real)), (.double(let real), .number(let written)):
            written.doubleValue == real
        case (.string(let left), .string(let right)): left.utf8.elementsEqual(right.utf8)
        case (.array, .array), (.object, .object): haveSameParts(left, right)
        default: false
        }
    }

    /// Hashes a number as the nearest double.
    public func hash(into hasher: inout Hasher) {
        switch self {
        case .null: hasher.combine(0)
        case .bool(let value): hasher.combine(value)
        case .int(let value): hasher.combine(Double(value))
        case .double(let value): hasher.combine(value)
        case .number(let value): hasher.combine(value)
        case .string(let value): for byte in value.utf8 { hasher.combine(byte) }
        case .array, .object: hashParts(into: &hasher, levels: Self.hashedLevels)
        }
    }
}

extension JSONValue {
    /// True for the value null; a member that is not there is a nil `JSONValue?` instead.
    public var isNull: Bool { self == .null }
    /// The truth of a boolean; nil for numbers and texts, which ``isSetFlag`` reads too.
    public var boolValue: Bool? { if case .bool(let value) = self { value } else { nil } }
    /// The text of a string; no other value is turned into text.
    public var stringValue: String? { if case .string(let value) = self { value } else { nil } }
    /// The elements of an array, in order; nil for other values.
    public var arrayValue: [JSONValue]? { if case .array(let value) = self { value } else { nil } }
    /// The members of an object; nil for whatever is none.
    public var objectValue: JSONObject? { if case .object(let value) = self { value } else { nil } }

    /// The number, when it is whole and fits in 64 bits.
    public var intValue: Int64? {
        switch self {
        case .int(let value): value
        case .double(let value): Int64(exactly: value)
        case .number(let value): value.int64Value
        default: nil
        }
    }
    /// The text of an id, which servers write as strings or as whole numbers; nil for other values.
    ///
    /// A whole number beyond 64 bits has all its digits.
    public var idText: String? {
        if let text = stringValue ?? intValue.map(String.init) { return text }
        guard case .number(let number) = self, number.isPlainInteger else { return nil }
        return number.text
    }

    /// The number, rounded where a double cannot hold it; nil for values that are no numbers.
    public var doubleValue: Double? {
        switch self {
        case .int(let value): Double(value)
        case .double(let value): value
        case .number(let value): value.doubleValue
        default: nil
        }
    }

    /// The member of an object; nil for other values.
    ///
    /// Setting turns nothing else into an object.
    public subscript(key: String) -> JSONValue? {
        get { objectValue?[key] }
        set {
            guard case .object(var object) = self else { return }
            object[key] = newValue
            self = .object(object)
        }
    }

    /// Lets `value.address?.city` read members; the properties of this type win over members of their names.
    public subscript(dynamicMember key: String) -> JSONValue? { self[key] }

    /// The element of an array; nil for other values and outside of it.
    public subscript(index: Int) -> JSONValue? {
        guard let array = arrayValue, array.indices.contains(index) else { return nil }
        return array[index]
    }
}

extension JSONValue: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByFloatLiteral, ExpressibleByStringLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    /// The value null; where a `JSONValue?` is expected, `nil` means no value at all.
    public init(nilLiteral: ()) { self = .null }
    /// Lets `true` and `false` stand for themselves.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    /// Makes an ``int(_:)``, and no double, even where one is meant: the two compare by value.
    public init(integerLiteral value: Int64) { self = .int(value) }
    /// Makes a ``double(_:)``, also of `1.0`.
    public init(floatLiteral value: Double) { self = .double(value) }
    /// A string with this text, not the JSON that the text may hold: see `JSONValue(parsing:)`.
    public init(stringLiteral value: String) { self = .string(value) }
    /// Elements of any kind may stand side by side: `[1, "a", nil]`.
    public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    /// Makes an object, with the order and the rules of ``JSONObject/init(dictionaryLiteral:)``.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(JSONObject(elements.map { (key: $0.0, value: $0.1) }))
    }
}
