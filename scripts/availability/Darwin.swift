// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

// The declarations of Apple's Darwin module whose Swift form differs from that of C.

@_exported public import CDarwin

public var errno: Int32 {
    get { 0 }
    set {}
}
public var stdout: UnsafeMutablePointer<FILE> { UnsafeMutablePointer(bitPattern: 1)! }
public var stderr: UnsafeMutablePointer<FILE> { UnsafeMutablePointer(bitPattern: 1)! }

public func open(_ path: UnsafePointer<CChar>, _ flags: Int32) -> Int32 { -1 }
public func fcntl(_ descriptor: Int32, _ command: Int32) -> Int32 { -1 }
