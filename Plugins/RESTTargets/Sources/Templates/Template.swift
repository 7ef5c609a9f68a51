// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// A text with variables in braces, such as `/contacts/{id}`; `{{` and `}}` are literal braces.
struct Template: Sendable, Hashable {
    /// A piece of the text.
    enum Part: Sendable, Hashable {
        case text(String)
        case variable(TemplateVariable)
    }

    /// The place of a template in a request, which determines the encoding of values.
    enum Place: Sendable {
        /// A path: its text is percent-encoded already, values are encoded as segments.
        case path
        /// The value of a query parameter: text and values are encoded.
        case query
        /// The value of a header: nothing is encoded.
        case header
    }

    let parts: [Part]

    /// Parses a text.
    ///
    /// - Parameters:
    ///   - known: the variables that have a value at this place.
    ///   - allowsFields: whether `{field:PATH}` is allowed.
    ///   - path: the place in the target object, for errors.
    /// - Throws: ``SoupError`` for an unclosed brace or an unknown variable.
    init(_ text: String, known: [TemplateVariable], allowsFields: Bool = false, at path: String) throws {
        var parts: [Part] = []
        var literal = ""
        var rest = text.unicodeScalars[...]
        while let first = rest.popFirst() {
            if (first == "{" || first == "}") && rest.first == first {
                rest.removeFirst()
                literal.unicodeScalars.append(first)
                continue
            }
            if first == "}" { throw Self.fault("the closing brace has no opening one", in: text, at: path) }
            guard first == "{" else {
                literal.unicodeScalars.append(first)
                continue
            }
            guard let end = rest.firstIndex(of: "}") else {
                throw Self.fault("the opening brace is not closed", in: text, at: path)
            }
            let name = String(String.UnicodeScalarView(rest[..<end]))
            rest = rest[rest.index(after: end)...]
            if !literal.isEmpty { parts.append(.text(literal)) }
            literal = ""
            parts.append(
                .variable(try Self.variable(name, known: known, allowsFields: allowsFields, at: path)))
        }
        if !literal.isEmpty { parts.append(.text(literal)) }
        self.parts = parts
    }

    /// Creates a template without variables.
    init(literal: String) { parts = literal.isEmpty ? [] : [.text(literal)] }

    /// The variables of the template.
    var variables: [TemplateVariable] {
        parts.compactMap { if case .variable(let variable) = $0 { variable } else { nil } }
    }

    /// Returns the text with the values of its variables.
    ///
    /// - Parameter value: returns the value of a variable, not encoded; nil if it has none.
    /// - Returns: nil if a variable has no value.
    func text(in place: Place, _ value: (TemplateVariable) -> String?) -> String? {
        var output = ""
        for part in parts {
            switch part {
            case .text(let text): output += place == .query ? URLText.query(text) : text
            case .variable(let variable):
                guard let value = value(variable) else { return nil }
                output += Self.encoded(value, in: place)
            }
        }
        return output
    }

    private static func encoded(_ value: String, in place: Place) -> String {
        switch place {
        case .path: URLText.segment(value)
        case .query: URLText.query(value)
        case .header: value
        }
    }

    private static func variable(
        _ name: String, known: [TemplateVariable], allowsFields: Bool, at path: String
    ) throws -> TemplateVariable {
        if let variable = known.first(where: { $0.name == name }) { return variable }
        if allowsFields, name.hasPrefix("field:"), name.utf8.count > 6 { return .field(String(name.dropFirst(6))) }
        let names = known.map(\.name) + (allowsFields ? ["field:PATH"] : [])
        throw SoupError(
            .badConfiguration, "there is no variable {\(name.excerpt(50))} here", place: SoupError.Place(path: path),
            hint: names.isEmpty
                ? "No variable is allowed here; write {{ and }} for braces."
                : NameDistance.hint(for: name, among: names))
    }

    private static func fault(_ reason: String, in text: String, at path: String) -> SoupError {
        SoupError(
            .badConfiguration, "\"\(text.excerpt(100))\" is not a template: \(reason)",
            place: SoupError.Place(path: path), hint: "Write variables as {id}, and literal braces as {{ and }}.")
    }
}
