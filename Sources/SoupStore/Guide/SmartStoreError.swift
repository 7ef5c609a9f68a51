// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// The error of the guide's methods that return a `Result`; all others throw `SoupError`.
public enum SmartStoreError: Error, Sendable, CustomStringConvertible {
    /// The error of the native method: a `SoupError`, or `CancellationError` in a cancelled task.
    case error((any Error)?)
    /// An unknown error, for code that handles every case; no method returns it.
    case unknown

    /// The text of the underlying error.
    public var description: String {
        switch self {
        case .error(let error?): "\(error)"
        case .error(nil), .unknown: "an unknown error of the store"
        }
    }
}

extension Result where Failure == SmartStoreError {
    /// Creates a result from the value of a throwing body, or from its error.
    init(of body: () throws -> Success) {
        do { self = .success(try body()) } catch { self = .failure(.error(error)) }
    }
}
