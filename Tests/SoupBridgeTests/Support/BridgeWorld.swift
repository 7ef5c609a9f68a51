// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Logging
import SoupCore
import SoupKit
import SoupLocalOrg
import SoupTesting

@testable import SoupBridge

/// A bridge over stores in a temporary folder, and a local org.
final class BridgeWorld: Sendable {
    let folder: URL
    let clock = ManualClock()
    let org: LocalOrg
    let stores: StoreFolderStores
    let bridge: JavaScriptBridge

    static let store = "com.salesforce.smartstore"
    static let sync = "com.salesforce.mobilesync"
    static let network = "com.salesforce.network"

    /// - Parameters:
    ///   - files: the configuration files, by their names.
    ///   - wrap: wraps the transport to the org.
    init(
        _ files: [String: String] = [:], limits: JavaScriptBridge.Limits = JavaScriptBridge.Limits(),
        wrap: (any HTTPTransport) -> any HTTPTransport = { $0 }
    ) async throws {
        folder = FileManager.default.temporaryDirectory.appending(
            path: "SoupKitTests-\(UUID().uuidString)", directoryHint: .isDirectory)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for (name, text) in files { try Data(text.utf8).write(to: folder.appending(path: name)) }
        org = try LocalOrg(seed: .tiny, clock: clock)
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        stores = try StoreFolderStores(
            configuration: folder,
            options: .init(transport: wrap(org.authorizedTransport), clock: clock, logger: logger, environment: [:]))
        bridge = JavaScriptBridge(stores, server: stores.server, limits: limits, clock: clock)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// Performs a call, and returns its answer as text: `ok`, or `error`, a space and the JSON.
    func call(_ service: String, _ action: String, with arguments: String = "{}", in session: String = "s")
        async throws -> String
    {
        let call = try BridgeCall(
            service: service, action: action, list: JSONText("[\"pluginSDKVersion:14.0.0\",\(arguments)]"))
        switch try await bridge.perform(call, in: session).answer {
        case .value(let value): return "ok \(value.map(\.description) ?? "-")"
        case .error(let error): return "error \(error)"
        }
    }

    /// Performs a call of the store service.
    func store(_ action: String, _ arguments: String = "{}", in session: String = "s") async throws -> String {
        try await call(Self.store, action, with: arguments, in: session)
    }

    /// Performs a call of the sync service.
    func sync(_ action: String, _ arguments: String = "{}", in session: String = "s") async throws -> String {
        try await call(Self.sync, action, with: arguments, in: session)
    }

    /// Registers the soup `cats`, with a string index on `Id`, `Name` and `__local__` and an integer index on `age`.
    func registerCats(in session: String = "s") async throws {
        _ = try await store(
            "pgRegisterSoup",
            #"""
            {"soupName":"cats","indexes":[{"path":"Id","type":"string"},{"path":"Name","type":"string"},
             {"path":"age","type":"integer"},{"path":"__local__","type":"string"},{"path":"note","type":"full_text"}]}
            """#, in: session)
    }

    /// Inserts cats with the names and the ages 1, 2, 3, ...
    func insertCats(_ names: String...) async throws {
        let entries = names.enumerated().map { #"{"Name":"\#($1)","age":\#($0 + 1)}"# }.joined(separator: ",")
        _ = try await store("pgUpsertSoupEntries", #"{"soupName":"cats","entries":[\#(entries)]}"#)
    }

    /// Returns the JSON value of an answer that succeeded.
    static func value(_ answer: String) throws -> JSONValue {
        guard answer.hasPrefix("ok ") else { throw SoupError(.json, "the call failed: \(answer)") }
        return try JSONValue(parsing: Array(answer.utf8.dropFirst(3)))
    }
}
