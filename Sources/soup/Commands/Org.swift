// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools

internal import ArgumentParser
internal import Foundation
internal import LocalOrg
internal import SoupKit

/// The command `soup org`.
struct Org: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "An org of your own, on this machine.", subcommands: [OrgServe.self])
}

/// The command `soup org serve`.
struct OrgServe: AsyncParsableCommand, Sendable {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Serve the local org until it is told to end.",
        discussion: """
            Prints {"url","accessToken"} as soon as it answers: where it is, and a token that lets you in. It listens on this \
            machine only and keeps nothing when it ends. How to write a seed file is told in Sources/LocalOrg/README.md.
            """)

    @Option(name: .long, help: "The port; 0 takes any that is free.")
    var port = 0

    @Option(
        name: .long,
        help: ArgumentHelp("What is in it: tiny, medium, \"large 100000\", or a JSON file.", valueName: "name or file"))
    var seed = "medium"

    @Flag(name: .long, help: "Offer /_emu/..., with which tests reset, edit and break the org.")
    var admin = false

    @Flag(name: .long, help: "Nothing but JSON, on standard error too.")
    var json = false

    func validate() throws {
        guard (0...65_535).contains(port) else { throw ValidationError("Ports go from 0 to 65535.") }
    }

    func run() async throws {
        let console = Console(json: json)
        var options = OrgOptions()
        options.admin = admin
        let org = try LocalOrg(seed: try Self.seed(seed), options: options)
        let port = port
        try await Interruption.run {
            try await org.serve(port: port) { url in
                let line: JSONValue = ["url": .string(url), "accessToken": .string(org.accessToken)]
                if let text = try? JSONText(line) { console.emit(text) }
                console.remark("export SOUP_INSTANCE_URL=\(url) SOUP_ACCESS_TOKEN='\(org.accessToken)'")
            }
        }
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
