// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

// The names that the code of the articles uses without declaring them. scripts/check-articles.py compiles the articles
// against this file; it is never run. An article may declare any of these names itself.

import Foundation
import SoupKeyValue
import SoupKit

/// Returns a value of any type, for code that is only type-checked.
func example<Value>(_ type: Value.Type = Value.self) -> Value {
    while true {}
}

// The parts of an app with SoupKit.
var kit: SoupClient { example() }
var store: SmartStore { example() }
var syncs: SyncManager { example() }
var manager: SyncManager { example() }
var run: SyncRun { example() }
var entry: SoupEntry { example() }
var contactId: Int64 { example() }

/// A record of the soup `contacts`; its members have the names of the fields.
// swift-format-ignore: AlwaysUseLowerCamelCase
struct Contact: Codable, Sendable {
    var FirstName: String?
    var LastName: String
    var Title: String?
}

/// The result of a login that an app has.
struct Login: Sendable {
    var instanceURL: String
    var accessToken: String
    var refreshToken: String
}
var login: Login { example() }
var consumerKey: String { example() }
/// Stores credentials, such as in the keychain.
func keep(_ credentials: SalesforceCredentials) async {}

// The user interface of an app.
func show<each Value>(_ values: repeat each Value) {}
func redraw<each Value>(_ values: repeat each Value) {}
var typed: String { example() }

// Key-value stores.
var responses: FileKeyValueStore { example() }
var download: AsyncStream<Data> { example() }

/// A task that the system runs in the background, such as a `BGTask`.
struct BackgroundTask: Sendable {
    func setTaskCompleted(success: Bool) {}
}
var task: BackgroundTask { example() }

#if !canImport(Darwin)
    // Declarations of Foundation that exist on Apple platforms only.
    extension URL {
        static var applicationSupportDirectory: URL { example() }
    }
#endif
