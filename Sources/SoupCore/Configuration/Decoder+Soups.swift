// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

extension Decoder {
    /// Adds a warning if the configuration of a store names a soup that its file does not have.
    ///
    /// A misspelled name would have no effect. Without a list of soups in the file, the app registers them in code, and
    /// nothing is checked; nor is a configuration from code.
    ///
    /// ```swift
    /// for soup in routes.keys { decoder.warnIfUnknown(soup, at: "routes.\(soup)") }
    /// ```
    ///
    /// - Parameter place: the path of the name inside the decoded object.
    public func warnIfUnknown(_ soup: SoupName, at place: String) {
        guard let decoder = self as? ConfigurationValueDecoder, let soups = decoder.report.soups,
            !soups.contains(soup)
        else { return }
        let error = SoupError(
            .badConfiguration, "\"soups\" has no soup \"\(soup)\"", place: SoupError.Place(path: place),
            hint: NameDistance.question(for: soup.rawValue, among: soups.map(\.rawValue).sorted()))
        decoder.report.add(
            ConfigurationProblem.all(in: error, at: decoder.path).map { problem in
                var problem = problem
                problem.severity = .warning
                return problem
            })
    }
}
