// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools && Server

import Foundation

/// A plug-in that the tests compile alone, with the modules of their own build.
///
/// The environment variable `PLUGIN_FAULT` makes it misbehave when it is loaded or registered.
enum CompiledPlugin {
    /// The bytes of its library, which is compiled once.
    static var library: Data { get async throws { try await compiled.value } }

    private static let compiled = Task { try await compile() }

    private static func compile() async throws -> Data {
        let folder = try WorkFolder(["Weather.swift": source])
        let (file, output) = (folder.url.appending(path: "Weather.swift"), folder.url.appending(path: "Weather.so"))
        let modules = SoupTool.url.deletingLastPathComponent().appending(path: "Modules")
        var arguments = [
            "swiftc", "-emit-library", "-parse-as-library", "-swift-version", "6", "-module-name", "Weather",
        ]
        #if canImport(Darwin)
        arguments += ["-Xlinker", "-undefined", "-Xlinker", "dynamic_lookup"]
        #endif
        arguments += ["-I", modules.path, file.path, "-o", output.path]
        let compiler = try RunningSoup(
            URL(filePath: "/usr/bin/env"), arguments, environment: [:], readingOutput: true)
        var messages: [String] = []
        for await line in compiler.output { messages.append(line) }
        for await line in compiler.errors { messages.append(line) }
        guard await compiler.end() == 0 else { throw CompilerError(messages: messages) }
        return try Data(contentsOf: output)
    }

    struct CompilerError: Error { let messages: [String] }

    private static let source = #"""
        import Foundation
        import SoupCore

        struct WeatherTarget: SyncDownTarget {
            struct Configuration: Decodable, Sendable { var city: String }
            static let name: PluginName = "weather"
            let configuration: Configuration
            init(configuration: Configuration) { self.configuration = configuration }

            func page(after cursor: PageCursor?, in context: SyncContext) async throws -> RecordPage {
                guard configuration.city != "Atlantis" else { throw SoupError("noSuchCity", "there is no Atlantis") }
                let record = try JSONText(["Id": "w1", "LastName": .string("Sun in \(configuration.city)")])
                return RecordPage(RecordBatch([record]), totalSize: 1)
            }
        }

        struct Soql: SyncDownTarget {
            typealias Configuration = WeatherTarget.Configuration
            static let name: PluginName = "soql"
            init(configuration: Configuration) {}
            func page(after cursor: PageCursor?, in context: SyncContext) async throws -> RecordPage { RecordPage(.empty) }
        }

        struct NoForecast: Error {}

        struct WeatherModule: PluginModule {
            let fault = ProcessInfo.processInfo.environment["PLUGIN_FAULT"] ?? ""
            var interfaceVersion: Int { Int(fault) ?? 1 }

            func register(in registry: inout PluginRegistry) throws {
                try registry.register(down: WeatherTarget.self)
                if fault == "throws" { throw NoForecast() }
                if fault == "clash" { try registry.register(down: Soql.self) }
            }
        }

        final class OtherObject {}

        @_cdecl("soupkit_plugin")
        public func soupkitPlugin() -> UnsafeMutableRawPointer? {
            let module = WeatherModule()
            switch module.fault {
            case "nothing": return nil
            case "other": return Unmanaged.passRetained(OtherObject()).toOpaque()
            case "layout":
                let marks = (PluginInterface.compiler, PluginInterface.compiler)
                return Unmanaged.passRetained(PluginEntry(module, marks: marks, sizes: [1])).toOpaque()
            default: return PluginEntry.pointer(to: module)
            }
        }
        """#
}

#endif
