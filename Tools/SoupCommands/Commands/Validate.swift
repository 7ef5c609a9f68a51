// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools

internal import ArgumentParser
internal import SoupKit

/// The command `soup validate`.
struct Validate: SoupCommand {
    static let configuration = CommandConfiguration(
        abstract: "Check the configuration files and list every problem with its place.",
        discussion: """
            Nothing is opened or created. Exits 1 when there is an error; warnings alone do not count.

            With --server the server is asked, too, when there is no error so far: whether it has the objects and fields \
            that the syncs name, and whether the user may write those that they send. One request for each object. What stands \
            in conditions of queries only the run of the sync shows.
            """)

    @Flag(name: .long, help: "Compare the objects and fields with those of the server.")
    var server = false

    @OptionGroup var options: GlobalOptions

    func perform(_ console: Console) async throws {
        let folder = configuration()
        var problems = folder.problems
        if server, problems.allSatisfy({ $0.severity == .warning }) { problems += try await folder.serverProblems() }
        let errors = problems.count { $0.severity == .error }
        for problem in problems { console.report(problem, in: folder, warningsAreResults: true) }
        console.event([
            "valid": .bool(errors == 0), "errors": .int(Int64(errors)),
            "warnings": .int(Int64(problems.count - errors)), "files": .array(folder.files.map { .string($0) }),
        ])
        if errors > 0 {
            console.remark(
                "\(Self.count(of: errors, "error")), \(Self.count(of: problems.count - errors, "warning"))")
            throw ExitCode(1)
        }
        console.say("\(folder.files.joined(separator: ", ")): no errors, \(Self.count(of: problems.count, "warning"))")
    }

    private static func count(of number: Int, _ what: String) -> String { "\(number) \(what)\(number == 1 ? "" : "s")" }
}

#endif
