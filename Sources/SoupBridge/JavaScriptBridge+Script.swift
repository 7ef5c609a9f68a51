// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

extension JavaScriptBridge {
    /// The text of `soupkit.js`, the client for pages and Node, in UTF-8.
    ///
    /// A web view gets it as a script that runs before those of the page.
    public static let script: [UInt8] = PackageResources.soupkit_js
}
