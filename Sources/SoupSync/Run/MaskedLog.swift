// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import Logging
internal import SoupCore

/// A log handler that removes the secrets of a session from every log event.
struct MaskedLog: LogHandler {
    private var base: any LogHandler
    private let mask: SecretMask

    init(_ base: any LogHandler, _ mask: SecretMask) {
        self.base = base
        self.mask = mask
    }

    var logLevel: Logger.Level {
        get { base.logLevel }
        set { base.logLevel = newValue }
    }

    var metadata: Logger.Metadata {
        get { base.metadata }
        set { base.metadata = newValue }
    }

    var metadataProvider: Logger.MetadataProvider? {
        get { base.metadataProvider }
        set { base.metadataProvider = newValue }
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { base[metadataKey: key] }
        set { base[metadataKey: key] = newValue }
    }

    func log(event: LogEvent) {
        var event = event
        event.message = "\(mask.masked(event.message.description))"
        event.error = event.error.map { mask.masked($0) }
        event.metadata = event.metadata?.mapValues { .string(mask.masked($0.description)) }
        base.log(event: event)
    }
}
