// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import GRDB
internal import Synchronization

/// The user's time zone, in which days begin and end.
struct OrgZone: Sendable {
    /// Nil for UTC.
    private let zone: TimeZone?

    /// - Parameter name: a name of the time zone database; an unknown one means UTC.
    init(_ name: String = "UTC") {
        zone = ["UTC", "GMT"].contains(name) ? nil : TimeZone(identifier: name)
    }

    /// Returns the offset from UTC at a time, in milliseconds.
    func offset(at milliseconds: Int64) -> Int64 {
        guard let zone else { return 0 }
        return Int64(zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(milliseconds) / 1000))) * 1000
    }

    /// Returns the local time as if it were UTC.
    func local(_ milliseconds: Int64) -> Int64 { milliseconds.plus(offset(at: milliseconds)) }

    /// Returns the time at which a day begins, in milliseconds since 1970.
    func start(of date: OrgDate) -> Int64 {
        let midnight = date.start
        // The offset at the beginning of the day may differ from the offset at midnight in UTC.
        return midnight - offset(at: midnight - offset(at: midnight))
    }

    /// Returns the SQL expression of a time converted to the zone.
    func localSQL(_ sql: String) -> String {
        guard let zone else { return sql }
        return "\(Self.function)(\(sql), '\(zone.identifier)')"
    }

    /// The name of the SQL function; its arguments are milliseconds since 1970 and the name of a zone.
    private static let function = "org_local"

    /// Registers the function on a connection.
    static func install(in db: Database) {
        // A query uses one zone for all its rows.
        let last = Mutex<(name: String, zone: OrgZone)>(("UTC", OrgZone()))
        db.add(
            function: DatabaseFunction(function, argumentCount: 2, pure: true) { values in
                guard let time = Int64.fromDatabaseValue(values[0]), let name = String.fromDatabaseValue(values[1])
                else { return nil }
                let zone = last.withLock { last in
                    if last.name != name { last = (name, OrgZone(name)) }
                    return last.zone
                }
                return zone.local(time)
            })
    }
}
