// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import Testing

/// Expects two values to be equal.
///
/// `#expect` does not show the values of an expression that contains `await`; this function does.
func expect<T: Equatable>(
    _ actual: T, _ expected: T, comment: Comment? = nil, sourceLocation: SourceLocation = #_sourceLocation
) {
    #expect(actual == expected, comment, sourceLocation: sourceLocation)
}
