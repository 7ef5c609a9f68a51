// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// The secrets of a session, which it removes from texts that leave SoupKit.
///
/// A server, or a proxy in front of it, can repeat a token or a password in an error. The mask replaces it with
/// ``replacement`` in every message. It finds secrets that are written plainly, percent-encoded, as JSON escapes or as
/// HTML entities, and secrets that are cut off by the end of the text.
///
/// One mask serves a session for its lifetime: secrets of earlier tokens stay known after a renewal.
public final class SecretMask: Sendable {
    /// The text that replaces a secret.
    public static let replacement = "***"
    /// The minimum length of a secret in bytes; shorter texts are not masked because they occur in ordinary words.
    public static let minimumLength = 4

    private let known = Mutex<[SecretPattern]>([])

    /// Creates a mask that knows these secrets.
    public init(_ secrets: [String] = []) { add(secrets) }

    /// Adds secrets; those that are too short or already known are ignored.
    public func add(_ secrets: [String]) {
        let new = secrets.map { SecretPattern($0) }.filter { $0.bytes.count >= Self.minimumLength }
        guard !new.isEmpty else { return }
        known.withLock { known in
            for pattern in new where !known.contains(pattern) { known.append(pattern) }
            // A token can contain another secret: the longest one is replaced.
            known.sort { $0.bytes.count > $1.bytes.count }
        }
    }

    /// Returns the text without the secrets.
    public func masked(_ text: String) -> String {
        let patterns = known.withLock { $0 }
        guard !patterns.isEmpty else { return text }
        let scanned = SecretText(text)
        let bytes = scanned.bytes
        var output: [UInt8] = []
        var position = 0
        var isChanged = false
        while position < bytes.count {
            if let end = patterns.lazy.compactMap({ $0.end(in: scanned, from: position) }).first {
                output += Array(Self.replacement.utf8)
                position = end
                isChanged = true
            } else {
                output.append(bytes[position])
                position += 1
            }
        }
        return isChanged ? String(decoding: output, as: UTF8.self) : text
    }
}
