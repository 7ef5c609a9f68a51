// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// An element of an XML document: its name without the prefix, its text, its elements.
///
/// Attributes are checked and dropped, but for one: whether the element is nil in the sense of XML Schema.
struct XMLElement: Sendable, Hashable {
    var name: String
    /// The text directly in the element, with references resolved.
    var text = ""
    var elements: [XMLElement] = []
    var isNil = false

    /// The first element with a name.
    func first(_ name: String) -> XMLElement? { elements.first { $0.name == name } }

    /// The first element with a name at any depth, this one included.
    func descendant(_ name: String) -> XMLElement? {
        if self.name == name { return self }
        for element in elements {
            if let found = element.descendant(name) { return found }
        }
        return nil
    }

    /// Reads a document.
    ///
    /// - Throws: ``XMLReader/Failure`` for everything that is not well formed, and for document types: entities of a
    ///   document's own are not resolved.
    static func parse(_ bytes: [UInt8]) throws(XMLReader.Failure) -> XMLElement {
        var reader = XMLReader(bytes)
        return try reader.document()
    }
}
