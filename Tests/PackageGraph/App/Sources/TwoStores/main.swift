// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SmartStore
import SoupCore
import SoupStore

// Both packages have a type SmartStore. SoupStore contains no type SoupStore, so its SmartStore can be qualified.
print(SoupStore.SmartStore.self, IndexSpec("Id", .string), KeyValueEncryptedFileStore.self)
