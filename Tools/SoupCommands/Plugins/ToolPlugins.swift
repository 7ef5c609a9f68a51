// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools

internal import SoupKit

/// The plug-ins of the running command line.
enum ToolPlugins {
    /// The registry that commands use; a command's own tasks have the same one.
    @TaskLocal static var registry: PluginRegistry = .standard

    /// Returns the registry of SoupKit's own plug-ins and those of further modules.
    ///
    /// - Throws: ``SoupError`` with `registry` for a name that is already registered, with the module that repeats it;
    ///   the errors of a module.
    static func registry(adding modules: [any PluginModule]) throws -> PluginRegistry {
        var registry = PluginRegistry.standard
        for module in modules {
            do {
                try module.register(in: &registry)
            } catch let error as SoupError {
                var error = error
                error.message = "the module \(type(of: module)) cannot be registered: \(error.message)"
                throw error
            }
        }
        return registry
    }
}

#endif
