// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// A builder of a full-text search.
public struct SOSLBuilder: Sendable, Hashable {
    /// The search term; its reserved characters are escaped, `*` and `?` remain wildcards.
    public var searchTerm: String
    /// `NAME FIELDS`, `ALL FIELDS`; empty for the server's default.
    public var searchGroup = ""
    /// The objects to return, in order; empty for the server's choice.
    public var returning: [SOSLReturning] = []
    /// The whole text after `with`, such as `DIVISION = 'Global'`; empty for none.
    public var divisionFilter = ""
    /// The text after `with data category`, such as `Geography__c AT usa__c`; empty for none.
    public var dataCategory = ""
    /// The maximum number of records; no limit if not above 0.
    public var limit = 0

    /// Creates a search with the term as the user typed it: ``build()`` escapes it.
    public init(searchTerm: String) { self.searchTerm = searchTerm }

    /// Returns the search; nil if the term is empty.
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

    /// Returns a term without operators: each reserved character gets a backslash.
    public static func escaped(_ term: String) -> String {
        // By scalars: the server treats a bracket as reserved even if a combining mark follows.
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
    /// The fields, separated by commas.
    ///
    /// Without fields all properties below are ignored.
    public var fields = ""
    /// The condition of `where`.
    public var condition = ""
    /// The keys of `order by`.
    public var orderBy = ""
    /// The ID of an Experience Cloud site, with its quotes: it is inserted unchanged.
    public var network = ""
    /// The maximum number of records; no limit if not above 0.
    public var limit = 0

    /// Creates an object with optional fields of its records.
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
