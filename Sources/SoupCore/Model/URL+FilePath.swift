// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

extension URL {
    /// The path of a file URL, for calls of the file system and for messages.
    ///
    /// Without percent encoding, and without a slash at the end. The path of a URL that was created from a relative
    /// path is that relative path while the current folder is the same, so that messages show paths as the user wrote
    /// them.
    /// For a URL that is not a file URL returns the whole text of the URL.
    package var filePath: String {
        guard isFileURL else { return absoluteString }
        if let baseURL, baseURL.absolutePath == URL.currentDirectory().absolutePath {
            return relativePath
        }
        return absolutePath
    }

    private var absolutePath: String {
        let path = path(percentEncoded: false)
        return path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
    }
}
