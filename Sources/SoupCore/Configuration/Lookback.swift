// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// The member `lookback` of a target object: a number of seconds, by default 600.
///
/// See ``SyncDownTarget/lookback``.
package struct Lookback: Decodable, Sendable, Hashable {
    /// The time, from zero to a week: servers report deletions for little longer.
    package let duration: Duration

    private enum CodingKeys: String, CodingKey {
        case lookback
    }

    /// Reads the member of the current object, and ignores its other members.
    ///
    /// - Parameter standard: the time if the member is missing.
    package init(from decoder: any Decoder, standard: Duration) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        duration = try container.decodeIfPresent(Seconds.self, forKey: .lookback)?.duration ?? standard
    }

    /// Reads the member, with a default of ten minutes.
    package init(from decoder: any Decoder) throws { try self.init(from: decoder, standard: Self.standard) }

    /// Returns the value of the member.
    package static func json(_ duration: Duration) -> JSONValue {
        let milliseconds = duration.milliseconds
        return milliseconds % 1000 == 0 ? .int(milliseconds / 1000) : .double(Double(milliseconds) / 1000)
    }

    /// Ten minutes.
    package static let standard: Duration = .seconds(600)

    /// The value of the member.
    private struct Seconds: Decodable {
        let duration: Duration

        init(from decoder: any Decoder) throws {
            let seconds = try decoder.singleValueContainer().decode(Double.self)
            guard (0...Self.longest).contains(seconds) else {
                throw SoupError(
                    .badConfiguration, "\(seconds) is not a number of seconds from 0 to \(Int(Self.longest)), a week",
                    hint: "Write a number of seconds, such as 600.")
            }
            duration = .milliseconds(Int64((seconds * 1000).rounded()))
        }

        private static let longest = 604_800.0
    }
}
