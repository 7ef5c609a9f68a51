// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// The query parameters of a list.
struct ListQuery: Sendable {
    /// The parameters in the order of their names.
    let parameters: [(name: String, value: Template)]

    /// - Throws: ``SoupError`` for a template with an unknown variable.
    init(_ parameters: [String: ParameterValue], known: [TemplateVariable], at place: String) throws {
        var faults = ConfigurationFaults()
        var list: [(String, Template)] = []
        for (name, value) in parameters.sorted(by: { $0.key < $1.key }) {
            let template = faults.check { try Template(value.text, known: known, at: "\(place).\(name)") }
            if let template { list.append((name, template)) }
        }
        try faults.finish()
        self.parameters = list
    }

    /// Whether a parameter contains the variable.
    func contains(_ variable: TemplateVariable) -> Bool {
        parameters.contains { $0.value.variables.contains(variable) }
    }

    /// The names of the parameters without variables.
    var constantNames: [String] { parameters.filter { $0.value.variables.isEmpty }.map(\.name) }

    /// Returns the path with the parameters; those with a variable without a value are left out.
    func path(of list: String, _ value: (TemplateVariable) -> String?) -> String {
        let pairs = parameters.compactMap { name, template in
            template.text(in: .query, value).map { "\(URLText.query(name))=\($0)" }
        }
        return pairs.isEmpty ? list : "\(list)?\(pairs.joined(separator: "&"))"
    }
}
