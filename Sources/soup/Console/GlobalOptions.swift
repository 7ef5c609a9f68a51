// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

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
    /// Runs `body` with the store and its syncs, while no other process syncs the store.
    func withKit<T>(_ body: (SoupKit) async throws -> T) async throws -> T {
        // Checked before anything is made, the lock's file included.
        let folder = ConfigurationFolder(reading: config)
        let problems = folder[scope].problems + folder.orgProblems + (store == nil ? folder.folderProblems : [])
        let errors = problems.filter { $0.severity == .error }
        guard errors.isEmpty else { throw ConfigurationError(errors) }
        let lock = try await StoreLock.take(at: lockPath) {
            console.remark("Waiting for another soup that syncs this store.")
        }
        defer { lock.release() }
        return try await body(try await open())
    }

    /// Opens the store and its syncs when no other process syncs the store; else, or when the files do not allow it, nil.
    func openIfIdle() async -> SoupKit? {
        guard let lock = StoreLock.attempt(at: lockPath) else { return nil }
        defer { lock.release() }
        return try? await open()
    }

    private func open() async throws -> SoupKit {
        try await SoupKit.open(configuration: config, scope: scope, store: store)
    }

    private var lockPath: String { (store ?? "\(config)/\(scope.databaseFile)") + "-lock" }

    /// Opens the store alone, beside whatever another process does with it.
    func openStore() async throws -> SmartStore {
        try await SoupKit.openStore(configuration: config, scope: scope, store: store)
    }
}
