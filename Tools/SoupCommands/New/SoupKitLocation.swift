// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools

internal import Foundation
internal import SoupKit

/// The place that a new package gets SoupKit from.
enum SoupKitLocation: Sendable, Hashable {
    case clone(String)
    case url(String)

    /// The clone that contains a file or folder; nil for none.
    static func clone(containing path: String) -> String? {
        var folder = URL(filePath: path).resolvingSymlinksInPath()
        while folder.path != "/" {
            if isClone(folder.path) { return folder.path }
            folder.deleteLastPathComponent()
        }
        return nil
    }

    /// Whether a folder contains the manifest of SoupKit.
    static func isClone(_ folder: String) -> Bool {
        let manifest = try? String(contentsOfFile: folder + "/Package.swift", encoding: .utf8)
        return manifest?.contains("    name: \"SoupKit\",\n") == true
    }

    /// Reads the argument of `--soupkit`; without it, the clone in which this command was built.
    ///
    /// - Throws: ``SoupError`` with `badArgument` if there is no such clone.
    init(_ argument: String?, executable: String?) throws {
        if let argument, argument.contains("://") || argument.hasPrefix("git@") {
            self = .url(argument)
        } else if let argument {
            let folder = URL(filePath: argument).resolvingSymlinksInPath().path
            guard Self.isClone(folder) else {
                throw SoupError(
                    "badArgument", "\(argument) is not a clone of SoupKit",
                    hint: "Use the folder with its Package.swift, or the URL of the repository.")
            }
            self = .clone(folder)
        } else if let clone = executable.flatMap(Self.clone(containing:)) {
            self = .clone(clone)
        } else {
            throw SoupError(
                "badArgument", "the package needs the place of SoupKit",
                hint: "Add --soupkit with the folder of a clone, or with the URL of the repository.")
        }
    }

    /// The identity of the package in a manifest.
    var package: String {
        switch self {
        case .clone: "SoupKit"
        case .url(let url):
            // As SwiftPM forms it: the last part of the URL without the extension.
            String(url.split(separator: "/").last ?? "SoupKit").replacing(/\.git$/, with: "")
        }
    }

    /// Returns the dependency in a manifest.
    func dependency(traits: [String]) -> String {
        let list = traits.isEmpty ? "" : ", traits: [\(traits.map { "\"\($0)\"" }.joined(separator: ", "))]"
        return switch self {
        case .clone(let folder): ".package(name: \"SoupKit\", path: \(folder.debugDescription)\(list))"
        case .url(let url): ".package(url: \(url.debugDescription), branch: \"main\"\(list))"
        }
    }
}

#endif
