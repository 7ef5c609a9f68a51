// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// Puts a full-text search together.
public struct SOSLBuilder: Sendable, Hashable {
    /// What to look for; its reserved characters are escaped, `*` and `?` stay wildcards.
    public var searchTerm: String
    /// `NAME FIELDS`, `ALL FIELDS`; empty for the server's default.
    public var searchGroup = ""
    /// The objects to return, in order; empty for the server's choice.
    public var returning: [SOSLReturning] = []
    /// The whole text behind `with`, such as `DIVISION = 'Global'`; empty for none.
    public var divisionFilter = ""
    /// The text behind `with data category`, such as `Geography__c AT usa__c`; empty for none.
    public var dataCategory = ""
    /// Not above 0 means no limit.
    public var limit = 0

    /// Takes the term as a person typed it: ``build()`` escapes it.
    public init(searchTerm: String) { self.searchTerm = searchTerm }

    /// The search; nil when there is nothing to look for.
    public func build() -> String? {
        guard !searchTerm.isEmpty else { return nil }
        var text = "find {\(Self.escaped(searchTerm))}"
        if !searchGroup.isEmpty { text += " in \(searchGroup)" }
        if !returning.isEmpty { text += " returning " + returning.map(\.text).joined(separator: ", ") }
        if !divisionFilter.isEmpty { text += " with \(divisionFilter)" }
        if !dataCategory.isEmpty { text += " with data category \(dataCategory)" }
        if limit > 0 { text += " limit \(limit)" }
        return text
    }

    /// A term without operators: each reserved character gets a backslash.
    public static func escaped(_ term: String) -> String {
        // By scalars: to the server a bracket is one even when a mark combines with it.
        var text = String.UnicodeScalarView()
        for scalar in term.unicodeScalars {
            if "\\+^~'-[]{}()&:!".unicodeScalars.contains(scalar) { text.append("\\") }
            text.append(scalar)
        }
        return String(text)
    }
}

/// The records of one object that a search returns.
public struct SOSLReturning: Sendable, Hashable {
    /// The object, such as `Contact`.
    public var objectName: String
    /// Separated by commas.
    ///
    /// Without fields everything below is left out.
    public var fields = ""
    /// The text behind `where`.
    public var condition = ""
    /// The text behind `order by`.
    public var orderBy = ""
    /// The id of an Experience Cloud site, with its quotes: it goes into the text as it is.
    public var network = ""
    /// Not above 0 means no limit.
    public var limit = 0

    /// Starts with an object and, if wanted, the fields of its records.
    public init(_ objectName: String, fields: String = "") {
        self.objectName = objectName
        self.fields = fields
    }

    var text: String {
        guard !fields.isEmpty else { return " \(objectName)" }
        var text = " \(objectName)(\(fields)"
        if !condition.isEmpty { text += " where \(condition)" }
        if !orderBy.isEmpty { text += " order by \(orderBy)" }
        if !network.isEmpty { text += " with network = \(network)" }
        if limit > 0 { text += " limit \(limit)" }
        return text + ")"
    }
}
