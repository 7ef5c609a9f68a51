// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools

internal import Foundation
internal import SoupKit
internal import SoupLocalOrg

/// The local org of a test, in this process.
struct TestOrg {
    let org: LocalOrg
    let clock: TestClock

    /// Creates the org with the seed and the rows of a test.
    ///
    /// - Throws: `ConfigurationError` with the problems of the seed, each with its place.
    init(for test: TestCase) throws {
        var base = JSONObject()
        switch test.seed {
        case nil: break
        case .document(let document)?:
            base = document.objectValue ?? JSONObject()
            try Self.check(document, of: test)
        case .named(let name)?:
            if let document = try OrgSeed.document(named: name) {
                base = document.objectValue ?? JSONObject()
            } else if let seed = OrgSeed(named: name) {
                guard test.rows.isEmpty else {
                    throw ConfigurationError([
                        ConfigurationProblem(
                            at: test.place(of: [.key("org"), .key("rows")]),
                            "rows cannot be added to the seed \"\(name)\", whose rows are generated",
                            hint: "Create them with an \"org\" step, or use \"tiny\" or a seed file.")
                    ])
                }
                clock = TestClock(at: TestSeed.stamp + TestSeed.age)
                org = try LocalOrg(seed: seed, clock: clock)
                return
            } else {
                base = try Self.document(name, of: test)
            }
        }
        let seed = TestSeed(base, adding: test.rows)
        let problems = TestCheck(rowsOf: test, seeded: seed.keys).problems
        guard problems.isEmpty else { throw ConfigurationError(test.document.located(problems)) }
        clock = TestClock(at: seed.time)
        do {
            org = try LocalOrg(seed: try OrgSeed(json: Array(try JSONText(.object(seed.document)).bytes)), clock: clock)
        } catch let error as ConfigurationError {
            throw ConfigurationError(
                error.problems.map { problem in
                    var problem = problem
                    let path = problem.place.path ?? ""
                    if path.hasSuffix("].object") { problem.hint = TestCheck.objectHint }
                    problem.place = test.place(of: [.key(seed.path(inTestOf: path) ?? "org")])
                    return problem
                })
        }
    }

    /// A session with the org, as an app has one; the credentials of the configuration are not used.
    var transport: SessionTransport {
        SessionTransport(
            over: org.transport,
            credentials: SalesforceCredentials(instanceURL: "http://localhost", accessToken: org.accessToken),
            clock: clock, random: { 0 })
    }

    /// Reads a seed file, whose path begins in the folder of the test file.
    private static func document(_ name: String, of test: TestCase) throws -> JSONObject {
        let folder = test.file.lastIndex(of: "/").map { test.file[...$0] } ?? ""
        let file = name.hasPrefix("/") ? name : folder + name
        guard let contents = FileManager.default.contents(atPath: file) else {
            throw ConfigurationError([
                ConfigurationProblem(
                    at: test.place(of: [.key("org"), .key("seed")]),
                    "\"\(name)\" is neither a built-in seed nor a file that can be read",
                    hint: "Write tiny, medium, \"large N\", or the path of a seed file, relative to the test.")
            ])
        }
        _ = try OrgSeed(json: Array(contents), file: file)
        return try JSONValue(parsing: Array(contents)).objectValue ?? JSONObject()
    }

    /// Checks the seed document in a test.
    private static func check(_ document: JSONValue, of test: TestCase) throws {
        do {
            _ = try OrgSeed(json: Array(try JSONText(document).bytes))
        } catch let error as ConfigurationError {
            throw ConfigurationError(
                error.problems.map { problem in
                    var problem = problem
                    problem.place = test.place(
                        of: [.key("org"), .key("seed")] + (problem.place.path.map { [.key($0)] } ?? []))
                    return problem
                })
        }
    }
}

#endif
