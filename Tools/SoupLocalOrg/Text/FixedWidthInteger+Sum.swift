// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

extension FixedWidthInteger {
    /// Returns the sum, limited to the range of the type.
    ///
    /// For numbers from requests and files, where an overflow must not end the process.
    func plus(_ other: Self) -> Self {
        let (sum, overflows) = addingReportingOverflow(other)
        guard overflows else { return sum }
        return other < 0 ? .min : .max
    }
}
