// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools

internal import ArgumentParser
internal import SoupKit

/// The command `soup validate`.
struct Validate: SoupCommand {
    static let configuration = CommandConfiguration(
        abstract: "Check the configuration files, and list every problem with its place.",
        discussion: """
            Opens no store and creates nothing. Exits 1 if there is an error; warnings do not change the exit code.

            With --server, and if the files have no errors, also checks that the server has the objects and fields of the \
            syncs, and that the user may write the fields that they send, with one request for each object. Errors in the \
            conditions of queries are reported only when the sync runs.

            Without errors, also recommends settings that the files do not choose. With --json prints \
            {"valid","errors","warnings","files","recommendations"?} after the problems.
            """)

    @Flag(name: .long, help: "Compare the objects and fields with those of the server.")
    var server = false

    @OptionGroup var options: GlobalOptions

    func perform(_ console: Console) async throws {
        let folder = configuration()
        var problems = folder.problems
        if server, problems.allSatisfy({ $0.severity == .warning }) {
            problems += try await folder.serverProblems(
                user: options.storeUser, credentialStore: folder.standardCredentialStore)
        }
        if await folder.hasSavedSession(options.clientOptions) {
            problems.removeAll(where: ConfigurationFolder.isMissingLogin)
        }
        let errors = problems.count { $0.severity == .error }
        for problem in problems { console.report(problem, in: folder, warningsAreResults: true) }
        let recommendations = errors > 0 ? [] : await folder.recommendations(registry: ToolPlugins.registry)
        var event: JSONObject = [
            "valid": .bool(errors == 0), "errors": .int(Int64(errors)),
            "warnings": .int(Int64(problems.count - errors)), "files": .array(folder.files.map { .string($0) }),
        ]
        if !recommendations.isEmpty { event["recommendations"] = .array(recommendations.map { .string($0) }) }
        console.event(.object(event))
        if errors > 0 {
            console.info(
                "\(Self.count(of: errors, "error")), \(Self.count(of: problems.count - errors, "warning"))")
            throw ExitCode(1)
        }
        console.print(
            "\(folder.files.joined(separator: ", ")): no errors, \(Self.count(of: problems.count, "warning"))")
        for recommendation in recommendations { console.info("Recommendation: \(recommendation)") }
    }

    private static func count(of number: Int, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }
}

#endif
