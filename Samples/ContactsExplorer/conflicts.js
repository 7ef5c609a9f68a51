// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

const SOUP = 'contacts';

/** The conflicts that syncs with the merge mode MERGE found. The mobile SDKs have no such functions. */
export class Conflicts {
    constructor(kit) {
        this.client = kit.conflictsClient;
    }

    /**
     * Returns the open conflicts: `[{entryId, fields, base, local, remote}]`.
     *
     * `base` is the version before the changes of both sides, or null if it is unknown. `local` and `remote` are null if
     * that side deleted the contact. `fields` are the fields that both sides changed.
     */
    list() {
        return this.client.list(SOUP);
    }

    /**
     * Resolves a conflict.
     *
     * @param side `local` sends the local values with the next sync up; `remote` takes the values of the server.
     */
    resolve(entryId, side) {
        return this.client.resolve(SOUP, entryId, side);
    }
}
