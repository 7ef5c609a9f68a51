// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

// Arrays have spans only on newer systems than SoupKit supports; slices of arrays have them on all.

extension JSONScanner {
    /// Slices the records of a page, like the form for spans.
    ///
    /// - Throws: ``JSONError``.
    public static func page(
        _ bytes: [UInt8], recordsAt: JSONPath, envelope: [JSONPath] = [], projecting projection: JSONProjection? = nil,
        in range: Range<Int>? = nil, allowsNull: Bool = false
    ) throws(JSONError) -> JSONPageScan {
        let slice = bytes[...]
        return try page(
            slice.span, recordsAt: recordsAt, envelope: envelope, projecting: projection, in: range,
            allowsNull: allowsNull)
    }

    /// Takes the projection's paths from the object in `range`, like the form for spans.
    ///
    /// - Throws: ``JSONError``.
    public static func project(
        _ projection: JSONProjection, from bytes: [UInt8], in range: Range<Int>, into result: inout JSONProjected
    ) throws(JSONError) {
        let slice = bytes[...]
        try project(projection, from: slice.span, in: range, into: &result)
    }
}
