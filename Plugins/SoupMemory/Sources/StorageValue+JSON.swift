// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// The values of index columns.
extension StorageValue {
    /// Creates the value of an index spec for an entry; null for a json1 spec, which stores no value and reads the
    /// entry.
    init(at spec: IndexSpec, in entry: JSONText) {
        guard spec.kind != .json1 else {
            self = .null
            return
        }
        let json = JSONParts.value(at: spec.path.keys[...], in: entry.bytes)
        self = StorageValue(json, kind: spec.kind).converted(to: spec.kind.affinity)
    }

    /// Creates the value that `json_extract` returns.
    init(_ extraction: JSONExtraction, in entry: JSONText) {
        self = StorageValue(extraction.json(in: entry), kind: .json1)
    }

    /// Creates the value of a piece of JSON, before the column converts it.
    private init(_ json: ArraySlice<UInt8>?, kind: IndexSpec.Kind) {
        guard let json, let first = json.first else {
            self = .null
            return
        }
        switch first {
        case UInt8(ascii: "n"): self = .null
        case UInt8(ascii: "t"), UInt8(ascii: "f"): self = StorageValue(first == UInt8(ascii: "t"), kind: kind)
        case UInt8(ascii: "\""): self = .text(JSONParts.text(of: json))
        case UInt8(ascii: "{"), UInt8(ascii: "["): self = .text(JSONParts.compact(json, plain: kind != .json1))
        default: self = Self.number(json, kind: kind)
        }
    }

    /// Returns the value of a number.
    ///
    /// A whole number in a text column stays as written, regardless of its length.
    private static func number(_ json: ArraySlice<UInt8>, kind: IndexSpec.Kind) -> StorageValue {
        let text = String(decoding: json, as: UTF8.self)
        let isWhole = text.utf8.allSatisfy { $0 == UInt8(ascii: "-") || ($0 >= 0x30 && $0 <= 0x39) }
        if isWhole, kind.affinity == .text { return .text(Array(json)) }
        if isWhole, let whole = Int64(text) { return .integer(whole) }
        let real = Double(text) ?? 0
        // Columns store only finite numbers; json1 specs read the number as written.
        return .real(kind == .json1 ? real : real.clampedToFinite)
    }

    private init(_ truth: Bool, kind: IndexSpec.Kind) {
        self = kind.affinity == .text ? StorageValue(truth ? "true" : "false") : .integer(truth ? 1 : 0)
    }

    /// Creates the key of a query, before the compared column converts it.
    ///
    /// - Parameter kind: the storage kind of the values that the key is compared with.
    init(key: JSONValue, kind: IndexSpec.Kind) {
        switch key {
        case .null: self = .null
        case .bool(let truth): self = StorageValue(truth, kind: kind)
        case .int(let number): self = .integer(number)
        case .double(let number): self = .real(number)
        case .number(let number): self = Self.number(Array(number.text.utf8)[...], kind: kind)
        case .string(let text): self = StorageValue(text)
        case .array, .object: self = StorageValue(key.description)
        }
    }
}

extension StorageValue {
    /// The value as JSON for the app, which can be used as a key for the same value.
    var json: JSONValue {
        switch self {
        case .null: .null
        case .integer(let number): .int(number)
        case .real(let number): .double(number)
        case .text(let text): .string(String(decoding: text, as: UTF8.self))
        }
    }
}

extension Double {
    /// The greatest finite number in place of infinity, which has no JSON form.
    fileprivate var clampedToFinite: Double { min(max(self, -.greatestFiniteMagnitude), .greatestFiniteMagnitude) }
}

extension JSONText {
    /// Creates the JSON of a value for rows of a query.
    init(_ value: StorageValue) {
        switch value {
        case .null: self = .null
        case .integer(let number): self = .integer(number)
        case .real(let number): self = JSONText(trusted: Array("\(number.clampedToFinite)".utf8)[...])
        case .text(let text):
            var output: [UInt8] = []
            JSONEscapes.appendQuoted(text, to: &output)
            self = JSONText(trusted: output[...])
        }
    }
}
