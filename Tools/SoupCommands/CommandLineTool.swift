// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools

internal import ArgumentParser
internal import Foundation
internal import Logging
public import SoupKit

/// The command line `soup`, as a library: an executable of your own has all commands, and your plug-ins.
///
/// ```swift
/// import MyTargets
/// import SoupCommands
///
/// @main
/// enum MySoup {
///     static func main() async { await CommandLineTool.main(adding: [MyTargetsModule()]) }
/// }
/// ```
public enum CommandLineTool {
    /// Runs the command given by the process arguments, and exits with its exit code.
    ///
    /// Exit codes: 0 for success, 1 if the command or a record failed, or a module cannot be registered or loaded, 2
    /// for invalid arguments.
    ///
    /// - Parameter modules: the plug-ins beside those of `PluginRegistry.standard`. The configuration files can name
    ///   them, and `soup targets`, `soup backends`, `soup resolvers`, `soup transforms` and `soup transports` list
    ///   them.
    /// - Parameter observer: measures the syncs, such as `SyncTelemetry`; nil for none.
    public static func main(adding modules: [any PluginModule] = [], observer: (any SyncObserver)? = nil) async {
        let arguments = Array(CommandLine.arguments.dropFirst())
        let console = Console(json: arguments.contains("--json"))
        prepareProcess()
        if let position = firstArgumentThatIsNotUTF8 {
            console.report(
                SoupError(
                    "badArgument", "argument \(position) is not valid UTF-8",
                    hint: "Pass the argument as UTF-8, for example from a shell with a UTF-8 locale."))
            Foundation.exit(2)
        }
        let command: any ParsableCommand
        do {
            command = try RootCommand.parseAsRoot(GlobalOptions.movedBehindCommand(arguments))
        } catch {
            exit(withParserError: error, console)
        }
        do {
            let libraries = try (command as? any PluginUser)?.loadPlugins() ?? []
            let registry = try ToolPlugins.registry(adding: modules, libraries: libraries)
            try await ToolPlugins.$observer.withValue(observer) {
                try await ToolPlugins.$registry.withValue(registry) { try await run(command) }
            }
        } catch let error as ExitCode {
            Foundation.exit(error.rawValue)
        } catch  where RootCommand.exitCode(for: error) != .failure {
            // An error of the parser: a request for help, or arguments that do not fit together.
            exit(withParserError: error, console)
        } catch {
            console.report(error)
            Foundation.exit(1)
        }
    }

    private static func run(_ command: any ParsableCommand) async throws {
        if var command = command as? any AsyncParsableCommand { return try await command.run() }
        var command = command
        try command.run()
    }

    private static func prepareProcess() {
        // Standard error is reserved for the commands' own messages.
        LoggingSystem.bootstrap { _ in SwiftLogNoOpLogHandler() }
        ProcessMemory.returnFreedPages()
        // A sync must run to its end even if the reader of its output, such as `head`, exits early.
        signal(SIGPIPE, SIG_IGN)
    }

    /// The position of the first argument whose bytes are not UTF-8, counted from 1.
    ///
    /// Swift replaces such bytes with U+FFFD, and a command would store the replacement.
    private static var firstArgumentThatIsNotUTF8: Int? {
        (1..<max(1, Int(CommandLine.argc))).first { position in
            CommandLine.unsafeArgv[position].map { String(validatingCString: $0) == nil } ?? false
        }
    }

    /// Prints the requested help or the error in the arguments, and exits.
    private static func exit(withParserError error: any Error, _ console: Console) -> Never {
        guard RootCommand.exitCode(for: error) != .success else {
            Console.write(RootCommand.fullMessage(for: error) + "\n", to: .standardOutput)
            Foundation.exit(0)
        }
        if console.isJSON {
            console.report(
                SoupError("usage", RootCommand.message(for: error), hint: "Run soup --help to list the commands."))
        } else {
            Console.write(RootCommand.fullMessage(for: error) + "\n", to: .standardError)
        }
        Foundation.exit(2)
    }
}

#else

internal import Foundation
public import SoupKit

/// The command line `soup`, in a build without the package trait `Tools`.
public enum CommandLineTool {
    /// Reports the missing trait, and exits with 2.
    public static func main(adding modules: [any PluginModule] = [], observer: (any SyncObserver)? = nil) async {
        let message = """
            soup was built without the package trait Tools.
              Build SoupKit with: swift build --traits Tools,Server,TLS
              In a package that depends on SoupKit, add the traits to the dependency: traits: ["Tools"].

            """
        FileHandle.standardError.write(Data(message.utf8))
        Foundation.exit(2)
    }
}

#endif
