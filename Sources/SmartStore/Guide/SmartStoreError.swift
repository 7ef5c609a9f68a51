// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// The error of the forms of the developer guide that return a `Result`; all others throw `SoupError`.
public enum SmartStoreError: Error, Sendable, CustomStringConvertible {
    /// The error that the native method throws: a `SoupError`, or `CancellationError` in a task that was cancelled.
    case error((any Error)?)
    /// For code that handles every case; no form returns it.
    case unknown

    /// The text of the error behind this one.
    public var description: String {
        switch self {
        case .error(let error?): "\(error)"
        case .error(nil), .unknown: "an unknown error of the store"
        }
    }
}

extension Result where Failure == SmartStoreError {
    /// The value of a throwing body, or its error.
    init(of body: () throws -> Success) {
        do { self = .success(try body()) } catch { self = .failure(.error(error)) }
    }
}
