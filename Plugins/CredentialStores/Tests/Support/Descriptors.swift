// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Closes a descriptor, and returns whether it was open.
func closed(_ descriptor: Int32) -> Bool { close(descriptor) == 0 }
