// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// The local flags of an entry; a missing flag is `false`.
struct LocalFlags: Sendable, Hashable {
    /// Whether the entry has `__local__`.
    ///
    /// Without it, it is unknown whether the entry is clean or dirty.
    var isKnown = false
    var local = false
    var created = false
    var updated = false
    var deleted = false

    /// Whether the entry has flags and none of them is set.
    var isClean: Bool { isKnown && !isDirty }

    /// Whether at least one of the flags is set.
    var isDirty: Bool { local || created || updated || deleted }

    /// The change that a push would send for the entry; `nil` if the flags name none.
    ///
    /// If several flags are set, `deleted` has precedence over `created`, and `created` over `updated`.
    var change: RecordChange.Kind? {
        guard local else { return nil }
        return deleted ? .delete : created ? .create : updated ? .update : nil
    }

    /// Whether the entry was both created and deleted locally, so that nothing has to be sent to the server.
    var isLocalOnly: Bool { local && created && deleted }
}

extension SoupEntry {
    var flags: LocalFlags {
        var projected = JSONProjected()
        guard
            (try? JSONScanner.project(
                Self.flagProjection, from: stored.bytes.span, in: 0..<stored.bytes.count, into: &projected)) != nil
        else { return LocalFlags() }
        func isSet(_ index: Int) -> Bool {
            JSONText.text(of: projected.fields[index], in: stored.bytes)?.value.isSetFlag ?? false
        }
        return LocalFlags(
            isKnown: !projected.fields[0].isMissingOrNull, local: isSet(0), created: isSet(1), updated: isSet(2),
            deleted: isSet(3))
    }

    private static let flagProjection = JSONProjection(EntryField.localFlags.map { JSONPath($0) })
}
