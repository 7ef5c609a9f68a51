// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools

internal import Foundation
internal import SoupCore

/// A plug-in that is compiled alone, and loaded into this process.
struct PluginLibrary {
    /// The absolute path of its file.
    let path: String
    let module: any PluginModule

    /// Checks the file, loads it, and calls its entry function.
    ///
    /// A loaded library stays in the process until it ends.
    ///
    /// - Parameter path: an absolute path, or one that starts from `folder`.
    /// - Throws: ``SoupError`` with `badPlugin`. For a file that is missing, damaged, or not built for this command, no
    ///   code of the library has run.
    init(at path: String, in folder: URL) throws {
        self.path = Self.absolute(path, in: folder)
        try PluginHost.check()
        try Self.check(self.path)
        module = try Self.load(self.path)
    }

    /// Returns the path without symbolic links, by which a file that is named twice is recognized.
    static func absolute(_ path: String, in folder: URL) -> String {
        URL(filePath: path.hasPrefix("/") ? path : "\(folder.path(percentEncoded: false))/\(path)")
            .resolvingSymlinksInPath().path(percentEncoded: false)
    }

    /// Checks the file without running any of its code.
    private static func check(_ path: String) throws {
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        guard let attributes, let type = attributes[.type] as? FileAttributeType else {
            throw error(path, "there is no such file", hint: "Build the plug-in, or correct the path.")
        }
        guard type == .typeRegular else {
            throw error(path, "it is not a file", hint: "Use the path of the plug-in's library.")
        }
        if let mode = attributes[.posixPermissions] as? Int, mode & 0o002 != 0 {
            throw error(
                path, "every user of this computer can change the file, whose code runs with your permissions",
                hint: "Remove their permission with `chmod o-w \(path)`.")
        }
        guard let bytes = try? Data(contentsOf: URL(filePath: path)) else {
            throw error(path, "it cannot be read", hint: "Check that you have permission to read it.")
        }
        if let fault = LibraryFormat.fault(in: bytes) {
            throw error(path, fault, hint: "Build the plug-in again, on this system.")
        }
        if let fault = PluginMarks(bytes).fault(for: .own) { throw error(path, fault.message, hint: fault.hint) }
    }

    private static func load(_ path: String) throws -> any PluginModule {
        guard let library = dlopen(path, RTLD_NOW | RTLD_LOCAL) else {
            let reason = dlerror().map { String(cString: $0) } ?? "unknown error"
            throw error(
                path, "the system cannot load it: \(reason)",
                hint: "Install the libraries that it needs; for a missing symbol, build it again.")
        }
        guard let symbol = dlsym(library, PluginEntry.function) else {
            throw error(
                path, "it does not export the function \(PluginEntry.function)",
                hint:
                    "Add @_cdecl(\"\(PluginEntry.function)\") public func soupkitPlugin() -> UnsafeMutableRawPointer { "
                    + "PluginEntry.pointer(to: MyModule()) }.")
        }
        let entry = unsafeBitCast(symbol, to: (@convention(c) () -> UnsafeMutableRawPointer?).self)
        guard let pointer = entry(),
            let entry = Unmanaged<AnyObject>.fromOpaque(pointer).takeRetainedValue() as? PluginEntry
        else {
            throw error(
                path, "its function \(PluginEntry.function) does not return an entry",
                hint: "Return PluginEntry.pointer(to:) with its module.")
        }
        guard entry.sizes == PluginEntry.layout else {
            throw error(
                path, "its types have other sizes than those of this command",
                hint: "Build both from the same SoupKit, with the same version of swift-http-types. After a change of "
                    + "SoupKit's own code, run make format first.")
        }
        return entry.module
    }

    static func error(_ path: String, _ message: String, hint: String) -> SoupError {
        SoupError("badPlugin", "the plug-in \(path) cannot be loaded: \(message)", hint: hint)
    }
}

#endif
