// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// The proof that the client which redeems a code is the one that requested it (PKCE, RFC 7636).
struct ProofKey: Sendable {
    /// The secret that is sent with the code.
    let verifier: String

    /// - Parameter random: 32 random bytes.
    init(random: [UInt8]) { verifier = random.base64URL }

    /// The hash of the verifier, which is sent first.
    var challenge: String { SHA256Digest.hash(Array(verifier.utf8)).base64URL }
}
