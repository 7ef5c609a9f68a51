// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools

internal import ArgumentParser
internal import CSoupMalloc
internal import Foundation
internal import Logging
internal import SoupKit

/// The command line `soup`, as a library.
public enum CommandLineTool {
    /// Runs the command that the arguments of the process name, and exits with its code.
    ///
    /// Exit codes: 0 for success, 1 if the command or a record failed, 2 for arguments that are not valid.
    public static func main() async {
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
            command = try RootCommand.parseAsRoot(GlobalOptions.movedBehindCommand(arguments))
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
        } catch  where RootCommand.exitCode(for: error) != .failure {
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
        guard RootCommand.exitCode(for: error) != .success else {
            Console.write(RootCommand.fullMessage(for: error) + "\n", to: .standardOutput)
            Foundation.exit(0)
        }
        if console.isJSON {
            console.fail(SoupError("usage", RootCommand.message(for: error), hint: "soup --help lists the commands."))
        } else {
            Console.write(RootCommand.fullMessage(for: error) + "\n", to: .standardError)
        }
        Foundation.exit(2)
    }
}

#else

internal import Foundation

/// The command line `soup`, in a build without the package trait that it needs.
public enum CommandLineTool {
    /// Reports the missing trait, and exits with 2.
    public static func main() async {
        let message = """
            soup was built without the package trait Tools.
              Build it with: swift build --traits Tools,Server,TLS

            """
        FileHandle.standardError.write(Data(message.utf8))
        Foundation.exit(2)
    }
}

#endif
