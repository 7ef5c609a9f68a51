// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import Dispatch

extension DispatchQueue {
    /// Runs work that blocks its thread, which is not one of Swift's cooperative pool.
    func run<T: Sendable>(_ work: @escaping @Sendable () throws -> T) async throws -> T {
        try await withCheckedThrowingContinuation { continuation in
            self.async { continuation.resume(with: Result(catching: work)) }
        }
    }
}
