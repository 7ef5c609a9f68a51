// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools

internal import ArgumentParser
internal import Foundation
internal import SoupLocalOrg
internal import SoupKit

/// The command `soup org`.
struct Org: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Run a local org on this machine.",
        subcommands: [OrgServe.self, OrgRoutes.self, OrgImportDescribe.self])
}

/// The command `soup org serve`.
struct OrgServe: AsyncParsableCommand, Sendable {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Serve the local org until the process is interrupted.",
        discussion: """
            Prints {"url","accessToken"} when the org is ready: its URL, and a token for requests. The org listens on this \
            machine only. Its data is lost when it ends, unless --state gives a file. The next start with that file \
            continues with the same data and the same tokens, and ignores the seed. Options and faults are not saved. \
            Tools/SoupLocalOrg/README.md links to the description of seed files.

            With --faults the org simulates failures from the start: lost responses, expired tokens, failed records. The \
            README also links to the format of a rule; with --admin a request can contain its own rule in the header \
            X-Emu-Fault.

            With --tls the org uses HTTPS, and prints {"url","accessToken","certificate"}: the file with the certificate \
            that clients must trust, for example by REQUESTS_CA_BUNDLE. The file is removed when the org ends. On Linux \
            configure soup in org.json: \
            {"transport": {"type": "curl", "certificateFile": "/tmp/soup-org-.../certificate.pem"}}. For programs that \
            cannot trust a file, --http-port serves the same org over HTTP, and its URL is printed as "httpUrl".
            """)

    @Option(name: .long, help: "The port; 0 for any free port.")
    var port = 0

    @Option(
        name: .long,
        help: ArgumentHelp(
            "The initial records: tiny, medium, \"large 100000\", or a JSON file.", valueName: "name or file"))
    var seed: String?

    @Option(name: .long, help: ArgumentHelp("Save the org in this file.", valueName: "file"))
    var state: String?

    @Flag(name: .long, help: "Serve /_emu/..., which tests use to reset and edit the org and to inject faults.")
    var admin = false

    @Flag(name: .long, help: "Require clients' secrets, and check the signatures of logins.")
    var strictGrants = false

    @Option(
        name: .long,
        help: ArgumentHelp("The faults to simulate from the start: a JSON file with rules.", valueName: "file"))
    var faults: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Accept requests for this host name, such as host.docker.internal; can be repeated.",
            valueName: "name"))
    var allowHost: [String] = []

    @OptionGroup var tls: OrgTLSOptions

    @Flag(name: .long, help: "Print only JSON, also on standard error.")
    var json = false

    func validate() throws {
        guard (0...65_535).contains(port) else { throw ValidationError("Give a port from 0 to 65535.") }
        guard state != "" else { throw ValidationError("Give --state the name of a file.") }
    }

    func run() async throws {
        let command = self
        do {
            try await Interruption.run { try await command.serve(on: Console(json: command.json)) }
        } catch is CancellationError {
            // Interrupted before the org was ready: not an error.
        }
    }

    private func serve(on console: Console) async throws {
        var options = OrgOptions()
        options.admin = admin
        options.strictGrants = strictGrants
        options.stateFile = state.map { URL(filePath: $0) }
        options.allowedHosts = allowHost
        let faults = try faults.map { try Self.faults($0) } ?? []
        let tls = try tls.prepared()
        defer { tls?.remove() }
        let org = try LocalOrg(seed: try Self.seed(seed ?? "medium"), options: options)
        if !org.isFromSeed, let state {
            console.info("The org continues from \(state)." + (seed == nil ? "" : " The seed is ignored."))
        }
        for fault in faults { org.add(fault) }
        guard let httpPort = self.tls.httpPort else {
            return try await org.serve(port: port, certificate: tls?.certificate) { url in
                Self.printAddress(of: org, url: url, tls: tls, on: console)
            }
        }
        try await Self.serveOverHTTP(org, httpPort: httpPort) { httpURL in
            try await org.serve(port: port, certificate: tls?.certificate) { url in
                Self.printAddress(of: org, url: url, tls: tls, httpURL: httpURL, on: console)
            }
        }
    }

    /// Serves an org over plain HTTP, calls `body` when that is ready, and returns when either of them ends.
    private static func serveOverHTTP(
        _ org: LocalOrg, httpPort: Int, _ body: @escaping @Sendable (_ httpURL: String) async throws -> Void
    ) async throws {
        let (urls, ready) = AsyncStream.makeStream(of: String.self)
        try await withThrowingTaskGroup { group in
            group.addTask {
                defer { ready.finish() }
                try await org.serve(port: httpPort) { ready.yield($0) }
            }
            // Start HTTPS second: the server that starts last sets the instance URL of the token responses.
            group.addTask {
                guard let url = await urls.first(where: { _ in true }) else { return }
                try await body(url)
            }
            // The second task also ends if the first one cannot start; then throw the error of the first one.
            defer { group.cancelAll() }
            try await group.next()
            group.cancelAll()
            try await group.waitForAll()
        }
    }

    private static func printAddress(
        of org: LocalOrg, url: String, tls: OrgTLSOptions.Prepared?, httpURL: String? = nil, on console: Console
    ) {
        var line: JSONObject = ["url": .string(url), "accessToken": .string(org.accessToken)]
        if let path = tls?.path { line["certificate"] = .string(path) }
        if let httpURL { line["httpUrl"] = .string(httpURL) }
        if let text = try? JSONText(.object(line)) { console.emit(text) }
        console.info("export SOUP_INSTANCE_URL=\(httpURL ?? url) SOUP_ACCESS_TOKEN='\(org.accessToken)'")
        if let path = tls?.path { console.info("export REQUESTS_CA_BUNDLE='\(path)'") }
    }

    /// Reads the rules of a file.
    private static func faults(_ path: String) throws -> [OrgFault] {
        guard let contents = FileManager.default.contents(atPath: path) else {
            throw SoupError(
                .badConfiguration, "the file of faults \"\(path)\" cannot be read",
                hint: "Check the path, and that you have permission to read the file.")
        }
        return try OrgFault.rules(json: Array(contents), file: path)
    }

    /// Returns the built-in seed with a name, or reads the seed from a file.
    static func seed(_ name: String) throws -> OrgSeed {
        if let seed = OrgSeed(named: name) { return seed }
        guard let contents = FileManager.default.contents(atPath: name) else {
            throw SoupError(
                .badConfiguration, "\"\(name)\" is neither a seed nor a file that can be read",
                hint: "Give a seed file, or one of the seeds tiny, medium and \"large N\".")
        }
        return try OrgSeed(json: Array(contents), file: name)
    }
}

/// The command `soup org routes`.
struct OrgRoutes: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "routes", abstract: "List the verbs and paths that the local org answers.",
        discussion: """
            Segments in braces match any text. The paths below /_emu are answered with soup org serve --admin only. With \
            --json each route is an object with method, path and handler, the type in Tools/SoupLocalOrg that answers.
            """)

    @Flag(name: .long, help: "Print one JSON object a line.")
    var json = false

    func run() throws {
        let console = Console(json: json)
        var table = TextTable(["method", "path", "handler"])
        for route in LocalOrg.routes {
            console.event([
                "method": .string(route.method), "path": .string(route.path), "handler": .string(route.handler),
            ])
            table.add([route.method, route.path, route.handler])
        }
        console.table(table, ifEmpty: "the local org has no routes")
    }
}

#endif
