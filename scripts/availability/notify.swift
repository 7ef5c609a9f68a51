// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

// The declarations of Apple's notify.h that SoupKit uses, in the form in which Swift imports them.

public import Dispatch

@discardableResult
public func notify_post(_ name: UnsafePointer<CChar>) -> UInt32 { 0 }

@discardableResult
public func notify_register_dispatch(
    _ name: UnsafePointer<CChar>, _ token: UnsafeMutablePointer<Int32>, _ queue: DispatchQueue,
    _ handler: @escaping @convention(block) (Int32) -> Void
) -> UInt32 { 0 }

@discardableResult
public func notify_cancel(_ token: Int32) -> UInt32 { 0 }
