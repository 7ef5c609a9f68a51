// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools

internal import ArgumentParser
internal import Foundation
internal import SoupKit

/// The command `soup test`.
struct TestCommand: SoupCommand {
    static let configuration = CommandConfiguration(
        commandName: "test",
        abstract: "Test a configuration against a local org: given rows, steps, and the expected store and org.",
        discussion: """
            Runs every *.test.json file in the folder and in its subfolder tests. Each is one test, with a new local org in \
            this process and a new temporary store: no server is contacted, org.json is only read for plug-ins, and nothing \
            is written into the folder. Time and IDs are the same in every run.

            {"org": {"seed": "tiny or a file",
                     "rows": {"Contact": [{"Id": "@ana", "Phone": "1"}]}},
             "steps": [{"sync": "contactsDown", "saved": 1},
                       {"edit": "contacts", "where": {"Id": "@ana"},
                        "fields": {"Phone": "2"}},
                       {"org": {"delete": {"Contact": ["@ana"]}}},
                       {"sync": "contactsUp", "skipped": 1}],
             "expect": {"store": {"contacts": [{"Id": "@ana", "Phone": "2"}]},
                        "org": {"Contact": []}}}

            Further steps are {"create": soup, "fields"}, {"delete": soup, "where"}, {"cleanGhosts": sync} and \
            {"expect": ...}. "@ana" stands for the ID of a record. Of an expected record only the fields that it names are \
            compared; "$any" is any value except null, and "$absent" no such field. A soup or an object must contain the \
            expected records and no others. The article Testing a configuration in the documentation of SoupKit has the details.

            Prints a line for each test, and the differences with their places in the test file. The last line is \
            "N passed, N failed". Exits 1 if a test failed or cannot be read. With --json prints \
            {"event":"test","name","file","result","differences"} for each test, and {"passed","failed"}.
            """)

    @Argument(help: ArgumentHelp("The folder with the configuration files; the same as --config.", valueName: "dir"))
    var directory: String?

    @OptionGroup var options: GlobalOptions

    /// The folder with the configuration files.
    private var folder: URL { directory.map { URL(filePath: $0) } ?? options.folder }

    var pluginFolder: URL? { folder }

    func validate() throws {
        if directory != nil && options.config != "." { throw ValidationError("Give either a folder or --config.") }
        if options.store != nil { throw ValidationError("soup test uses temporary stores. Omit --store.") }
    }

    func perform(_ console: Console) async throws {
        let suite = try TestSuite(at: folder, scope: options.scope, registry: ToolPlugins.registry)
        var printer = TestPrinter(console)
        for test in suite.tests { printer.print(test.name, in: test.file, try await suite.run(test)) }
        for (file, problems) in suite.unreadable { printer.print(file, in: file, problems.map { TestDifference($0) }) }
        printer.printSums()
        if printer.failed > 0 { throw ExitCode(1) }
    }
}

#endif
