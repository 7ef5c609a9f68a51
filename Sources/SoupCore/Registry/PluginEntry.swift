// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes

/// The module of a plug-in that is compiled alone, for a command that loads it.
///
/// The plug-in is a dynamic library that depends on the product `SoupPluginInterface`, and exports one function:
///
/// ```swift
/// @_cdecl("soupkit_plugin")
/// public func soupkitPlugin() -> UnsafeMutableRawPointer { PluginEntry.pointer(to: WeatherModule()) }
/// ```
///
/// Before any code of the library runs, `soup` reads from its file which source code of SoupKit and which
/// compiler it was built with: ``PluginInterface``.
public final class PluginEntry: Sendable {
    /// The name of the function that a plug-in exports.
    package static let function = "soupkit_plugin"
    /// A text that only a program or library with its own copy of SoupCore contains.
    package static let copyMark = "soupkit-plugin-interface-copy;"

    package let module: any PluginModule
    package let sizes: [Int]
    private let copyMark: StaticString

    /// Creates the entry; plug-ins call ``pointer(to:mark:)``.
    ///
    /// - Parameters:
    ///   - marks: the texts that must be part of the plug-in's file.
    ///   - sizes: ``layout``, as the plug-in was compiled with it.
    @inline(never)
    public init(_ module: any PluginModule, marks: (StaticString, StaticString), sizes: [Int]) {
        self.module = module
        self.sizes = sizes
        copyMark = "soupkit-plugin-interface-copy;"
    }

    /// The sizes of types that a plug-in and SoupKit pass to each other.
    ///
    /// They differ if swift-http-types has another version, or if the code of SoupKit was changed without
    /// `make format`.
    @_alwaysEmitIntoClient
    public static var layout: [Int] {
        var sizes = [MemoryLayout<HTTPRequest>.size, MemoryLayout<HTTPResponse>.size, MemoryLayout<HTTPFields>.size]
        sizes += [MemoryLayout<HTTPAnswer>.size, MemoryLayout<JSONText>.size, MemoryLayout<JSONValue>.size]
        sizes += [MemoryLayout<SyncContext>.size, MemoryLayout<SyncOptions>.size, MemoryLayout<RecordPage>.size]
        sizes += [MemoryLayout<RecordBatch>.size, MemoryLayout<UnreadPage>.size, MemoryLayout<RecordLayout>.size]
        sizes += [MemoryLayout<RecordChange>.size, MemoryLayout<PushOutcome>.size, MemoryLayout<PushFailure>.size]
        sizes += [MemoryLayout<RecordConflict>.size, MemoryLayout<ConflictResolution>.size]
        sizes += [MemoryLayout<StoreContext>.size, MemoryLayout<StoreReference>.size, MemoryLayout<SoupEntry>.size]
        sizes += [MemoryLayout<IndexSpec>.size, MemoryLayout<QuerySpec>.size, MemoryLayout<EntryStamp>.size]
        sizes += [MemoryLayout<SoupError>.size, MemoryLayout<ConfigurationProblem>.size]
        sizes += [MemoryLayout<SavedSession>.size, MemoryLayout<SessionAccount>.size]
        sizes += [MemoryLayout<PluginRegistry>.size]
        return sizes
    }

    /// Returns the value that the exported function of a plug-in returns.
    ///
    /// - Parameter mark: is part of the plug-in, as SoupKit had it when the plug-in was compiled. It is a default value
    ///   and not in the body, so that the compiler compiles the plug-in again if it changes.
    @_alwaysEmitIntoClient
    public static func pointer(
        to module: any PluginModule, mark: StaticString = "soupkit-plugin-interface=1/8ff0756738df4243;"
    ) -> UnsafeMutableRawPointer {
        let entry = PluginEntry(module, marks: (mark, PluginInterface.compiler), sizes: layout)
        return Unmanaged.passRetained(entry).toOpaque()
    }
}
