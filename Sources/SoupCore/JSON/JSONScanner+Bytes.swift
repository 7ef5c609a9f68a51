// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

// Arrays give spans only on systems that are newer than those SoupKit runs on; slices of them give them on all.

extension JSONScanner {
    /// Slices the records of a page; as the form for spans does.
    ///
    /// - Throws: ``JSONError``.
    public static func page(
        _ bytes: [UInt8], recordsAt: JSONPath, envelope: [JSONPath] = [], projecting projection: JSONProjection? = nil
    ) throws(JSONError) -> JSONPageScan {
        let slice = bytes[...]
        return try page(slice.span, recordsAt: recordsAt, envelope: envelope, projecting: projection)
    }

    /// Takes the projection's paths from the object that `range` holds; as the form for spans does.
    ///
    /// - Throws: ``JSONError``.
    public static func project(
        _ projection: JSONProjection, from bytes: [UInt8], in range: Range<Int>, into result: inout JSONProjected
    ) throws(JSONError) {
        let slice = bytes[...]
        try project(projection, from: slice.span, in: range, into: &result)
    }
}
