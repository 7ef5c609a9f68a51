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
        abstract: "An org of your own, on this machine.", subcommands: [OrgServe.self, OrgImportDescribe.self])
}

/// The command `soup org serve`.
struct OrgServe: AsyncParsableCommand, Sendable {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Serve the local org until it is told to end.",
        discussion: """
            Prints {"url","accessToken"} as soon as it answers: where it is, and a token that lets you in. It listens on this \
            machine only, and keeps nothing when it ends unless --state names a file: the org goes on from that one at the next \
            start, with the same tokens, and a seed is only for a file that is not there yet. Options and faults are not kept. How to write a seed file is told in Tools/SoupLocalOrg/README.md.

            With --faults trouble is in place from the start: lost answers, expired tokens, failed records. The form of a rule is \
            told there too; with --admin a request can bring its own in the header X-Emu-Fault.

            With --tls it speaks https, and prints {"url","accessToken","certificate"}: the file that clients must trust, \
            as with REQUESTS_CA_BUNDLE. The file goes when the org ends. On Linux soup itself trusts it by org.json: \
            {"transport": {"type": "curl", "certificateFile": "/tmp/soup-org-.../certificate.pem"}}. Programs that cannot be \
            told to trust a file reach the same org by --http-port, at the "httpUrl" that is printed then.
            """)

    @Option(name: .long, help: "The port; 0 takes any that is free.")
    var port = 0

    @Option(
        name: .long,
        help: ArgumentHelp("What is in it: tiny, medium, \"large 100000\", or a JSON file.", valueName: "name or file"))
    var seed: String?

    @Option(name: .long, help: ArgumentHelp("Keep the org in a file.", valueName: "file"))
    var state: String?

    @Flag(name: .long, help: "Offer /_emu/..., with which tests reset, edit and break the org.")
    var admin = false

    @Flag(name: .long, help: "Ask for clients' secrets, and check the signatures of logins.")
    var strictGrants = false

    @Option(
        name: .long,
        help: ArgumentHelp("Faults that are in place from the start: a JSON file with rules.", valueName: "file"))
    var faults: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Also answer requests that name this host, such as host.docker.internal; can be repeated.",
            valueName: "name"))
    var allowHost: [String] = []

    @OptionGroup var tls: OrgTLSOptions

    @Flag(name: .long, help: "Nothing but JSON, on standard error too.")
    var json = false

    func validate() throws {
        guard (0...65_535).contains(port) else { throw ValidationError("Ports go from 0 to 65535.") }
    }

    func run() async throws {
        let command = self
        do {
            try await Interruption.run { try await command.serve(on: Console(json: command.json)) }
        } catch is CancellationError {
            // Told to end before it answered, which is as good an end as any.
        }
    }

    private func serve(on console: Console) async throws {
        var options = OrgOptions()
        options.admin = admin
        options.strictGrants = strictGrants
        options.stateFile = state
        options.allowedHosts = allowHost
        let faults = try faults.map { try Self.faults($0) } ?? []
        let tls = try tls.prepared()
        defer { tls?.remove() }
        let org = try LocalOrg(seed: try Self.seed(seed ?? "medium"), options: options)
        if !org.isFromSeed, let state {
            console.remark("The org goes on from \(state)." + (seed == nil ? "" : " The seed is not applied."))
        }
        for fault in faults { org.add(fault) }
        guard let httpPort = self.tls.httpPort else {
            return try await org.serve(port: port, certificate: tls?.certificate) { url in
                Self.tell(console, org, url, tls: tls)
            }
        }
        try await Self.serveTwice(org, httpPort: httpPort) { httpURL in
            try await org.serve(port: port, certificate: tls?.certificate) { url in
                Self.tell(console, org, url, tls: tls, httpURL: httpURL)
            }
        }
    }

    /// Serves an org on plain HTTP, and as soon as that is ready by `body` too, until either of them ends.
    private static func serveTwice(
        _ org: LocalOrg, httpPort: Int, _ body: @escaping @Sendable (_ httpURL: String) async throws -> Void
    ) async throws {
        let (urls, ready) = AsyncStream.makeStream(of: String.self)
        try await withThrowingTaskGroup { group in
            group.addTask {
                defer { ready.finish() }
                try await org.serve(port: httpPort) { ready.yield($0) }
            }
            // The other one comes later, so that its URL is the one that tokens name.
            group.addTask {
                guard let url = await urls.first(where: { _ in true }) else { return }
                try await body(url)
            }
            // The second one also ends when the first could not begin: then what the first threw is what counts.
            defer { group.cancelAll() }
            try await group.next()
            group.cancelAll()
            try await group.waitForAll()
        }
    }

    private static func tell(
        _ console: Console, _ org: LocalOrg, _ url: String, tls: OrgTLSOptions.Prepared?, httpURL: String? = nil
    ) {
        var line: JSONObject = ["url": .string(url), "accessToken": .string(org.accessToken)]
        if let path = tls?.path { line["certificate"] = .string(path) }
        if let httpURL { line["httpUrl"] = .string(httpURL) }
        if let text = try? JSONText(.object(line)) { console.emit(text) }
        console.remark("export SOUP_INSTANCE_URL=\(httpURL ?? url) SOUP_ACCESS_TOKEN='\(org.accessToken)'")
        if let path = tls?.path { console.remark("export REQUESTS_CA_BUNDLE='\(path)'") }
    }

    /// The rules of a file.
    private static func faults(_ path: String) throws -> [OrgFault] {
        guard let contents = FileManager.default.contents(atPath: path) else {
            throw SoupError(.badConfiguration, "the faults \"\(path)\" cannot be read")
        }
        return try OrgFault.rules(json: Array(contents), file: path)
    }

    /// The seed of a name, or the one that a file describes.
    static func seed(_ name: String) throws -> Seed {
        if let seed = Seed(named: name) { return seed }
        guard let contents = FileManager.default.contents(atPath: name) else {
            throw SoupError(
                .badConfiguration, "\"\(name)\" is neither a seed nor a file that can be read",
                hint: "Known seeds: tiny, medium, \"large N\".")
        }
        return try Seed(json: Array(contents), file: name)
    }
}

#endif
