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
            A sync up runs after those that create the records to which its records refer, and again if its records \
            have to wait for others.

            With --json prints {"event":"state","sync":{...}} whenever the state of a sync changes, and \
            {"event":"outcome","soup","entryId","id","action","result","error"?,"omittedFields"?} for every record that was pushed. A run \
            that used a bulk job ends with {"event":"job","name","job"}, whose job is "used" or "lost".

            The line of a sync counts its records by outcome. For record trees it counts the records of all levels, each \
            once; the size in the state of a sync is the number of root records.

            Exits 1 if a sync failed or was stopped, or if a record was refused, is in conflict or has an unknown outcome; \
            the remaining syncs are not run then. Saved records are kept: run the command again to continue.

            With --dry-run, no sync runs: nothing is written to the store or the server. Prints the first request of a sync down, \
            and the number of records if the server can count them; for a sync up each local change, whether it would be sent, \
            and its requests. The server is asked for its versions of records if the merge mode compares them. With --json \
            prints {"event":"preview","sync","requests","count"?,"records","error"?} for each sync. Exits 1 if this shows that a \
            sync would not complete. soup doctor also fetches the first page.

            With --watch the command runs until it is interrupted: all syncs run at once, then whenever entries that a sync \
            up sends were changed locally, and at the latest after --every seconds, or up to ten times as long while the \
            requests approach the limit of org.json. Failures are reported, and the next \
            round retries them. Each round prints when it begins and ends. A round without changes prints nothing, and a \
            failure that repeats is reported again only after a local change. With --json prints \
            {"event":"round","number","startTime","hasChanges","endTime"?} at the start and at the end of every round, and \
            every failure. Press Control-C to end the command. If the session has expired and cannot be renewed, the \
            command ends with exit code 1. Local changes are kept; start the command again with a new token to send them.
            """)

    @Argument(help: "The names of the syncs, in the order in which they run; sync ups may change places.")
    var names: [String]

    @Flag(
        name: .long,
        help: "Replace the syncs by their definitions in usersyncs.json and start them again; entries are kept.")
    var renew = false

    @Option(
        name: .long,
        help: ArgumentHelp(
            "First let the sync downs go back to a time, as soup rewind does: \(TimeArgument.help).", valueName: "time")
    )
    var since: TimeArgument?

    @Flag(
        name: .long,
        help: "Show what the syncs would do, and do nothing: the requests, and for a sync up each local change.")
    var dryRun = false

    @Flag(name: .long, help: "Keep running the syncs: after each local change, and at regular intervals.")
    var watch = false

    @Option(
        name: .long,
        help: ArgumentHelp("With --watch: the longest interval in seconds; 60 by default.", valueName: "seconds"))
    var every: Int?

    @OptionGroup var options: GlobalOptions

    func validate() throws {
        if since != nil && renew { throw ValidationError("Use either --since or --renew.") }
        if dryRun && (renew || watch || since != nil) {
            throw ValidationError("Use --dry-run without --renew, --watch and --since.")
        }
        guard let every else { return }
        guard watch else { throw ValidationError("--every requires --watch.") }
        guard (1...86_400).contains(every) else {
            throw ValidationError("Give a number of seconds from 1 to 86400 for --every.")
        }
    }

    func perform(_ console: Console) async throws {
        if dryRun { return try await preview(console) }
        let kit = try await options.open()
        if renew { try await redefine(console, kit) }
        if !renew { options.reportDrift(of: kit, for: names, console) }
        await options.reportMissingLogin(of: kit, console)
        // Check all names first, so that no sync runs if one is misspelt.
        for name in names { try await options.requireSync(named: name, in: kit) }
        let syncs = try await kit.syncs.syncs().filter { $0.name.map(names.contains) ?? false }
        console.noteSoupsInMemory(syncs.map(\.definition.soup), of: kit.store)
        if let since {
            for sync in syncs where sync.definition.type == .syncDown {
                _ = try await options.retryingWhileSyncsRun(console) {
                    try await kit.syncs.rewind(named: sync.name ?? "", to: since.time)
                }
            }
        }
        if watch { return try await watchSyncs(console, kit) }
        try await runAll(in: kit, on: console)
    }

    /// Runs the syncs one after the other, sync ups in the order that their references require.
    private func runAll(in kit: SoupClient, on console: Console) async throws {
        var sequence = try await kit.syncs.sequence(of: names)
        var rest = names
        // The last results of the syncs whose records wait for those of other syncs.
        var waiting: [String: SyncResult] = [:]
        while let name = sequence.next() {
            rest.removeAll { $0 == name }
            do {
                let result = try await run(name, in: kit, on: console)
                sequence.finished(name, result)
                waiting[name] = result.isComplete ? nil : result
            } catch {
                let remaining = rest.joined(separator: ", ")
                if !remaining.isEmpty {
                    console.note(
                        "not run, because of \(name): \(remaining)", hint: "Run soup sync with these names to run them."
                    )
                }
                throw error
            }
        }
        guard let name = names.first(where: { waiting[$0] != nil }), let result = waiting[name] else { return }
        throw RunPrinter.incompleteRunError(result, name: name)
    }

    /// Prints what the syncs would do.
    ///
    /// - Throws: an error if one of them would not complete.
    private func preview(_ console: Console) async throws {
        let (previews, configuration) = try await SoupClient.previews(
            of: names, at: options.folder, options: options.clientOptions)
        let printer = PreviewPrinter(console: console, configuration: configuration)
        let incomplete = previews.filter { !printer.print($0) }.compactMap(\.definition.name)
        guard incomplete.isEmpty else {
            throw SoupError(
                "incomplete", "would not complete: \(incomplete.joined(separator: ", "))",
                hint: "The lines above name the reasons.")
        }
    }

    /// Runs a sync to its end.
    ///
    /// - Throws: the error of the run; an error if the run did not complete all records, unless only those are left
    ///   that wait for other syncs.
    private func run(_ name: String, in kit: SoupClient, on console: Console) async throws -> SyncResult {
        try Task.checkCancellation()
        let run = try await options.retryingWhileSyncsRun(console) { try await kit.syncs.reSync(named: name) }
        let printer = RunPrinter(console)
        // Not a child of this task, because a cancelled run still reports its last state.
        let reading = Task { await printer.printEvents(run.events()) }
        let result = await withTaskCancellationHandler {
            await reading.value
            return await run.result
        } onCancel: {
            run.cancel()
        }
        printer.print(result)
        if let error = result.error {
            throw result.state.isWaitingForLogin ? Self.addingLoginHint(to: error, of: result, "run it again") : error
        }
        guard result.isComplete || result.waitsOnly else { throw RunPrinter.incompleteRunError(result, name: name) }
        return result
    }

    /// Runs the syncs repeatedly until the process is interrupted.
    private func watchSyncs(_ console: Console, _ kit: SoupClient) async throws {
        do {
            let log = WatchLog(console)
            try await kit.syncs.watch(names, every: .seconds(every ?? 60), onRound: log.note) { run in
                let printer = RunPrinter(console, skippingRepetitionsIn: log)
                await printer.printEvents(run.events())
                let result = await run.result
                printer.print(result)
                guard let error = result.error else { return }
                guard result.state.isWaitingForLogin else { return printer.print(error) }
                throw Self.addingLoginHint(to: error, of: result, "start it again")
            }
        } catch is CancellationError {
            // An interruption is the normal end of a watch.
        }
    }

    /// Returns the error of an expired session, with a hint about the next login.
    private static func addingLoginHint(to error: SoupError, of result: SyncResult, _ again: String) -> SoupError {
        var error = error
        let connection = result.state.definition.target.json["connection"]?.stringValue
        let login =
            connection.map { "Correct the credentials of the connection \"\($0)\" in \(ConfigurationFolder.orgFile)" }
            ?? "Log in, put the new token into \(ConfigurationFolder.tokenVariable) or \(ConfigurationFolder.orgFile)"
        let hint = "\(login), and \(again). Local changes are kept."
        error.hint = [error.hint, hint].compactMap { $0 }.joined(separator: " ")
        return error
    }

    /// Replaces the syncs to run by their definitions in the file.
    ///
    /// - Throws: ``SoupError`` with `syncNotFound` for a name that is not in the file, before any sync is replaced.
    private func redefine(_ console: Console, _ kit: SoupClient) async throws {
        let file = options.scope.syncsFile
        let definitions = try names.map { name in
            let definition = kit.configuration[options.scope].syncs?.syncs.first { $0.name == name }
            guard let definition else {
                throw SoupError(
                    .syncNotFound, "\(file) has no sync named \"\(name)\"", place: SoupError.Place(file: file),
                    hint: "Omit --renew, or add the sync to the file: --renew is only for syncs of the file.")
            }
            return definition
        }
        for definition in definitions {
            _ = try await options.retryingWhileSyncsRun(console) { try await kit.syncs.redefine(definition) }
        }
    }
}

#endif
