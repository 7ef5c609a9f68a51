// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

// What an app needs with one import: the nouns, the store's face, the engine and the session.
@_exported public import MemoryStore
@_exported public import MobileSync
@_exported public import SQLiteStore
@_exported public import SalesforceAPI
@_exported public import SmartStore
@_exported public import SoupCore
