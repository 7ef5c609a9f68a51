// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools

internal import ArgumentParser
internal import SoupConformance
internal import Foundation
internal import SoupLocalOrg
internal import SoupKit

/// The command `soup conformance`.
struct PlayCases: AsyncParsableCommand, Sendable {
    static let configuration = CommandConfiguration(
        commandName: "conformance",
        abstract: "Play sets of data cases against a store backend, the sync targets and a local org.",
        discussion: """
            PATH is a file or a folder; every *.json and *.jsonl set in it is played, each case on a fresh store in a \
            temporary folder. A set is an array of cases, or one case a line; what a case is, its members tell: \
            {"id", "soups", "ops"} works on a store, {"id", "op", "soql"} changes or builds a query, \
            {"id", "op", "target"} asks a sync-down target for its queries, {"id", "req", "exp"} is a request to a local org \
            and its answer. Cases of other kinds, and those that need \
            what the backend does not claim, are told as not run and never counted as passed.

            A "req" has "method" (GET), "path" ("{v}" is the version's path, "{acc1}" the id of a row of the seed tiny), \
            "query" and "headers" (objects), a body as "json", "form", "csv", "xml" or "text", and "auth": "none" for none. \
            An "exp" has "status", "headers", "json" (the members that are named are compared) and "text"; in place of a \
            value "$any", "$absent", "$len:3", "$re:^a", "$id:003" and {"$contains": […]}. "pre" has requests that come \
            first, "save" names values for later ones. A case with a member that nobody reads there is told as not run.

            A deviation is an expectation that takes the place of a case's own, by case or by case and operation: \
            {"C030/1": {"expect": {"count": 1}, "rule": "…", "reason": "…"}}. Without --deviations the project's own list \
            holds. Where a case has an expectation for each platform, either will do.

            Requests go to an org that is made for it, or to the one at --org, which must be served with --admin: each case \
            resets it to the seed tiny, so nothing that was in it stays.

            The last line is "N passed, N failed"; a place that cannot be read counts as failed. Exits 1 when one failed. \
            With --json prints a line for each case, {"set","case","outcome"} with the mismatches or the reason, and one \
            for the sums.
            """)

    @Argument(help: ArgumentHelp("A set of cases, or a folder of them.", valueName: "path"))
    var path: String

    @Option(help: ArgumentHelp("A list of deviations instead of the built-in one.", valueName: "file"))
    var deviations: String?

    @Option(help: ArgumentHelp("The store backend to play on: one that soup backends lists.", valueName: "name"))
    var backend = "sqlite"

    @Option(help: ArgumentHelp("The URL of a served local org, for cases about requests.", valueName: "url"))
    var org: String?

    @Flag(name: .long, help: "Print one JSON object a line, for scripts.")
    var json = false

    func run() async throws {
        let command = self
        try await Interruption.run { try await command.play(on: Console(json: command.json)) }
    }

    private func play(on console: Console) async throws {
        let runner = ConformanceRunner(
            registry: .standard, backend: PluginName(backend), deviations: try readDeviations(),
            org: try orgUnderTest())
        let sets = try ConformanceSet.sets(at: path)
        let report = try await runner.run(sets) { console.event($0.jsonForScripts) }
        for set in sets { tell(set, report, console) }
        for reason in report.reasonsNotRun { console.say("not run: \(reason.count) (\(reason.reason))") }
        console.event([
            "passed": .int(Int64(report.passed)), "failed": .int(Int64(report.failed)),
            "notRun": .int(Int64(report.notRun)),
        ])
        console.say("\(report.passed) passed, \(report.failed) failed")
        if report.failed > 0 { throw ExitCode(1) }
    }

    private func orgUnderTest() throws -> OrgUnderTest {
        if let org { return try OrgUnderTest(url: org, transport: StandardTransport.make()) }
        var options = OrgOptions()
        options.admin = true
        return OrgUnderTest(transport: try LocalOrg(seed: .tiny, options: options).transport)
    }

    private func readDeviations() throws -> Deviations {
        guard let deviations else { return .standard }
        let bytes: Data
        do {
            bytes = try Data(contentsOf: URL(filePath: deviations))
        } catch {
            throw SoupError(.json, "\(deviations) cannot be read", hint: "It must be a file that you may read.")
        }
        return try Deviations(Array(bytes), file: deviations)
    }

    /// What became of a set: its sums, what could not be read, and every case that failed.
    private func tell(_ set: ConformanceSet, _ report: ConformanceReport, _ console: Console) {
        var ofSet = report
        ofSet.results = report.results.filter { $0.set == set.name }
        ofSet.problems = set.problems
        var sums = "\(ofSet.passed) passed, \(ofSet.failed) failed"
        if ofSet.notRun > 0 { sums += ", \(ofSet.notRun) not run" }
        console.say("\(set.name): \(sums)")
        for problem in set.problems {
            console.say("  unreadable: \(problem)")
            console.event(["set": .string(set.name), "outcome": "unreadable", "error": .string("\(problem)")])
        }
        for result in ofSet.results {
            guard case .failed(let mismatches) = result.outcome else { continue }
            console.say("  FAILED \(result.example)")
            for mismatch in mismatches { console.say("    \(mismatch.description)") }
        }
    }
}

extension ConformanceResult {
    /// `{"set", "case", "outcome": "passed" | "failed" | "notRun", "reason"?, "mismatches"?}`.
    fileprivate var jsonForScripts: JSONValue {
        var object: JSONObject = ["set": .string(set), "case": .string(example.id), "outcome": "passed"]
        switch outcome {
        case .passed: break
        case .notRun(let reason):
            object["outcome"] = "notRun"
            object["reason"] = .string(reason)
        case .failed(let mismatches):
            object["outcome"] = "failed"
            object["mismatches"] = .array(
                mismatches.map { mismatch in
                    var members: JSONObject = ["expected": .array(mismatch.expected), "found": mismatch.found]
                    members["path"] = mismatch.path.map { .string($0) }
                    members["operation"] = mismatch.operation.map { .int(Int64($0.index)) }
                    return .object(members)
                })
        }
        return .object(object)
    }
}

#endif
