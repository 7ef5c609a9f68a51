// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import GRDB

/// Distances on the earth as a sphere.
enum GreatCircle {
    /// The name of the SQL function; its arguments are latitude and longitude of two places in degrees, and the radius.
    static let function = "org_distance"

    /// Registers the function on a connection.
    static func install(in db: Database) {
        db.add(
            function: DatabaseFunction(function, argumentCount: 5, pure: true) { values in
                let numbers = values.compactMap { Double.fromDatabaseValue($0) }
                guard numbers.count == 5 else { return nil }
                return distance((numbers[0], numbers[1]), (numbers[2], numbers[3]), radius: numbers[4])
            })
    }

    /// Returns the length of the shortest path, in the unit of the radius.
    static func distance(
        _ from: (latitude: Double, longitude: Double), _ to: (latitude: Double, longitude: Double), radius: Double
    ) -> Double {
        func radians(_ degrees: Double) -> Double { degrees * .pi / 180 }
        let latitudes = sin(radians(to.latitude - from.latitude) / 2)
        let longitudes = sin(radians(to.longitude - from.longitude) / 2)
        let part =
            latitudes * latitudes
            + cos(radians(from.latitude)) * cos(radians(to.latitude)) * longitudes * longitudes
        return 2 * radius * asin(min(1, part.squareRoot()))
    }
}
