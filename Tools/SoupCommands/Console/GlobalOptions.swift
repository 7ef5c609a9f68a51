// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools

internal import ArgumentParser
internal import SoupKit

/// The options of every command.
struct GlobalOptions: ParsableArguments {
    @Option(name: .long, help: ArgumentHelp("The folder with the configuration files.", valueName: "dir"))
    var config = "."

    @Option(
        name: .long,
        help: ArgumentHelp(
            "The store's file; by default the one the configuration names, or one beside it.", valueName: "path"))
    var store: String?

    @Flag(name: .long, help: "Use globalstore.json and globalsyncs.json.")
    var global = false

    @Flag(name: .long, help: "Print one JSON object a line, for scripts.")
    var json = false

    var console: Console { Console(json: json) }
    var scope: StoreScope { global ? .global : .user }

    /// Options that take no value, and those that do.
    private static let flags: Set<String> = ["--global", "--json"]
    private static let valued: Set<String> = ["--config", "--store"]

    /// Moves global options that stand in front of the command behind it, where the parser looks for them.
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
        try await SoupClient.open(configuration: config, scope: scope, store: store)
    }

    /// Does what only one process at a time can do with the syncs of a store; waits while another does it.
    ///
    /// - Throws: what `body` throws, but for `syncAlreadyRunning`; `CancellationError`.
    func whenFree<T>(_ console: Console, _ body: () async throws -> T) async throws -> T {
        var isFirst = true
        while true {
            do {
                return try await body()
            } catch let error as SoupError where error.code == .syncAlreadyRunning {
                if isFirst { console.remark("Waiting for another program that runs the syncs of this store.") }
                isFirst = false
                try await Task.sleep(for: .milliseconds(50))
            }
        }
    }

    /// Opens the store alone, beside whatever another process does with it.
    ///
    /// - Parameter registersSoups: false for a command that shows or changes which soups there are.
    func openStore(registersSoups: Bool = true) async throws -> SmartStore {
        try await SoupClient.openStore(
            configuration: config, scope: scope, store: store, registersSoups: registersSoups)
    }
}

#endif
