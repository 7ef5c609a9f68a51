// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// How contents are put into a file and taken out again, frame by frame.
///
/// It is the one place that knows how the bytes of a file come from the contents: every file of a store, of values, of
/// keys and of the version, goes through it. Frames have their number and know whether they are the last, so that a
/// cipher can bind both and notice a file that was cut off or put together anew. For now a frame is the contents
/// themselves.
struct FileFraming: Sendable {
    /// Bytes of contents in every frame but the last, which is not longer.
    let contentLength = 65_536
    /// Bytes by which a frame is longer than its contents.
    let overhead = 0

    /// What a frame of contents is in the file.
    func seal(_ contents: [UInt8], frame: Int, isLast: Bool) throws -> [UInt8] { contents }

    /// The contents of a frame of the file.
    func unseal(_ bytes: [UInt8], frame: Int, isLast: Bool) throws -> [UInt8] { bytes }
}
