// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

extension Date {
    /// The milliseconds from 1970 to 2001, where `Date` begins to count.
    private static let reference: Int64 = 978_307_200_000

    /// Creates a date from whole milliseconds since 1970, UTC: the form in which stores and servers keep dates.
    ///
    /// For the years 0 to 9999, ``millisecondsSince1970`` of the date returns the same number.
    package init(millisecondsSince1970 milliseconds: Int64) {
        let (sum, isBeyond) = milliseconds.subtractingReportingOverflow(Self.reference)
        self.init(timeIntervalSinceReferenceDate: Double(isBeyond ? .min : sum) / 1000)
    }

    /// The milliseconds since 1970, UTC, rounded to the nearest whole number; limited to the range of the type.
    package var millisecondsSince1970: Int64 {
        let (sum, isBeyond) = Int64(limiting: (timeIntervalSinceReferenceDate * 1000).rounded())
            .addingReportingOverflow(Self.reference)
        return isBeyond ? .max : sum
    }
}

extension Duration {
    /// The duration in milliseconds, rounded up to the next whole number; limited to the range of the type.
    package var milliseconds: Int64 {
        let (seconds, attoseconds) = components
        let (thousands, isBeyond) = seconds.multipliedReportingOverflow(by: 1000)
        let limit: Int64 = seconds < 0 ? .min : .max
        if isBeyond { return limit }
        // Division rounds negative numbers up, too.
        let rest = attoseconds > 0 ? (attoseconds - 1) / 1_000_000_000_000_000 + 1 : attoseconds / 1_000_000_000_000_000
        let (sum, isStillBeyond) = thousands.addingReportingOverflow(rest)
        return isStillBeyond ? limit : sum
    }
}

extension Int64 {
    /// The number without its fraction, limited to the range of the type; 0 if it is not a number.
    fileprivate init(limiting number: Double) {
        if let exact = Int64(exactly: number.rounded(.towardZero)) {
            self = exact
        } else {
            self = number > 0 ? .max : number < 0 ? .min : 0
        }
    }
}
