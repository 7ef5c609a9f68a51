// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes
package import SoupCore

/// An answer to a request that never reached a service.
package struct EndpointError: Error, Hashable {
    package let status: HTTPResponse.Status
    package let message: String

    init(_ status: HTTPResponse.Status, _ message: String) {
        self.status = status
        self.message = message
    }

    /// The body: `{"error": text}`.
    package var body: JSONText { .object([("error", .string(message))]) }
}
