// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools

internal import ArgumentParser
internal import Foundation
internal import SoupKit

/// The options that all commands over a store have in common.
struct GlobalOptions: ParsableArguments {
    @Option(name: .long, help: ArgumentHelp("The folder with the configuration files.", valueName: "dir"))
    var config = "."

    @Option(
        name: .long,
        help: ArgumentHelp(
            "The store's file; by default the file named in the configuration, or one next to it.", valueName: "path"))
    var store: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "The user whose session and stores are used: the name of a user who is logged in, or ORG/USER with the IDs.",
            valueName: "name"))
    var user: String?

    @Flag(name: .long, help: "Use globalstore.json and globalsyncs.json.")
    var global = false

    @Flag(name: .long, help: "Print one JSON object per line, for scripts.")
    var json = false

    @OptionGroup var plugins: PluginOptions

    var console: Console { Console(json: json) }
    var scope: StoreScope { global ? .global : .user }
    /// The folder with the configuration files.
    var folder: URL { URL(filePath: config) }
    /// The user by their IDs; nil for the name of a user, which ``resolveUser()`` replaces.
    var storeUser: StoreUser? { user.flatMap { StoreUser(argument: $0) } }
    /// The stores in the folder.
    var stores: StoreFolder { StoreFolder(at: folder, of: storeUser) }
    /// The options for opening the folder.
    var clientOptions: SoupClient.Options {
        .init(
            scope: scope, store: store.map { URL(filePath: $0) }, user: storeUser, registry: ToolPlugins.registry,
            credentialStore: { $0.standardCredentialStore }, observer: ToolPlugins.observer)
    }

    // Options without a value, and options with one.
    private static let flags: Set<String> = ["--global", "--json"]
    private static let valued: Set<String> = ["--config", "--store", "--user", "--plugin"]

    /// Returns the arguments with the global options moved behind the command, where the parser expects them.
    static func movedBehindCommand(_ arguments: [String]) -> [String] {
        var leading: [String] = []
        var rest = arguments[...]
        while let next = rest.first {
            let name = String(next.prefix { $0 != "=" })
            if flags.contains(next) || (valued.contains(name) && next.contains("=")) {
                leading.append(rest.removeFirst())
            } else if valued.contains(next), rest.count > 1 {
                leading += rest.prefix(2)
                rest = rest.dropFirst(2)
            } else {
                break
            }
        }
        guard !leading.isEmpty, !rest.isEmpty else { return arguments }
        let end = rest.firstIndex(of: "--") ?? rest.endIndex
        return Array(rest[..<end]) + leading + Array(rest[end...])
    }
}

extension GlobalOptions {
    /// Opens the store and its syncs.
    func open() async throws -> SoupClient {
        try await SoupClient.open(at: folder, options: clientOptions)
    }

    /// Calls `body`, and retries it while another process runs the syncs of the store.
    ///
    /// - Throws: errors of `body` except `syncAlreadyRunning`; `CancellationError`.
    func retryingWhileSyncsRun<T>(_ console: Console, _ body: () async throws -> T) async throws -> T {
        var isFirst = true
        while true {
            do {
                return try await body()
            } catch let error as SoupError where error.code == .syncAlreadyRunning {
                if isFirst { console.info("Waiting for another process that runs the syncs of this store.") }
                isFirst = false
                try await Task.sleep(for: .milliseconds(50))
            }
        }
    }

    /// Opens the store without its syncs; other processes can use the store at the same time.
    ///
    /// - Parameter registersSoups: whether missing soups of the configuration are created. Pass false in a command that
    ///   lists or changes the soups of the store.
    func openStore(registersSoups: Bool = true) async throws -> SmartStore {
        try await SoupClient.openStore(at: folder, options: clientOptions, registersSoups: registersSoups)
    }
}

#endif
