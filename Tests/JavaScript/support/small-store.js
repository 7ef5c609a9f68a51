// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0
'use strict';

const { STORE, NETWORK } = require('./fake-bridge.js');

/** A store in memory and a server with one record, for tests that also run against a real bridge. */
class SmallStore {
    constructor() {
        this.soups = new Map();
        this.cursors = new Map();
        this.nextId = 1;
        this.nextCursor = 1;
        this.date = 1700000000000;
        /** The requests to the server: method, path and parameters. */
        this.requests = [];
    }

    /** Answers a call as a bridge does: returns the value, or throws the error value. */
    answer({ service, action, args }) {
        const [, given] = args;
        if (service === NETWORK) return this.request(given);
        if (service !== STORE || !(action in this)) throw `Invalid action: ${action}`;
        return this[action](given);
    }

    request({ method, path, queryParams }) {
        this.requests.push([method, path, queryParams]);
        if (method === 'POST') return { id: '001xx', success: true, errors: [] };
        if (method === 'GET') return { id: '001xx', Name: 'Cloud Inc', Description: 'From the server' };
        return null;
    }

    soup(name) {
        const soup = this.soups.get(name);
        if (!soup) throw `there is no soup "${name}"`;
        return soup;
    }

    pgRegisterSoup({ soupName, indexes }) {
        if (!soupName || !Array.isArray(indexes) || indexes.length === 0) throw 'soupName or indexes is missing';
        if (!this.soups.has(soupName)) this.soups.set(soupName, { indexes, entries: new Map() });
        return soupName;
    }

    pgSoupExists({ soupName }) { return this.soups.has(soupName); }

    pgRemoveSoup({ soupName }) {
        this.soups.delete(soupName);
        return 'OK';
    }

    pgGetSoupIndexSpecs({ soupName }) { return this.soup(soupName).indexes; }

    pgUpsertSoupEntries({ soupName, entries, externalIdPath }) {
        const soup = this.soup(soupName);
        this.date += 1;
        return entries.map((entry) => {
            const key = entry[externalIdPath];
            const all = key === undefined ? [] : [...soup.entries.values()];
            const matches = all.filter((one) => one[externalIdPath] === key);
            if (matches.length > 1) throw 'more than one entry has the external ID';
            const id = matches.length === 1 ? matches[0]._soupEntryId : this.nextId;
            if (matches.length === 0) this.nextId += 1;
            const saved = { ...entry, _soupEntryId: id, _soupLastModifiedDate: this.date };
            soup.entries.set(id, saved);
            return saved;
        });
    }

    pgRetrieveSoupEntries({ soupName, entryIds }) {
        const { entries } = this.soup(soupName);
        return entryIds.filter((id) => entries.has(id)).map((id) => entries.get(id));
    }

    pgRemoveFromSoup({ soupName, entryIds, querySpec }) {
        const { entries } = this.soup(soupName);
        const ids = entryIds || this.matches(soupName, querySpec).map(({ _soupEntryId }) => _soupEntryId);
        for (const id of ids) entries.delete(id);
        return 'OK';
    }

    matches(soupName, { indexPath, queryType, matchKey, beginKey, endKey, order }) {
        const isMatch = (value) => (queryType === 'exact' ? value === matchKey
            : (beginKey === null || value >= beginKey) && (endKey === null || value <= endKey));
        const sign = order === 'descending' ? -1 : 1;
        return [...this.soup(soupName).entries.values()].filter((entry) => isMatch(entry[indexPath]))
            .sort((one, other) => (one[indexPath] < other[indexPath] ? -sign : sign));
    }

    pgQuerySoup({ soupName, querySpec }) {
        const rows = this.matches(soupName, querySpec).map((entry) =>
            (querySpec.selectPaths ? querySpec.selectPaths.map((path) => entry[path]) : entry));
        const cursorId = String(this.nextCursor);
        this.nextCursor += 1;
        this.cursors.set(cursorId, { rows, pageSize: querySpec.pageSize });
        return this.page(cursorId, 0);
    }

    pgMoveCursorToPageIndex({ cursorId, index }) { return this.page(cursorId, index); }

    page(cursorId, index) {
        const cursor = this.cursors.get(cursorId);
        if (!cursor) throw `Invalid cursor id: ${cursorId}`;
        const { rows, pageSize } = cursor;
        return {
            cursorId, pageSize, totalEntries: rows.length, totalPages: Math.ceil(rows.length / pageSize),
            currentPageIndex: index,
            currentPageOrderedEntries: rows.slice(index * pageSize, (index + 1) * pageSize),
        };
    }

    pgCloseCursor({ cursorId }) {
        this.cursors.delete(cursorId);
        return 'OK';
    }
}

module.exports = { SmallStore };
