// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools

internal import ArgumentParser
internal import Foundation
internal import SoupBridge
internal import SoupBridgeServer
internal import SoupKit

/// The command `soup bridge`.
struct Bridge: SoupCommand {
    static let configuration = CommandConfiguration(
        abstract: "Serve the JavaScript API over the stores of the configuration, for pages and Node.",
        discussion: """
            Listens on this machine only. Every request needs the secret, which is new for each start, in the header \
            Authorization: Bearer SECRET. A page of another server needs --origin with its origin, such as \
            http://localhost:3000. The stores are in the configuration folder, and a page can create and remove others \
            there.

            With --json prints {"url","secret","protocolVersion"} when requests are answered.
            """)

    @OptionGroup var options: GlobalOptions

    @Option(name: .long, help: "The port; 0 for any free port.")
    var port = 0

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Accept requests from pages of this origin; can be repeated.", valueName: "url"))
    var origin: [String] = []

    @Option(
        name: .long,
        help: ArgumentHelp("Serve the page in this folder too, with soupkit.js beside its files.", valueName: "dir"))
    var page: String?

    func validate() throws {
        guard (0...65_535).contains(port) else { throw ValidationError("Give a port from 0 to 65535.") }
        for origin in origin where !BridgeEndpoint.isOrigin(origin) {
            throw ValidationError(
                "Give --origin in lower case, with a scheme, a host, and a port unless it is the default one: http://localhost:3000"
            )
        }
        if options.store != nil || options.global {
            throw ValidationError("A page names its store itself: leave out --store and --global.")
        }
    }

    func perform(_ console: Console) async throws {
        guard (try? options.folder.checkResourceIsReachable()) == true else {
            throw SoupError(
                .badConfiguration, "the folder \(options.folder.path) does not exist",
                hint: "Give --config the folder with the configuration files, which may be empty.")
        }
        let stores = try StoreFolderStores(configuration: options.folder, options: options.clientOptions)
        if stores.server == nil {
            console.info(
                "No server is configured, so syncs and requests fail. Set SOUP_INSTANCE_URL and SOUP_ACCESS_TOKEN, or add org.json."
            )
        }
        ProcessMemory.keepFreedPages()
        let secret = BridgeEndpoint.newSecret()
        let pages = try page.map {
            let folder = URL(filePath: $0, directoryHint: .isDirectory)
            guard folder.resolvingSymlinksInPath().path != options.folder.resolvingSymlinksInPath().path else {
                throw ValidationError(
                    "The folder of the page is that of the configuration, whose files contain secrets. Use another one."
                )
            }
            return try PageFiles(folder: folder, adding: ["soupkit.js": JavaScriptBridge.script])
        }
        let endpoint = BridgeEndpoint(
            JavaScriptBridge(stores, server: stores.server), secret: secret, origins: Set(origin), pages: pages)
        try await endpoint.serve(port: port) { url in
            console.event([
                "url": .string(url), "secret": .string(secret),
                "protocolVersion": .int(Int64(BridgeEndpoint.protocolVersion)),
            ])
            console.print("The bridge is at \(url). Its secret: \(secret)")
            if page != nil { console.print("Open the page: \(url)/#\(secret)") }
        }
        // The command was interrupted: close the stores in a task that is not cancelled.
        try await Task { try await stores.close() }.value
    }
}

#endif
