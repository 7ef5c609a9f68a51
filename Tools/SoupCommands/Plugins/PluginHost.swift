// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools

internal import Foundation
internal import SoupCore

/// The running program, as the provider of the code that plug-ins import.
enum PluginHost {
    /// Checks that plug-ins can use the types of this program.
    ///
    /// - Throws: ``SoupError`` with `badPlugin` if the program was linked without the necessary options.
    static func check() throws {
        let process = dlopen(nil, RTLD_NOW)
        // The type of the entry, by its name in the binary: exported only with the option.
        guard dlsym(process, "$s8SoupCore11PluginEntryCMn") != nil else {
            throw SoupError(
                "badPlugin", "this command cannot load plug-ins, because it was linked without its symbols",
                hint: "Add the linker settings of the target soup in SoupKit's Package.swift to its own target.")
        }
        #if os(Linux)
        // If the runtime is not a library of this process, a plug-in would load a second one.
        guard dlopen("libswiftCore.so", RTLD_NOW | RTLD_NOLOAD) != nil else {
            throw SoupError(
                "badPlugin", "this command cannot load plug-ins, because it contains the Swift runtime",
                hint: "Build it without --static-swift-stdlib.")
        }
        #endif
    }
}

#endif
