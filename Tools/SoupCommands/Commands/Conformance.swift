// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools

internal import ArgumentParser
internal import SoupConformance
internal import Foundation
internal import SoupLocalOrg
internal import SoupKit

/// The command `soup conformance`.
struct Conformance: AsyncParsableCommand, PluginUser, Sendable {
    static let configuration = CommandConfiguration(
        commandName: "conformance",
        abstract: "Run sets of data cases against a store backend, the sync targets and a local org.",
        discussion: """
            PATH is a file or a folder; every *.json and *.jsonl set in it is run, each case on a new store in a \
            temporary folder. A set is an array of cases, or one case per line. The members of a case determine its kind: \
            {"id", "soups", "ops"} is for a store, {"id", "op", "soql"} changes or builds a query, \
            {"id", "op", "target"} requests the queries of a sync-down target, {"id", "req", "exp"} is a request to a local \
            org and the expected response. Cases of other kinds, and cases that need a capability that the backend does not \
            have, are reported as not run and never counted as passed.

            A "req" has "method" (GET), "path" ("{v}" is the version's path, "{acc1}" the ID of a row of the seed tiny), \
            "query" and "headers" (objects), a body as "json", "form", "csv", "xml" or "text", and "auth": "none" for a \
            request without a token. An "exp" has "status", "headers", "json" (only its members are compared) and "text"; \
            a value can be "$any", "$absent", "$len:3", "$re:^a", "$id:003" or {"$contains": […]}. "pre" has requests to \
            send first, "save" names values for later requests. A case with an unknown member is reported as not run.

            A deviation is an expectation that replaces the one of a case or of one of its operations: \
            {"C030/1": {"expect": {"count": 1}, "rule": "…", "reason": "…"}}. Without --deviations the built-in list \
            applies. If a case has an expectation for each platform, it passes with either.

            Requests go to a new local org, or to the org at --org, which must be served with --admin. Each case resets \
            that org to the seed tiny, so all other data in it is lost.

            The last line is "N passed, N failed"; a case that cannot be read counts as failed. Exits 1 if a case failed. \
            With --json prints a line for each case, {"set","case","outcome"} with the mismatches or the reason, and a line \
            with the sums.
            """)

    @Argument(help: ArgumentHelp("A set of cases, or a folder of them.", valueName: "path"))
    var path: String

    @Option(help: ArgumentHelp("A list of deviations instead of the built-in one.", valueName: "file"))
    var deviations: String?

    @Option(
        help: ArgumentHelp(
            "The store backend to test: a name that soup backends lists, or a .json file with an object like \"backend\" in a userstore.json.",
            valueName: "name or file"))
    var backend = "sqlite"

    @Option(help: ArgumentHelp("The URL of a running local org, for cases with requests.", valueName: "url"))
    var org: String?

    @Flag(name: .long, help: "Print one JSON object per line, for scripts.")
    var json = false

    @OptionGroup var plugins: PluginOptions

    var pluginOptions: PluginOptions { plugins }
    var pluginFolder: URL? { nil }

    func run() async throws {
        let command = self
        try await Interruption.run { try await command.runCases(on: Console(json: command.json)) }
    }

    private func runCases(on console: Console) async throws {
        let store = try backend.hasSuffix(".json") ? readBackend() : StoreReference(type: PluginName(backend))
        guard let type = store.type else {
            throw SoupError(
                .badConfiguration, "\(backend) has no \"type\"",
                hint: "Write the object that a userstore.json has as \"backend\", such as {\"type\": \"sqlite\"}.")
        }
        let runner = ConformanceRunner(
            registry: ToolPlugins.registry, backend: type, configuration: store.json, deviations: try readDeviations(),
            org: try orgUnderTest())
        let sets = try ConformanceSet.sets(at: URL(filePath: path))
        let report = try await runner.run(sets) { console.event($0.jsonForScripts) }
        for set in sets { printResults(of: set, in: report, on: console) }
        for reason in report.reasonsNotRun { console.print("not run: \(reason.count) (\(reason.reason))") }
        console.event([
            "passed": .int(Int64(report.passed)), "failed": .int(Int64(report.failed)),
            "notRun": .int(Int64(report.notRun)),
        ])
        console.print("\(report.passed) passed, \(report.failed) failed")
        if report.failed > 0 { throw ExitCode(1) }
    }

    private func orgUnderTest() throws -> OrgUnderTest {
        if let org { return try OrgUnderTest(url: org, transport: StandardTransport.make()) }
        var options = OrgOptions()
        options.admin = true
        return OrgUnderTest(transport: try LocalOrg(seed: .tiny, options: options).transport)
    }

    private func readDeviations() throws -> ConformanceDeviations {
        guard let deviations else { return .standard }
        return try ConformanceDeviations(contents(of: deviations), file: deviations)
    }

    private func readBackend() throws -> StoreReference {
        do {
            return StoreReference(try JSONValue(parsing: contents(of: backend)))
        } catch let error as JSONError {
            throw SoupError(.json, "\(backend) is not JSON: \(error)", hint: "Correct the file.")
        }
    }

    private func contents(of file: String) throws -> [UInt8] {
        do {
            return Array(try Data(contentsOf: URL(filePath: file)))
        } catch {
            throw SoupError(
                .json, "\(file) cannot be read",
                hint: "Check that it is a file and that you have permission to read it.")
        }
    }

    /// Prints the results of a set: its sums, the cases that cannot be read, and the failed cases.
    private func printResults(of set: ConformanceSet, in report: ConformanceReport, on console: Console) {
        var ofSet = report
        ofSet.results = report.results.filter { $0.set == set.name }
        ofSet.problems = set.problems
        var sums = "\(ofSet.passed) passed, \(ofSet.failed) failed"
        if ofSet.notRun > 0 { sums += ", \(ofSet.notRun) not run" }
        console.print("\(set.name): \(sums)")
        for problem in set.problems {
            console.print("  unreadable: \(problem)")
            console.event(["set": .string(set.name), "outcome": "unreadable", "error": .string("\(problem)")])
        }
        for result in ofSet.results {
            guard case .failed(let mismatches) = result.outcome else { continue }
            console.print("  FAILED \(result.example)")
            for mismatch in mismatches { console.print("    \(mismatch.description)") }
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
