// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools

internal import Foundation
internal import SoupCore

/// The texts in the file of a plug-in by which a program recognizes the plug-ins that it can load.
///
/// They are read from the bytes of the file, so that nothing of a plug-in runs before they are compared.
struct PluginMarks: Equatable {
    /// The version of the interface and the hash of its source code: `1/3f2a…`; nil if the file contains none.
    var interface: String?
    /// The compiler: `6.3`.
    var compiler: String?
    /// Whether the file contains its own copy of SoupCore, whose types the program does not know.
    var hasCopy = false

    /// The marks of the running program.
    static var own: PluginMarks {
        PluginMarks(Data("\(PluginInterface.mark)\(PluginInterface.compiler)".utf8))
    }

    /// Finds the marks in the bytes of a file.
    init(_ file: Data) {
        interface = Self.value(after: "soupkit-plugin-interface=", in: file)
        compiler = Self.value(after: "soupkit-plugin-compiler=", in: file)
        hasCopy = file.firstRange(of: Data(PluginEntry.copyMark.utf8)) != nil
    }

    /// Returns the text between a prefix and a semicolon; nil if the file does not contain it, or is cut off there.
    private static func value(after prefix: String, in file: Data) -> String? {
        guard let start = file.firstRange(of: Data(prefix.utf8))?.upperBound else { return nil }
        let rest = file[start...].prefix(64)
        guard let end = rest.firstIndex(of: UInt8(ascii: ";")) else { return nil }
        return String(bytes: rest[..<end], encoding: .utf8)
    }

    /// Returns the reason why a program with the marks `host` cannot load the plug-in; nil if it can.
    func fault(for host: PluginMarks) -> (message: String, hint: String)? {
        guard let interface, let compiler else {
            return (
                "it is not a plug-in of SoupKit",
                "Build a dynamic library that depends on the product SoupPluginInterface, and exports the function "
                    + "\(PluginEntry.function)."
            )
        }
        if hasCopy {
            return (
                "it contains its own copy of SoupCore",
                "In its Package.swift, depend on the product SoupPluginInterface, and on no other product of SoupKit."
            )
        }
        let (version, hash) = Self.parts(of: interface)
        let (hostVersion, hostHash) = Self.parts(of: host.interface ?? "")
        if version != hostVersion {
            return (
                "it was built for version \(version) of the plug-in interface, and this command has version "
                    + "\(hostVersion)",
                "Build it again with the SoupKit of this command."
            )
        }
        if compiler != host.compiler {
            return (
                "it was built with Swift \(compiler), and this command with Swift \(host.compiler ?? "")",
                "Build both with the same compiler."
            )
        }
        if hash != hostHash {
            return (
                "it was built with other source code of SoupKit than this command (\(hash), not \(hostHash))",
                "Build both with the same version of SoupKit."
            )
        }
        return nil
    }

    private static func parts(of interface: String) -> (version: String, hash: String) {
        let parts = interface.split(separator: "/", maxSplits: 1)
        return (parts.first.map(String.init) ?? "", parts.dropFirst().first.map(String.init) ?? "")
    }
}

#endif
