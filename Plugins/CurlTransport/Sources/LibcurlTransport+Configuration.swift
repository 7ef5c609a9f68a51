// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

extension LibcurlTransport {
    /// The options of the transport, as `org.json` and code give them.
    public struct Configuration: Decodable, Sendable {
        /// How long an exchange may take, and how long an answer may be; its keys stand beside those of the others.
        public var limits = TransportLimits()
        /// The URL of a proxy for all requests; an empty text for none; nil for that of the environment.
        public var proxy: String?
        /// The path of a PEM file with the certificates to trust instead of those of the system.
        public var certificateFile: String?

        /// Makes the standard options; change them before the transport is made.
        public init() {}

        private enum CodingKeys: String, CodingKey { case proxy, certificateFile }

        /// Reads the options; those that are missing have their standard values.
        public init(from decoder: any Decoder) throws {
            limits = try TransportLimits(from: decoder)
            let container = try decoder.container(keyedBy: CodingKeys.self)
            proxy = try container.decodeIfPresent(String.self, forKey: .proxy)
            certificateFile = try container.decodeIfPresent(String.self, forKey: .certificateFile)
        }
    }
}
