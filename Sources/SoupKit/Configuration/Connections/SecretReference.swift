// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// A value of a connection that a file contains, or that an environment variable or another file provides.
///
/// It is a text, in which `${NAME}` stands for an environment variable, or an object `{"file": PATH}`.
enum SecretReference: Decodable, Sendable, Hashable {
    case text(String)
    case file(String)

    private enum CodingKeys: CodingKey { case file }

    init(from decoder: any Decoder) throws {
        if let text = try? decoder.singleValueContainer().decode(String.self) {
            self = .text(text)
        } else {
            let path = try decoder.container(keyedBy: CodingKeys.self).decode(String.self, forKey: .file)
            self = .file(decoder.configurationPath(path))
        }
    }

    /// Whether the value itself is in the configuration file.
    var isLiteral: Bool { if case .text(let text) = self { !text.contains("${") } else { false } }

    /// Returns the value.
    ///
    /// - Throws: ``SoupError`` with `badConfiguration`, without a place, for a variable that is not set, and for a file
    ///   that cannot be read, is empty, or can be read by other users.
    func value(_ environment: [String: String]) throws(SoupError) -> String {
        switch self {
        case .text(let text): try Self.expanded(text, environment)
        case .file(let path): try Self.content(of: path)
        }
    }

    private static func expanded(_ text: String, _ environment: [String: String]) throws(SoupError) -> String {
        if text.hasPrefix("$"), text.count > 1, text.dropFirst().utf8.allSatisfy(isPartOfName) {
            throw SoupError(
                .badConfiguration, "the value begins with $ and is not a variable",
                hint: "Write a variable as ${NAME}. To use this text itself, write it into a file or a variable.")
        }
        var result = ""
        var rest = Substring(text)
        while let start = rest.firstRange(of: "${") {
            result += rest[..<start.lowerBound]
            guard let end = rest[start.upperBound...].firstIndex(of: "}") else {
                throw SoupError(
                    .badConfiguration, "a variable has no }", hint: "Write a variable as ${NAME}.")
            }
            let name = String(rest[start.upperBound..<end])
            guard let value = environment[name], !value.isEmpty else {
                throw SoupError(
                    .badConfiguration, "the environment variable \(name.excerpt(100)) is not set",
                    hint: "Set it, or write another name between ${ and }.")
            }
            result += value
            rest = rest[rest.index(after: end)...]
        }
        return result + rest
    }

    private static func isPartOfName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"): true
        default: false
        }
    }

    private static func content(of path: String) throws(SoupError) -> String {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw SoupError(
                .badConfiguration, "the file \(path) cannot be read", hint: "Check the path and the permissions.")
        }
        let mode = try? FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        guard (mode ?? 0) & 0o077 == 0 else {
            throw SoupError(
                .badConfiguration, "other users of this computer can read the file \(path)",
                hint: "Remove their permission with `chmod 600 \(path)`.")
        }
        guard let text = String(validating: data, as: UTF8.self) else {
            throw SoupError(.badConfiguration, "the file \(path) is not UTF-8")
        }
        // An editor adds a line end.
        let value = text.hasSuffix("\r\n") || text.hasSuffix("\n") ? String(text.dropLast()) : text
        guard !value.isEmpty else {
            throw SoupError(.badConfiguration, "the file \(path) is empty", hint: "Write the secret into the file.")
        }
        return value
    }
}
