// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import { errorOf } from './contacts.js';
import { element } from './dom.js';

/** Returns the marks of a contact with local changes; null if it has none. */
export function badges(contact, app) {
    if (!contact.__local__) return null;
    const marks = [[changeOf(contact), 'change']];
    if (app.isInConflict(contact)) marks.push(['Conflict', 'conflict']);
    else if (errorOf(contact)) marks.push(['Rejected', 'rejected']);
    return element(
        'span', { class: 'badges' },
        marks.map(([label, kind]) => element('span', { class: `badge ${kind}` }, label)));
}

/** Returns the change that the next sync up sends. */
export function changeOf(contact) {
    if (contact.__locally_deleted__) return 'Deleted';
    return contact.__locally_created__ ? 'New' : 'Edited';
}
