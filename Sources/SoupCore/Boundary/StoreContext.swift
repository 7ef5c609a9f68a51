// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The environment of a backend, in addition to its configuration.
///
/// A backend with a file uses ``path(configured:)`` for its place. A backend that wraps others opens each of them with
/// ``open(_:)``, in the context that ``inner(_:)`` returns, so that no two of them use the same file.
public struct StoreContext: Sendable {
    /// The folder for a store without its own path, and the base of relative paths.
    public var folder: URL
    /// The clock for the times in entries: of their creation and of their last write.
    public var clock: any SoupClock
    /// The file that the caller chose instead of the one in the configuration; nil if the configuration decides.
    ///
    /// `soup --store` and the option `store` of `SoupClient` set it.
    public var file: URL?
    /// The name of the file, in ``folder``, of a store without its own path.
    public var fileName: String
    /// Whether the store is an additional one, from ``inner(_:)``.
    var isInner = false
    /// The soups of the configuration, for its check; nil if they are unknown.
    var soups: Set<SoupName>?
    /// The plug-ins that ``open(_:)`` uses; nil if no registry opens the store.
    package var registry: PluginRegistry?

    /// Creates a context, with the system's clock unless a test passes its own.
    ///
    /// - Parameters:
    ///   - folder: a file URL; `URL(filePath: ".")` is the current folder of the process.
    ///   - file: a file URL that replaces the path of the configuration.
    ///   - fileName: the name of the file of a store without its own path.
    public init(
        folder: URL, clock: any SoupClock = SystemClock(), file: URL? = nil, fileName: String = "store.sqlite"
    ) {
        self.folder = folder
        self.clock = clock
        self.file = file
        self.fileName = fileName
    }

    /// Returns the path of the store's file: that of ``file``, else the configured path, else ``fileName``.
    ///
    /// - Parameter configured: the path in the configuration, relative to ``folder`` or absolute; nil for none.
    public func path(configured: String?) -> String {
        if let file { return file.filePath }
        let path = configured ?? fileName
        if path.hasPrefix("/") { return path }
        let folder = folder.filePath
        return folder.hasSuffix("/") ? folder + path : "\(folder)/\(path)"
    }

    /// Returns the context for an additional store, whose file is in a folder next to the file of this context.
    ///
    /// With the name `recent`, `userstore.db` becomes `userstore.db.stores/recent.db`, both in ``file`` and in
    /// ``fileName``. Characters other than ASCII letters, digits, `-` and `_` are percent-encoded, so that different
    /// names have different files. A store that wraps others opens one of them in its own context, and the others in
    /// contexts with a name. A backend with a file creates the folder with ``makeInnerFolder(configured:)``.
    public func inner(_ name: String) -> StoreContext {
        var context = self
        context.isInner = true
        context.fileName = Self.inserting(name, in: fileName)
        if let file {
            context.file = URL(filePath: Self.inserting(name, in: file.filePath), directoryHint: .notDirectory)
        }
        return context
    }

    /// Creates the folder of an additional store if it is missing; does nothing for a store with its own path, and in
    /// a context that is not from ``inner(_:)``.
    ///
    /// - Parameter configured: the path in the configuration, as for ``path(configured:)``.
    /// - Throws: ``SoupError`` with `storeUnusable`.
    public func makeInnerFolder(configured: String?) throws {
        guard isInner, file != nil || configured == nil else { return }
        let path = path(configured: nil)
        let folder = Self.split(path).folder
        do {
            try FileManager.default.createDirectory(atPath: String(folder), withIntermediateDirectories: true)
        } catch {
            throw SoupError(
                .storeUnusable, "the folder \(folder) does not exist and cannot be created",
                place: SoupError.Place(file: path), hint: "Check the permissions of the folder that contains it.",
                cause: error)
        }
    }

    /// Returns the folder with the files of all additional stores of a store: `userstore.db.stores` for `userstore.db`.
    ///
    /// The removal of a store removes this folder with its file.
    public static func innerFolder(ofFile path: String) -> String {
        path + ".stores"
    }

    /// Opens the store that a configuration describes, in this context.
    ///
    /// Its faults were found with those of the configuration that contains it.
    ///
    /// - Throws: ``ConfigurationError`` for an unknown type or a faulty configuration; ``SoupError`` with `registry` if
    ///   this context does not come from a registry, which is so for a store that is opened in code; the errors of
    ///   ``StoreBackend/open(_:in:)``.
    public func open(_ reference: StoreReference) async throws -> any StoreBackend {
        guard let registry else {
            throw SoupError(
                .registry, "the inner store cannot be opened by its configuration without a registry",
                hint:
                    "Open the outer store with PluginRegistry.backend(_:configuration:at:context:problems:), or create "
                    + "it from open stores.")
        }
        var problems: [ConfigurationProblem] = []
        let open = registry.backend(reference, context: self, problems: &problems)
        guard let open else { throw ConfigurationError(problems) }
        return try await open()
    }

    private static func inserting(_ name: String, in path: String) -> String {
        let allowed = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
        let digits = Array("0123456789ABCDEF".utf8)
        let bytes = name.utf8.flatMap { byte in
            allowed.contains(byte) ? [byte] : [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
        }
        return "\(innerFolder(ofFile: path))/\(String(decoding: bytes, as: UTF8.self))\(split(path).extension)"
    }

    /// Returns the parts of a path: the folder with its slash, and the extension with its dot.
    private static func split(_ path: String) -> (folder: Substring, extension: Substring) {
        let start = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
        let dot = path[start...].lastIndex(of: ".").flatMap { $0 > start ? $0 : nil } ?? path.endIndex
        return (path[..<start], path[dot...])
    }
}
