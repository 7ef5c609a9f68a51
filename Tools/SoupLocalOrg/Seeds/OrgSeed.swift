// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// The content of a local org when it is created.
public struct OrgSeed: Sendable {
    enum Kind: Sendable {
        case definition(OrgDefinition)
        case tiny
        case medium
        case large(Int)
        /// A name of a built-in seed with an invalid number.
        case refused(SoupError)
    }

    var kind: Kind

    /// The few rows of the conformance cases, with the clock stopped at 2024-01-15T12:05:00Z.
    ///
    /// Three accounts, three contacts, two opportunities, a case, a visit with two items, two leads with the same
    /// external ID, and a deleted account; all were modified five minutes before.
    public static let tiny = OrgSeed(kind: .tiny)
    /// An org for demos: 200 accounts, 1,000 contacts, 400 opportunities, 300 cases, 500 tasks, 100 visits of 5 items.
    ///
    /// It is always the same. The modification dates are distributed over the half year before 2024-01-15, and those of
    /// contacts are unique.
    public static let medium = OrgSeed(kind: .medium)
    /// Many accounts, for measurements: about 565 bytes of JSON each, with consecutive IDs, one modified each second.
    ///
    /// - Parameter count: from 0 to ``largestCount``; an org of any other number cannot be created.
    public static func large(_ count: Int) -> OrgSeed {
        guard (0...largestCount).contains(count) else { return OrgSeed(kind: .refused(refusal("\(count)"))) }
        return OrgSeed(kind: .large(count))
    }

    /// The maximum number of accounts of ``large(_:)``.
    public static let largestCount = 1_000_000

    /// Creates a seed with the objects and rows of a JSON document; see <doc:Seeds-and-schemas>.
    ///
    /// - Parameter file: the name of the document in errors.
    /// - Throws: ``SoupError`` with `json` for a text that is not JSON; ``ConfigurationError`` with all problems of an
    /// invalid document.
    public init(json: [UInt8], file: String? = nil) throws {
        let text = ConfigurationDocument(json, file: file ?? "")
        func placed(_ found: [ConfigurationProblem]) -> [ConfigurationProblem] {
            text.located(found).map { problem in
                var problem = problem
                problem.severity = .error
                problem.place.file = file
                return problem
            }
        }
        guard let document = text.json else {
            throw placed([]).first?.error ?? SoupError(.json, "the seed is not JSON")
        }
        let problems = placed(OrgDefinition.problems(of: document))
        guard problems.isEmpty else { throw ConfigurationError(problems) }
        let definition = try OrgDefinition(document)
        do {
            try definition.tryRows()
        } catch let error as ConfigurationError {
            throw ConfigurationError(placed(error.problems))
        }
        self.init(kind: .definition(definition))
    }

    /// Creates the seed with a name: `tiny`, `medium`, `large 1000` or `large:1000`; nil for other names.
    ///
    /// An invalid number after `large` is reported when the org is created.
    public init?(named name: String) {
        switch name {
        case "tiny": self = .tiny
        case "medium": self = .medium
        default:
            let parts = name.split(maxSplits: 1) { $0 == " " || $0 == ":" }
            guard parts.first == "large" else { return nil }
            let count = parts.count == 2 ? String(parts[1]) : ""
            self = Int(count).map { .large($0) } ?? OrgSeed(kind: .refused(Self.refusal(count)))
        }
    }

    private static func refusal(_ count: String) -> SoupError {
        SoupError(
            .badConfiguration,
            "the seed large needs a number of accounts" + (count.isEmpty ? "" : ", not \"\(count)\""),
            hint: "Write a number from 0 to \(largestCount), such as \"large 100000\".")
    }

    init(kind: Kind) { self.kind = kind }
}

extension OrgSeed {
    /// Returns the objects and users of the seed, and the rows that a document lists.
    func definition() throws -> OrgDefinition {
        switch kind {
        case .definition(let definition): definition
        case .tiny: try SeedDocuments.tiny.get()
        case .medium, .large: try SeedDocuments.demo.get()
        case .refused(let error): throw error
        }
    }
}
