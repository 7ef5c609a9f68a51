// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// The limits of a transport: the duration of an exchange, and the memory for a response.
///
/// The keys in `org.json` are the names of the properties, with the times in seconds; missing keys have the standard
/// values.
public struct TransportLimits: Sendable, Hashable, Decodable {
    /// The maximum time during which a server sends nothing; also the limit for connecting.
    public var idleTimeout: Duration
    /// The maximum time of a whole exchange.
    public var totalTimeout: Duration
    /// The maximum number of bytes in the body of a response that arrives uncompressed.
    ///
    /// If a body is longer, the exchange ends with the error `answerTooLong`, whose delivery is unknown.
    public var maximumAnswerBytes: Int
    /// The maximum number of bytes after decompression in the body of a response that arrives compressed.
    ///
    /// The standard value is lower than that of ``maximumAnswerBytes``. Compressed bytes can expand a thousandfold, so
    /// a small response could use up the memory of the app.
    public var maximumDecompressedBytes: Int

    /// Creates limits: 60 seconds without a byte, 600 seconds in total, 256 MiB uncompressed, 64 MiB decompressed.
    public init(
        idleTimeout: Duration = .seconds(60), totalTimeout: Duration = .seconds(600),
        maximumAnswerBytes: Int = 256 << 20,
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
        func readSeconds(_ key: CodingKeys, into value: inout Duration) throws {
            guard let seconds = try container.decodeIfPresent(Double.self, forKey: key) else { return }
            // Thirty years; a conversion of larger numbers would stop the program.
            value = .seconds(min(max(seconds, -1e9), 1e9))
        }
        try readSeconds(.idleTimeout, into: &idleTimeout)
        try readSeconds(.totalTimeout, into: &totalTimeout)
        try read(.maximumAnswerBytes, into: &maximumAnswerBytes)
        try read(.maximumDecompressedBytes, into: &maximumDecompressedBytes)
    }

    /// Checks that the timeouts are positive and the sizes not negative.
    ///
    /// - Throws: ``SoupError`` or ``ConfigurationError`` with `badConfiguration`, with the key as the place.
    public func check() throws {
        var faults = ConfigurationFaults()
        for (key, timeout) in [("idleTimeout", idleTimeout), ("totalTimeout", totalTimeout)] where timeout <= .zero {
            faults.add(
                SoupError(
                    .badConfiguration, "a timeout must be longer than 0 seconds", place: SoupError.Place(path: key),
                    hint: "Write a number of seconds, such as 60."))
        }
        let sizes = [
            ("maximumAnswerBytes", maximumAnswerBytes), ("maximumDecompressedBytes", maximumDecompressedBytes),
        ]
        for (key, bytes) in sizes where bytes < 0 {
            faults.add(
                SoupError(
                    .badConfiguration, "a size cannot be negative", place: SoupError.Place(path: key),
                    hint: "Write a number of bytes, such as 268435456."))
        }
        try faults.finish()
    }
}

extension SoupError.Code {
    /// The head or the body of a response is longer than the transport accepts.
    public static let answerTooLong: Self = "answerTooLong"
}

extension SoupError {
    /// Returns the error of a transport for a response that is longer than its limit; the delivery is unknown.
    ///
    /// - Parameter part: the part that is too long: `the answer of the server`.
    public static func answerTooLong(_ part: String, limit: Int, hint: String? = nil) -> SoupError {
        SoupError(
            .answerTooLong, "\(part) is longer than \(limit) bytes",
            hint: hint ?? "Request less data at once, or set a higher limit for the transport.",
            cause: NetworkFailure(.unknown, "the response is too long"))
    }
}
