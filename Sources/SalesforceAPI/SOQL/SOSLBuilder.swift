// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// Puts a full-text search together.
public struct SOSLBuilder: Sendable, Hashable {
    /// What to look for; its reserved characters are escaped, `*` and `?` stay wildcards.
    public var searchTerm: String
    /// `NAME FIELDS`, `ALL FIELDS`; empty for the server's default.
    public var searchGroup = ""
    public var returning: [SOSLReturning] = []
    public var divisionFilter = ""
    public var dataCategory = ""
    /// Not above 0 means no limit.
    public var limit = 0

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
        term.reduce(into: "") { text, character in
            if "\\+^~'-[]{}()&:!".contains(character) { text += "\\" }
            text.append(character)
        }
    }
}

/// The records of one object that a search returns.
public struct SOSLReturning: Sendable, Hashable {
    public var objectName: String
    /// Separated by commas.
    ///
    /// Without fields everything below is left out.
    public var fields = ""
    public var condition = ""
    public var orderBy = ""
    public var network = ""
    /// Not above 0 means no limit.
    public var limit = 0

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
