// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

// The declarations of Apple's CryptoKit that the checked modules use: signatures and availability, without behaviour.

@available(macOS 10.15, iOS 13.0, tvOS 13.0, watchOS 6.0, visionOS 1.0, *)
public struct SHA256: Sendable {
    public struct Digest: Sequence, Sendable {
        public func makeIterator() -> Array<UInt8>.Iterator { [].makeIterator() }
    }

    public init() {}
    public mutating func update(data: [UInt8]) {}
    public func finalize() -> Digest { Digest() }
}
