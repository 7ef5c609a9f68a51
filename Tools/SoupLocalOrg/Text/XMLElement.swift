// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// An element of an XML document: its name without the prefix, its text, its elements.
///
/// Attributes are dropped, except whether the element is nil in the sense of XML Schema.
struct XMLElement: Sendable, Hashable {
    var name: String
    /// The text directly in the element.
    var text = ""
    var elements: [XMLElement] = []
    var isNil = false

    /// Returns the first element with a name.
    func first(_ name: String) -> XMLElement? { elements.first { $0.name == name } }

    /// Returns the first element with a name at any depth, including this one.
    func descendant(_ name: String) -> XMLElement? {
        if self.name == name { return self }
        for element in elements {
            if let found = element.descendant(name) { return found }
        }
        return nil
    }

    /// Parses a document.
    ///
    /// - Throws: ``XMLReader/Failure`` for a malformed document, and for a document type: entities that a document
    ///   declares are not resolved.
    static func parse(_ bytes: [UInt8]) throws(XMLReader.Failure) -> XMLElement {
        var reader = XMLReader(bytes)
        return try reader.document()
    }
}
