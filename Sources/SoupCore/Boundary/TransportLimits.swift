// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// The limits of a transport: how long an exchange may take, and how much memory an answer may use.
///
/// The keys in `org.json` are the names of the properties; keys that are missing have the standard values.
public struct TransportLimits: Sendable, Hashable, Decodable {
    /// How long, in seconds, a server may send nothing before the exchange fails; also the limit for connecting.
    public var idleTimeout: Double
    /// How long, in seconds, an exchange may take in all.
    public var totalTimeout: Double
    /// How many bytes the body of an answer may have if it arrives uncompressed.
    ///
    /// A longer one ends the exchange with the error `answerTooLong`, whose delivery is unknown.
    public var maximumAnswerBytes: Int
    /// How many bytes the body of an answer may have after decompression if it arrives compressed.
    ///
    /// The standard is lower than that of ``maximumAnswerBytes``: a few compressed bytes can become a thousand times as
    /// many, so a small answer could use up the memory of the app.
    public var maximumDecompressedBytes: Int

    /// Makes limits: 60 seconds without a byte, 600 seconds in all, 256 MiB uncompressed, 64 MiB decompressed.
    public init(
        idleTimeout: Double = 60, totalTimeout: Double = 600, maximumAnswerBytes: Int = 256 << 20,
        maximumDecompressedBytes: Int = 64 << 20
    ) {
        self.idleTimeout = idleTimeout
        self.totalTimeout = totalTimeout
        self.maximumAnswerBytes = maximumAnswerBytes
        self.maximumDecompressedBytes = maximumDecompressedBytes
    }

    private enum CodingKeys: String, CodingKey {
        case idleTimeout, totalTimeout, maximumAnswerBytes, maximumDecompressedBytes
    }

    /// Reads the limits from the options of a transport.
    public init(from decoder: any Decoder) throws {
        self.init()
        let container = try decoder.container(keyedBy: CodingKeys.self)
        func read<T: Decodable>(_ key: CodingKeys, into value: inout T) throws {
            value = try container.decodeIfPresent(T.self, forKey: key) ?? value
        }
        try read(.idleTimeout, into: &idleTimeout)
        try read(.totalTimeout, into: &totalTimeout)
        try read(.maximumAnswerBytes, into: &maximumAnswerBytes)
        try read(.maximumDecompressedBytes, into: &maximumDecompressedBytes)
    }

    /// Checks that the timeouts are positive and the sizes not negative.
    ///
    /// - Throws: ``SoupError`` or ``ConfigurationError`` with `badConfiguration`, with the key as the place.
    public func check() throws {
        var faults = ConfigurationFaults()
        for (key, seconds) in [("idleTimeout", idleTimeout), ("totalTimeout", totalTimeout)] where !(seconds > 0) {
            faults.add(
                SoupError(
                    .badConfiguration, "a timeout must be longer than 0 seconds", place: Place(path: key),
                    hint: "Write a number of seconds, such as 60."))
        }
        let sizes = [
            ("maximumAnswerBytes", maximumAnswerBytes), ("maximumDecompressedBytes", maximumDecompressedBytes),
        ]
        for (key, bytes) in sizes where bytes < 0 {
            faults.add(
                SoupError(
                    .badConfiguration, "a size cannot be negative", place: Place(path: key),
                    hint: "Write a number of bytes, such as 268435456."))
        }
        try faults.finish()
    }
}

extension SoupError.Code {
    /// The head or the body of an answer is longer than the transport accepts.
    public static let answerTooLong: Self = "answerTooLong"
}

extension SoupError {
    /// The error of a transport for an answer that is longer than its limit; the delivery is unknown.
    ///
    /// - Parameter part: what is too long: `the answer of the server`.
    public static func answerTooLong(_ part: String, limit: Int, hint: String? = nil) -> SoupError {
        SoupError(
            .answerTooLong, "\(part) is longer than \(limit) bytes",
            hint: hint ?? "Ask for less at once, or give the transport a higher limit.",
            cause: NetworkFailure(.unknown, "the answer is too long"))
    }
}
