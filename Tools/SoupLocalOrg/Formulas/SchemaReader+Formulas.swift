// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

extension SchemaReader {
    /// Returns the fields with their formulas.
    ///
    /// - Parameter problems: the problems of each formula are added, with their positions.
    static func withFormulas(
        _ fields: [OrgField], of object: String, _ description: JSONValue, problems: inout [ConfigurationProblem]
    ) -> [OrgField] {
        let texts = Dictionary(
            (description["fields"]?.objectValue?.members ?? []).compactMap { name, json in
                json["formula"]?.stringValue.map { (name.lowercased(), $0) }
            }
        ) { first, _ in first }
        guard !texts.isEmpty else { return fields }
        let reader = FormulaReader(fields: fields, texts: texts)
        return fields.map { field in
            guard let text = texts[field.name.lowercased()] else { return field }
            var field = field
            do throws(FormulaFailure) {
                field.formula = Formula(text: text, sql: try reader.column(field, text))
            } catch {
                let place = error.column > 0 ? " at column \(error.column)" : ""
                let path: [ConfigurationStep] = [
                    .key("objects"), .key(object), .key("fields"), .key(field.name), .key("formula"),
                ]
                problems.append(
                    ConfigurationProblem(
                        at: SoupError.Place(path: path.text), "the formula cannot be used\(place): \(error.message)",
                        hint: "Write it like IF(ISBLANK(Phone), Name, Name & \" \" & Phone)."))
            }
            return field
        }
    }
}
