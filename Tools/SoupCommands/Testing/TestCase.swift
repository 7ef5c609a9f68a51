// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools

internal import SoupKit

/// A test of a configuration: given rows of a local org, steps, and the expected content of the store and the org.
struct TestCase: Sendable {
    /// The name in the output.
    var name: String
    /// The text of the file, which knows the places of its values.
    var document: ConfigurationDocument
    /// The path of the file, as messages show it.
    var file: String
    var seed: Seed?
    var rows: [GivenRow] = []
    /// The objects of which the org has rows at the beginning, with the places of the lists, which may be empty.
    var objects: [(name: String, path: [ConfigurationStep])] = []
    /// The steps; the expectation at the end of the file is the last one.
    var steps: [TestStep] = []

    /// The objects and rows with which the org begins, before the rows of the test.
    enum Seed: Sendable {
        /// A built-in seed, or the path of a seed file, relative to the folder of the test.
        case named(String)
        /// A seed document in the test itself.
        case document(JSONValue)
    }

    /// A row that the org has at the beginning.
    struct GivenRow: Sendable {
        var object: String
        /// The name of the row's ID in the test, without the `@`.
        var name: String?
        var fields: JSONObject
        var path: [ConfigurationStep]
    }

    /// The end of the file's name.
    static let suffix = ".test.json"

    /// Returns the place of a value of the file.
    func place(of path: [ConfigurationStep]) -> SoupError.Place {
        let problem = ConfigurationProblem(at: SoupError.Place(path: path.text), "")
        return document.located([problem]).first?.place ?? SoupError.Place(file: file)
    }
}

#endif
