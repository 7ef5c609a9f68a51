// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// The texts of the elements of a small XML document, by the local names of the elements.
///
/// Made for envelopes whose elements are told apart by their names; of several with one name the first counts.
struct XMLTexts {
    private var texts: [String: String] = [:]

    /// Reads what can be read; a document that is none has no elements.
    init(_ document: [UInt8]) {
        for piece in document.split(separator: UInt8(ascii: "<")) {
            guard let close = piece.firstIndex(of: UInt8(ascii: ">")), let first = piece.first,
                ![UInt8(ascii: "/"), UInt8(ascii: "!"), UInt8(ascii: "?")].contains(first)
            else { continue }
            let tag = piece[..<close].prefix { $0 > 0x20 && $0 != UInt8(ascii: "/") }
            let local = tag.split(separator: UInt8(ascii: ":")).last ?? []
            let name = String(decoding: local, as: UTF8.self)
            if texts[name] == nil { texts[name] = Self.unescaped(piece[(close + 1)...]) }
        }
    }

    /// The text right behind the opening of an element, its entities resolved.
    subscript(name: String) -> String? { texts[name] }

    private static func unescaped(_ text: ArraySlice<UInt8>) -> String {
        var output = String()
        var rest = text
        while let mark = rest.firstIndex(of: UInt8(ascii: "&")) {
            output += String(decoding: rest[..<mark], as: UTF8.self)
            let end = rest[mark...].prefix(12).firstIndex(of: UInt8(ascii: ";"))
            if let end, let scalar = scalar(String(decoding: rest[(mark + 1)..<end], as: UTF8.self)) {
                output.unicodeScalars.append(scalar)
                rest = rest[(end + 1)...]
            } else {
                output += "&"
                rest = rest[(mark + 1)...]
            }
        }
        return output + String(decoding: rest, as: UTF8.self)
    }

    private static func scalar(_ entity: String) -> Unicode.Scalar? {
        let named: [String: Unicode.Scalar] = ["lt": "<", "gt": ">", "amp": "&", "quot": "\"", "apos": "'"]
        if let scalar = named[entity] { return scalar }
        guard entity.hasPrefix("#") else { return nil }
        let digits = entity.dropFirst()
        let number = digits.lowercased().hasPrefix("x") ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
        return number.flatMap(Unicode.Scalar.init)
    }

    /// A text as it stands in an element.
    static func escaped(_ text: String) -> String {
        var output = String()
        for scalar in text.unicodeScalars {
            switch scalar {
            case "<": output += "&lt;"
            case ">": output += "&gt;"
            case "&": output += "&amp;"
            case "\"": output += "&quot;"
            default: output.unicodeScalars.append(scalar)
            }
        }
        return output
    }
}
