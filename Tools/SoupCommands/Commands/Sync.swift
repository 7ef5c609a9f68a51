// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools

internal import ArgumentParser
internal import SoupKit

/// The command `soup sync`.
struct Sync: SoupCommand {
    static let configuration = CommandConfiguration(
        abstract: "Run named syncs, one after the other.",
        discussion: """
            With --json prints {"event":"state","sync":{...}} whenever the state of a sync changes, and \
            {"event":"outcome","soup","entryId","id","action","result","error"?} for every record that was pushed. A run \
            that used a bulk job ends with {"event":"job","name","job"}, whose job is "used" or "lost".

            Behind each sync stands what became of its records. Of trees those of all kinds count, each once; the size in \
            the state of a sync is the number of the roots.

            Exits 1 when a sync failed or was stopped, and when a record was refused, is in conflict or nobody knows what \
            became of it; the syncs behind it are not run then. What was saved stays: run it again to go on.

            With --watch it does not end: all syncs run at once, then whenever entries that a sync up sends were changed \
            here, and at the latest after --every seconds. What fails is told and tried again in the next round. Each \
            round says when it begins and ends; one that brings no news says nothing, and what fails again in the same way \
            is told again only when something was changed here. With --json prints \
            {"event":"round","number","startTime","hasChanges","endTime"?} when a round begins and when it ends, and repeats \
            what fails. End it with Control-C. It ends by itself, with exit code 1, when the \
            session is over and cannot be renewed: no later round could do better. What was changed here waits until it is \
            started again with another token.
            """)

    @Argument(help: "The names of the syncs, in the order in which they run.")
    var names: [String]

    @Flag(
        name: .long,
        help: "Take the syncs from usersyncs.json again, as if they had never run; the entries they brought stay.")
    var renew = false

    @Flag(name: .long, help: "Go on running them: when something was changed here, and from time to time.")
    var watch = false

    @Option(
        name: .long,
        help: ArgumentHelp("With --watch: at the latest after so many seconds; 60 by default.", valueName: "seconds"))
    var every: Int?

    @OptionGroup var options: GlobalOptions

    func validate() throws {
        guard let every else { return }
        guard watch else { throw ValidationError("--every goes with --watch.") }
        guard (1...86_400).contains(every) else { throw ValidationError("--every takes from 1 to 86400 seconds.") }
    }

    func perform(_ console: Console) async throws {
        let kit = try await options.open()
        if renew { try await redefine(console, kit) }
        if !renew { options.reportDrift(of: kit, for: names, console) }
        options.reportMissingLogin(of: kit, console)
        // Before the first one runs: a name that is misspelt should cost nothing.
        for name in names { try await options.requireSync(named: name, in: kit) }
        if watch { return try await goOn(console, kit) }
        for (position, name) in names.enumerated() {
            do {
                try await run(name, console, kit)
            } catch {
                let left = names[(position + 1)...].joined(separator: ", ")
                if !left.isEmpty {
                    console.note("not run, because of \(name): \(left)", hint: "name them alone to run them")
                }
                throw error
            }
        }
    }

    /// Runs a sync to its end.
    ///
    /// - Throws: what it failed with, and the error of a run that left records behind.
    private func run(_ name: String, _ console: Console, _ kit: SoupClient) async throws {
        try Task.checkCancellation()
        let run = try await options.whenFree(console) { try await kit.syncs.reSync(named: name) }
        let report = RunReport(console)
        // Not a child of this task: a run that is cancelled still has its last state to tell.
        let reading = Task { await report.follow(run.events) }
        let result = try await withTaskCancellationHandler {
            await reading.value
            return try await Task { try await run.result() }.value
        } onCancel: {
            run.cancel()
        }
        report.conclude(result)
        if let error = result.error {
            throw result.state.isWaitingForLogin ? Self.afterLogin(error, "run it again") : error
        }
        guard result.isComplete else { throw report.shortfall(of: result, name: name) }
    }

    /// Runs the syncs again and again, until the program is told to end.
    private func goOn(_ console: Console, _ kit: SoupClient) async throws {
        do {
            let log = WatchLog(console)
            try await kit.syncs.watch(names, every: Int64(every ?? 60) * 1000, onRound: log.note) { run in
                let report = RunReport(console, remembering: log)
                await report.follow(run.events)
                guard let result = try? await run.result() else { return }
                report.conclude(result)
                guard let error = result.error else { return }
                guard result.state.isWaitingForLogin else { return report.fail(error) }
                throw Self.afterLogin(error, "start it again")
            }
        } catch is CancellationError {
            // To be told to end is the way in which this ends.
        }
    }

    /// The error of a session that is over, with what to do about it here.
    private static func afterLogin(_ error: SoupError, _ again: String) -> SoupError {
        var error = error
        let hint =
            "Nothing is lost: log in, put the new token into \(ConfigurationFolder.tokenVariable) or "
            + "\(ConfigurationFolder.orgFile), and \(again)."
        error.hint = [error.hint, hint].compactMap { $0 }.joined(separator: " ")
        return error
    }

    /// Gives the syncs that are to run the definitions of the file.
    ///
    /// - Throws: ``SoupError`` with `syncNotFound` for a name that the file does not have, before anything is changed.
    private func redefine(_ console: Console, _ kit: SoupClient) async throws {
        let file = options.scope.syncsFile
        let definitions = try names.map { name in
            let definition = kit.configuration[options.scope].syncs?.syncs.first { $0.name == name }
            guard let definition else {
                throw SoupError(
                    .syncNotFound, "\(file) has no sync named \"\(name)\"", place: Place(file: file),
                    hint: "Only a sync of the file can be renewed.")
            }
            return definition
        }
        for definition in definitions {
            _ = try await options.whenFree(console) { try await kit.syncs.redefine(definition) }
        }
    }
}

#endif
