// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// Decodes a part of a configuration and notes what is wrong with it, with places.
public enum ConfigurationDecoder {
    /// - Parameters:
    ///   - path: where `value` is in its file.
    ///   - problems: gains one problem for everything that is missing or of the wrong type; then the result is nil.
    public static func decode<T: Decodable>(
        _ type: T.Type, from value: JSONValue, at path: [ConfigurationStep], problems: inout [ConfigurationProblem]
    ) -> T? {
        do {
            return try JSONText(value).decode(type)
        } catch {
            problems.append(ConfigurationProblem(at: Place(path: path.text), "\(error)"))
            return nil
        }
    }
}
