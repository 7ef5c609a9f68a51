// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

const SOUP = 'contacts';

/** The contacts in the store. Each change sets the local flags, so that the next sync up sends it. */
export class Contacts {
    constructor(kit) {
        this.store = kit.smartstoreClient;
        this.cursor = null;
    }

    // -- Queries -----------------------------------------------------------------------------------------------------

    /**
     * Returns a page of contacts in the order of their last names: `{contacts, total, page, pages}`.
     *
     * @param text words to search for; empty for all contacts.
     * @param page the number of the page from 0; the last page if there are fewer.
     */
    async page(text, page, pageSize) {
        const key = searchKey(text);
        if (text.trim() !== '' && key === '') return { contacts: [], total: 0, page: 0, pages: 0 };
        const spec = key === ''
            ? this.store.buildAllQuerySpec('LastName', 'ascending', pageSize)
            : this.store.buildMatchQuerySpec(null, key, 'ascending', pageSize, 'LastName');
        let cursor = await this.store.querySoup(SOUP, spec);
        try {
            const last = Math.max(0, cursor.totalPages - 1);
            if (page > 0 && last > 0) {
                cursor = await this.store.moveCursorToPageIndex(cursor, Math.min(page, last));
            }
        } finally {
            await this.store.closeCursor(cursor);
        }
        return {
            contacts: cursor.currentPageOrderedEntries, total: cursor.totalEntries, page: cursor.currentPageIndex,
            pages: cursor.totalPages,
        };
    }

    /** Returns a contact; undefined if it does not exist. */
    async contact(id) {
        return (await this.store.retrieveSoupEntries(SOUP, [id]))[0];
    }

    /** Returns all contacts with local changes. */
    async changed() {
        const contacts = [];
        let cursor = await this.store.querySoup(
            SOUP, this.store.buildExactQuerySpec('__local__', true, 200, 'ascending', 'LastName'));
        try {
            contacts.push(...cursor.currentPageOrderedEntries);
            while (cursor.currentPageIndex + 1 < cursor.totalPages) {
                cursor = await this.store.moveCursorToNextPage(cursor);
                contacts.push(...cursor.currentPageOrderedEntries);
            }
        } finally {
            await this.store.closeCursor(cursor);
        }
        return contacts;
    }

    // -- Changes -----------------------------------------------------------------------------------------------------

    /** Saves a new contact, and returns it. */
    async create(values) {
        return this.write({
            Id: `local_${Date.now()}${Math.floor(Math.random() * 1e6)}`, attributes: { type: 'Contact' }, ...values,
            __local__: true, __locally_created__: true, __locally_updated__: false, __locally_deleted__: false,
        });
    }

    /**
     * Saves new values of a contact, and returns it.
     *
     * Other values are read again first, because a sync can have changed them since the form was opened. An error of
     * the server is removed, because it was about the values that were sent before.
     */
    async edit(id, values) {
        return this.change(id, (contact) => {
            delete contact.__last_error__;
            Object.assign(contact, values, { __local__: true, __locally_updated__: true });
        });
    }

    /** Marks a contact for deletion. It stays in the store until a sync up has deleted it on the server. */
    async delete(id) {
        return this.change(id, (contact) => Object.assign(contact, { __local__: true, __locally_deleted__: true }));
    }

    /** Removes the mark of `delete`; other local changes stay. */
    async undelete(id) {
        return this.change(id, (contact) => {
            delete contact.__last_error__;
            contact.__locally_deleted__ = false;
            contact.__local__ = Boolean(contact.__locally_created__ || contact.__locally_updated__);
        });
    }

    async change(id, apply) {
        const contact = await this.contact(id);
        if (!contact) throw 'This contact does not exist any more. It was deleted here or on the server.';
        apply(contact);
        return this.write(contact);
    }

    async write(contact) {
        return (await this.store.upsertSoupEntries(SOUP, [contact]))[0];
    }
}

/** Returns the error of the server for the last change that was sent: `{message, errorCode, fields}`; null if none. */
export function errorOf(contact) {
    if (!contact.__local__ || !contact.__last_error__) return null;
    let error = contact.__last_error__;
    try {
        if (typeof error === 'string') error = JSON.parse(error);
    } catch {
        return { message: String(error), errorCode: '', fields: [] };
    }
    if (Array.isArray(error)) [error] = error;
    return { message: error?.message ?? String(error), errorCode: error?.errorCode ?? '', fields: error?.fields ?? [] };
}

/** Returns the words of a text as a search expression: all must be found, and each can be the beginning of a word. */
export function searchKey(text) {
    return (text.match(/[\p{L}\p{N}\p{M}]+/gu) ?? []).map((word) => `"${word}"*`).join(' ');
}
