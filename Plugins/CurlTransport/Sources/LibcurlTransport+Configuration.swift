// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation
public import SoupCore

extension LibcurlTransport {
    /// The options of the transport, from `org.json` or code.
    public struct Configuration: Decodable, Sendable {
        /// The timeouts of an exchange, and the maximum size of a response.
        ///
        /// In `org.json` its keys are in the same object as those of the other options.
        public var limits = TransportLimits()
        /// The URL of a proxy for all requests; an empty text for no proxy; nil for the proxy of the environment.
        public var proxy: String?
        /// The path of a PEM file with the certificates to trust instead of those of the system.
        ///
        /// In `org.json` a relative path starts from the folder of that file, in code from the current folder of the
        /// process.
        public var certificateFile: String?

        /// Creates the default options; change them before the transport is created.
        public init() {}

        private enum CodingKeys: String, CodingKey { case proxy, certificateFile }

        /// Reads the options; missing ones have their default values.
        public init(from decoder: any Decoder) throws {
            limits = try TransportLimits(from: decoder)
            let container = try decoder.container(keyedBy: CodingKeys.self)
            proxy = try container.decodeIfPresent(String.self, forKey: .proxy)
            certificateFile = try container.decodeIfPresent(String.self, forKey: .certificateFile)
                .map { decoder.configurationPath($0) }
        }

        /// Checks the limits, and whether the certificate file can be read.
        ///
        /// - Throws: ``SoupError`` or ``ConfigurationError`` with `badConfiguration`, with the key as the place.
        func check() throws {
            try limits.check()
            guard let certificateFile, !FileManager.default.isReadableFile(atPath: certificateFile) else { return }
            throw SoupError(
                .badConfiguration, "\"\(certificateFile)\" is not a readable file",
                place: SoupError.Place(path: "certificateFile"),
                hint: "Write the path of a PEM file; in org.json a relative path starts from the folder of that file.")
        }
    }
}
