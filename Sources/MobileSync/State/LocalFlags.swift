// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// The local flags of an entry; a missing one is false.
struct LocalFlags: Sendable, Hashable {
    /// Whether the entry carries `__local__`.
    ///
    /// Without it the entry is neither clean nor dirty: nobody knows.
    var isKnown = false
    var local = false
    var created = false
    var updated = false
    var deleted = false

    /// Whether the entry carries flags and none is set.
    var isClean: Bool { isKnown && !isDirty }

    /// Whether one of the flags is set.
    var isDirty: Bool { local || created || updated || deleted }

    /// What happened to the entry, as far as the server is concerned; nil when the flags do not say.
    ///
    /// `deleted` goes before `created` before `updated`.
    var change: RecordChange.Kind? {
        guard local else { return nil }
        return deleted ? .delete : created ? .create : updated ? .update : nil
    }

    /// Whether the entry was made and deleted here, so that the server never needs to hear of it.
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
