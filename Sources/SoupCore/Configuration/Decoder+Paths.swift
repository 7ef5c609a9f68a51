// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

extension Decoder {
    /// Returns the path of a file that a configuration names.
    ///
    /// A relative path starts from the folder of the file with the configuration, whatever the current folder of the
    /// process is. If the path is absolute, or if the configuration comes from code, it is returned unchanged.
    ///
    /// ```swift
    /// certificate = try container.decode(String.self, forKey: .certificate)
    /// certificate = decoder.configurationPath(certificate)
    /// ```
    public func configurationPath(_ path: String) -> String {
        guard !path.hasPrefix("/"), let folder = (self as? ConfigurationValueDecoder)?.report.folder else {
            return path
        }
        return folder.hasSuffix("/") ? folder + path : "\(folder)/\(path)"
    }
}
