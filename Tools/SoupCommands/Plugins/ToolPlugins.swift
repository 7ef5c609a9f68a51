// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools

internal import SoupKit

/// The plug-ins of the running command line.
enum ToolPlugins {
    /// The registry that commands use; a command's own tasks have the same one.
    @TaskLocal static var registry: PluginRegistry = .standard
    /// The observer of the syncs that commands run.
    @TaskLocal static var observer: (any SyncObserver)?

    /// Returns the registry of SoupKit's own plug-ins, those of further modules, and those of loaded libraries.
    ///
    /// - Throws: ``SoupError`` with `registry` for a name that is already registered, with the module that repeats it;
    ///   the errors of a module.
    static func registry(
        adding modules: [any PluginModule], libraries: [PluginLibrary] = []
    ) throws -> PluginRegistry {
        var registry = PluginRegistry.standard
        for module in modules { try register(module, as: "the module \(type(of: module))", in: &registry) }
        for (index, library) in libraries.enumerated() {
            let earlier = libraries[..<index].map(\.path).joined(separator: ", ")
            try register(
                library.module, as: "the plug-in \(library.path)" + (earlier.isEmpty ? "" : ", after \(earlier),"),
                in: &registry)
        }
        return registry
    }

    private static func register(
        _ module: any PluginModule, as name: String, in registry: inout PluginRegistry
    ) throws {
        do {
            try registry.register(module: module)
        } catch let error as SoupError {
            var error = error
            error.message = "\(name) cannot be registered: \(error.message)"
            throw error
        } catch {
            throw SoupError(
                "badPlugin", "\(name) cannot be registered: \(error)",
                hint: "The error was thrown by the module itself.", cause: error)
        }
    }
}

#endif
