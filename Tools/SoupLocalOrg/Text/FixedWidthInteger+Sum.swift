// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

extension FixedWidthInteger {
    /// The sum; what is beyond the type's numbers becomes the nearest of them.
    ///
    /// For numbers that come from outside, where an overflow must not end the org.
    func plus(_ other: Self) -> Self {
        let (sum, overflows) = addingReportingOverflow(other)
        guard overflows else { return sum }
        return other < 0 ? .min : .max
    }
}
