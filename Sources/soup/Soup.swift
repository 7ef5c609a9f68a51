// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools

internal import ArgumentParser
internal import CMalloc
internal import Foundation
internal import Logging
internal import SoupKit

/// The command line.
@main
struct Soup: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "soup",
        abstract: "Soups of JSON records on this machine, synced with an org.",
        discussion: """
            Every command reads the configuration in the folder that --config names: userstore.json and usersyncs.json \
            as apps of the mobile SDKs carry them, and org.json, which says where the server is. SOUP_INSTANCE_URL and \
            SOUP_ACCESS_TOKEN win over org.json.

            Exit codes: 0 the work was done, 1 it failed or a record did, 2 the command was not understood.
            """,
        version: "0.1.0",
        groupedSubcommands: [
            CommandGroup(name: "Start here:", subcommands: [Demo.self, Org.self, Validate.self]),
            CommandGroup(
                name: "Sync:",
                subcommands: [
                    Sync.self, Status.self, CleanGhosts.self, Failures.self, Conflicts.self, Resolve.self,
                ]),
            CommandGroup(name: "Look:", subcommands: [Soups.self, Describe.self, Query.self, Retrieve.self]),
            CommandGroup(
                name: "Change:", subcommands: [Create.self, Edit.self, Delete.self, Discard.self, Upsert.self]),
            CommandGroup(name: "Keep:", subcommands: [Stats.self, Compact.self, Stores.self]),
            CommandGroup(name: "Migrate:", subcommands: [Plan.self, Migrate.self]),
            CommandGroup(
                name: "Plug-ins:", subcommands: [Targets.self, Backends.self, Transports.self, PlayCases.self]),
        ])

    static func main() async {
        let arguments = Array(CommandLine.arguments.dropFirst())
        let console = Console(json: arguments.contains("--json"))
        // Standard error is for what a command has to say.
        LoggingSystem.bootstrap { _ in SwiftLogNoOpLogHandler() }
        #if canImport(Glibc)
        // Pages go back to the system at once. Left alone, the library keeps blocks of up to the largest size that
        // was ever freed, and a long sync takes a third more memory.
        mallopt(M_MMAP_THRESHOLD, 128 << 10)
        #endif
        // A reader that goes away, as `head` does, must not end a sync in the middle.
        signal(SIGPIPE, SIG_IGN)
        if let position = firstArgumentThatIsNotUTF8 {
            console.fail(
                SoupError(
                    "badArgument", "argument \(position) is not valid UTF-8",
                    hint: "Give it as UTF-8; a shell whose locale is UTF-8 does that."))
            Foundation.exit(2)
        }
        let command: any ParsableCommand
        do {
            command = try parseAsRoot(GlobalOptions.movedBehindCommand(arguments))
        } catch {
            leave(notUnderstood: error, console)
        }
        do {
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                var command = command
                try command.run()
            }
        } catch let error as ExitCode {
            Foundation.exit(error.rawValue)
        } catch  where exitCode(for: error) != .failure {
            // Help that was asked for, or arguments that make no sense together: the own errors of the parser.
            leave(notUnderstood: error, console)
        } catch {
            console.fail(error)
            Foundation.exit(1)
        }
    }

    /// The position of the first argument whose bytes are not UTF-8, counted from 1.
    ///
    /// Swift replaces such bytes by U+FFFD, and a command would store that.
    private static var firstArgumentThatIsNotUTF8: Int? {
        (1..<max(1, Int(CommandLine.argc))).first { position in
            CommandLine.unsafeArgv[position].map { String(validatingCString: $0) == nil } ?? false
        }
    }

    /// Prints help that was asked for, or what is wrong with the arguments, and ends the process.
    private static func leave(notUnderstood error: any Error, _ console: Console) -> Never {
        guard exitCode(for: error) != .success else {
            Console.write(fullMessage(for: error) + "\n", to: .standardOutput)
            Foundation.exit(0)
        }
        if console.isJSON {
            console.fail(SoupError("usage", message(for: error), hint: "soup --help lists the commands."))
        } else {
            Console.write(fullMessage(for: error) + "\n", to: .standardError)
        }
        Foundation.exit(2)
    }
}

#else

internal import Foundation

/// What is left of the command line without the package trait that it needs.
@main
enum Soup {
    static func main() {
        FileHandle.standardError.write(Data("soup was built without the package trait Tools, which it needs\n".utf8))
        Foundation.exit(2)
    }
}

#endif
