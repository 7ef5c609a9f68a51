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
            {"event":"outcome","soup","entryId","id","action","result","error"?} for every record that was pushed.

            Exits 1 when a sync failed or was stopped, and when a record was refused or nobody knows what became of it; \
            the syncs behind it are not run then. What was saved stays: run it again to go on.
            """)

    @Argument(help: "The names of the syncs, in the order in which they run.")
    var names: [String]

    @Flag(
        name: .long,
        help: "Take the syncs from usersyncs.json again, as if they had never run; the entries they brought stay.")
    var renew = false

    @OptionGroup var options: GlobalOptions

    func perform(_ console: Console) async throws {
        let kit = try await options.open()
        if renew { try await redefine(console, kit) }
        for problem in kit.drift where !renew { console.report(problem, in: kit.configuration) }
        for name in names where try await kit.syncs.status(named: name) == nil {
            // Before the first one runs: a name that is misspelt should cost nothing.
            _ = try await kit.syncs.reSync(named: name)
        }
        for name in names {
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
            if let error = result.error { throw error }
            guard result.isComplete else { throw report.shortfall(of: result, name: name) }
        }
    }

    /// Gives the syncs that are to run the definitions of the file.
    ///
    /// - Throws: ``SoupError`` with `syncNotFound` for a name that the file does not have, before anything is changed.
    private func redefine(_ console: Console, _ kit: SoupKit) async throws {
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
