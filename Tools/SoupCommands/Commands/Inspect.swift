// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools

internal import ArgumentParser
internal import Foundation
internal import SoupBridge
internal import SoupBridgeServer
internal import SoupKit

/// The command `soup inspect`.
struct Inspect: SoupCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show the store in a local web page: soups, entries, queries, local changes, conflicts and syncs.",
        discussion: """
            Listens on this machine only, and prints the URL of the page, which contains a secret. The page only reads, \
            unless --write is given: then it can also resolve conflicts, discard local changes and run syncs.

            With --json prints {"url","secret"} when the page can be opened.
            """)

    @OptionGroup var options: GlobalOptions

    @Option(name: .long, help: "The port; 0 for any free port.")
    var port = 0

    @Flag(name: .long, help: "Let the page resolve conflicts, discard local changes and run syncs.")
    var write = false

    func validate() throws {
        guard (0...65_535).contains(port) else { throw ValidationError("Give a port from 0 to 65535.") }
    }

    func perform(_ console: Console) async throws {
        let options = try storeOptions()
        let name = BridgeStoreName(
            self.options.store.map { URL(filePath: $0).lastPathComponent } ?? BridgeStoreName.standard,
            isGlobal: options.global)
        guard write else {
            let store = try await options.openStore(registersSoups: false)
            return try await serve(BridgeStore(store: store, syncs: nil), as: name, console)
        }
        let kit = try await options.open()
        try await serve(BridgeStore(store: kit.store, syncs: kit.syncs), as: name, console)
        // The command was interrupted: close the store in a task that is not cancelled.
        try await Task { try await kit.close() }.value
    }

    /// Returns the options, with the file that `soup bridge` creates in a folder without configuration files.
    private func storeOptions() throws -> GlobalOptions {
        var options = options
        let configuration = ConfigurationFolder(
            reading: options.folder, registry: ToolPlugins.registry, environment: [:])
        guard options.store == nil, configuration[options.scope].files.isEmpty else { return options }
        let file = try options.stores.file(in: options.scope)
        if FileManager.default.fileExists(atPath: file.filePath) { options.store = file.filePath }
        return options
    }

    private func serve(_ store: BridgeStore, as name: BridgeStoreName, _ console: Console) async throws {
        ProcessMemory.keepFreedPages()
        let secret = BridgeEndpoint.newSecret()
        let endpoint = BridgeEndpoint.inspector(of: store, named: name, isWritable: write, secret: secret)
        try await endpoint.serve(port: port) { url in
            console.event(["url": .string("\(url)/#\(secret)"), "secret": .string(secret)])
            console.print("Open \(url)/#\(secret)")
        }
    }
}

#endif
