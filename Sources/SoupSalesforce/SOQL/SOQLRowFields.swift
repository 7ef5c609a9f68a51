// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

extension SOQLQuery {
    /// The fields of its rows; those of children follow the name of their relationship (`Contacts.LastName`).
    ///
    /// Nil if the query does not define them: with `FIELDS()`, `TYPEOF`, or a function without an alias.
    package var rowFields: [String]? { items.rowFields(from: source) }

    /// The names among ``rowFields`` that the query itself defines for a field or for the result of a function.
    package var rowAliases: [String] { items.rowAliases }
}

extension SOSLObject {
    /// The fields of its records; as `SOQLQuery.rowFields`.
    package var rowFields: [String]? { items.rowFields(from: SOQLSource(SOQLPath([name]))) }

    /// As `SOQLQuery.rowAliases`.
    package var rowAliases: [String] { items.rowAliases }
}

extension [SOQLSelectItem] {
    fileprivate var rowAliases: [String] {
        flatMap { item -> [String] in
            switch item {
            case .path(_, let alias), .call(_, let alias): [alias].compactMap(\.self)
            case .child(let query): query.rowAliases.map { "\(query.source.path.last).\($0)" }
            case .typeOf: []
            }
        }
    }

    /// Returns the fields of the items, without the object's name or alias.
    fileprivate func rowFields(from source: SOQLSource) -> [String]? {
        let own = [source.alias, source.path.last].compactMap { $0?.lowercased() }
        var fields: [String] = []
        for item in self {
            switch item {
            case .path(let path, let alias):
                let isPrefixed = path.names.count > 1 && own.contains(path.names[0].lowercased())
                fields.append(alias ?? path.names.dropFirst(isPrefixed ? 1 : 0).joined(separator: "."))
            case .call(_, let alias):
                guard let alias else { return nil }
                fields.append(alias)
            case .child(let query):
                guard let inner = query.rowFields else { return nil }
                fields += inner.map { "\(query.source.path.last).\($0)" }
            case .typeOf: return nil
            }
        }
        return fields
    }
}
