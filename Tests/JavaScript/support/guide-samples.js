// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0
'use strict';

/*
 * The samples of the guide's pages, as functions for a page with the globals of the client: `navigator.smartStore`,
 * `cordova`, `force`, `document`. They run unchanged in Chromium and in a context of Node, so they use nothing outside of
 * themselves. Each returns a value that JSON can contain, and `guide.test.js` compares it.
 */

/** Defines functions that the samples share; it runs in the page before each of them. */
function prepare() {
    globalThis.sfSmartstore = () => cordova.require('com.salesforce.plugin.smartstore');
    globalThis.sfSync = () => cordova.require('com.salesforce.plugin.mobilesync');
    /** Calls a function with callbacks appended, and returns the promise of `[value]` or `['error', message]`. */
    globalThis.outcome = (call) => new Promise((resolve) => {
        call((value) => resolve([value]), (error) => resolve(['error', String(error.message ?? error)]));
    });
    /** Returns the promise of the value of a call with callbacks. */
    globalThis.result = (call) => new Promise((resolve, reject) => {
        call(resolve, (error) => reject(new Error(String(error.message ?? error))));
    });
    /** Starts a sync as the guide does, and returns its answer and the events that follow it. */
    globalThis.run = async (start) => {
        const answer = await result(start);
        const events = [];
        await new Promise((resolve) => {
            const listener = ({ detail }) => {
                if (detail._soupEntryId !== answer._soupEntryId) return;
                events.push(detail);
                if (detail.status === 'RUNNING') return;
                document.removeEventListener('sync', listener);
                resolve();
            };
            // The listener is added after the answer, and still receives all events.
            document.addEventListener('sync', listener);
        });
        return { answer, events, last: events[events.length - 1] };
    };
    /** Returns all rows of a query as the page of one cursor, which it closes. */
    globalThis.rows = async (soup, spec) => {
        const cursor = await result((ok, fail) => sfSmartstore().querySoup(soup, spec, ok, fail));
        await result((ok, fail) => sfSmartstore().closeCursor(cursor, ok, fail));
        return cursor.currentPageOrderedEntries;
    };
}

const samples = {
    /** Inserting, updating and upserting data: the example of the page, each step in the callback of the one before. */
    upserts: async (soup, serverId) => {
        await result((ok, fail) => sfSmartstore().registerSoup(soup, [
            { path: 'id', type: 'string' }, { path: 'Name', type: 'string' },
        ], ok, fail));
        let acc = { id: 'new', Name: 'Cloud Inc', Description: 'Getting started' };
        const seen = [];
        // The account has no _soupEntryId: this creates an entry.
        [acc] = await result((ok, fail) => sfSmartstore().upsertSoupEntries(soup, [acc], ok, fail));
        seen.push([typeof acc._soupEntryId, new Date(acc._soupLastModifiedDate).getTime() === acc._soupLastModifiedDate]);
        const { _soupEntryId } = acc;
        acc.Description = 'Just shipped our first app ';
        [acc] = await result((ok, fail) => sfSmartstore().upsertSoupEntries(soup, [acc], ok, fail));
        seen.push([acc._soupEntryId === _soupEntryId, acc.Description]);
        // The server: create, then update, without error callbacks.
        const created = await new Promise((resolve) => {
            force.create('account', { Name: acc.Name, Description: acc.Description }, resolve);
        });
        acc.id = created.id;
        await new Promise((resolve) => { sfSmartstore().upsertSoupEntries(soup, [acc], resolve); });
        acc.Description = 'Now shipping for iOS and Android';
        await new Promise((resolve) => {
            force.update('account', acc.id, { Description: acc.Description }, resolve);
        });
        // A record of the server that the soup does not have yet, twice.
        for (let time = 0; time < 2; time += 1) {
            const record = await new Promise((resolve) => {
                force.retrieve('account', serverId, 'Id,Name,Description', resolve);
            });
            record.id = record.Id;
            await new Promise((resolve) => {
                sfSmartstore().upsertSoupEntriesWithExternalId(soup, [record], 'id', resolve);
            });
        }
        const entries = await rows(soup, sfSmartstore().buildAllQuerySpec('Name', 'ascending', 10));
        return {
            seen, created: [typeof created.id, created.success],
            entries: entries.map(({ id, Name, Description }) => [id === acc.id || id === serverId, Name, Description]),
        };
    },

    /** Both overloads of the upsert functions, with both spellings of the global. */
    overloads: async (soup) => {
        const store = navigator.smartStore;
        const specs = [{ path: 'key', type: 'string' }];
        for (const scope of [false, true, { isGlobalStore: true, storeName: 'other' }]) {
            await result((ok, fail) => store.registerSoup(scope, soup, specs, ok, fail));
        }
        await result((ok, fail) => store.upsertSoupEntries(false, soup, [{ key: 'user' }], ok, fail));
        await result((ok, fail) => navigator.smartstore.upsertSoupEntries(true, soup, [{ key: 'global' }], ok, fail));
        const other = { isGlobalStore: true, storeName: 'other' };
        for (let time = 0; time < 2; time += 1) {
            await result((ok, fail) =>
                store.upsertSoupEntriesWithExternalId(other, soup, [{ key: 'other', time }], 'key', ok, fail));
        }
        const found = [];
        for (const scope of [false, true, other]) {
            const spec = store.buildAllQuerySpec('key', 'ascending', 10, ['key']);
            const cursor = await result((ok, fail) => store.querySoup(scope, soup, spec, ok, fail));
            found.push(cursor.currentPageOrderedEntries);
        }
        const stores = await result((ok, fail) => store.getAllGlobalStores(ok, fail));
        await result((ok, fail) => store.removeStore(other, ok, fail));
        return [found, stores, await result((ok, fail) => store.getAllGlobalStores(ok, fail))];
    },

    /** Several entries with one value of the external ID: an error, and the batch changes nothing. */
    ambiguousExternalId: async (soup) => {
        const store = sfSmartstore();
        await result((ok, fail) => store.registerSoup(soup, [{ path: 'key', type: 'string' }], ok, fail));
        await result((ok, fail) => store.upsertSoupEntries(soup, [{ key: 'a' }, { key: 'a' }], ok, fail));
        const [kind, message] = await outcome((ok, fail) =>
            store.upsertSoupEntriesWithExternalId(soup, [{ key: 'b' }, { key: 'a', x: 1 }], 'key', ok, fail));
        return [kind, message, await rows(soup, store.buildAllQuerySpec('key', null, 10, ['key', 'x']))];
    },

    /** The builders of query specs, with omitted parameters and with null for skipped ones. */
    builders: async (soup) => {
        const store = sfSmartstore();
        await result((ok, fail) => store.registerSoup(soup, [
            { path: 'name', type: 'string' }, { path: 'about', type: 'full_text' }, { path: 'rank', type: 'integer' },
            { path: 'parentId', type: 'string' },
        ], ok, fail));
        await result((ok, fail) => store.upsertSoupEntries(soup, [
            { name: 'Aardvark', about: 'grey animal', rank: 3, parentId: 'p1' },
            { name: 'Zebra', about: 'black and white animal', rank: 1, parentId: 'p2' },
            { name: 'abacus', about: 'black tool', rank: 2, parentId: 'p1' },
        ], ok, fail));
        const names = async (spec) => (await rows(soup, spec)).map((row) => (Array.isArray(row) ? row : row.name));
        const smart = await result((ok, fail) => store.runSmartQuery(
            store.buildSmartQuerySpec(`SELECT COUNT(*) FROM {${soup}}`, 1), ok, fail));
        return {
            all: await names(store.buildAllQuerySpec('rank')),
            allDescending: await names(store.buildAllQuerySpec('rank', 'descending')),
            allPage: await names(store.buildAllQuerySpec('rank', 'descending', 2)),
            allSelected: await names(store.buildAllQuerySpec('rank', 'ascending', 10, ['name', 'rank'])),
            allSkipped: await names(store.buildAllQuerySpec('rank', null, null, ['rank'])),
            exact: await names(store.buildExactQuerySpec('name', 'Zebra')),
            exactByParent: await names(store.buildExactQuerySpec('parentId', 'p1', 10, 'descending', 'rank')),
            range: await names(store.buildRangeQuerySpec('name', 'Aardvark', 'Zoroastrian', 'ascending', 10, 'name')),
            rangeFrom: await names(store.buildRangeQuerySpec('rank', 2, null)),
            rangeTo: await names(store.buildRangeQuerySpec('rank', null, 2, 'descending')),
            rangeAll: await names(store.buildRangeQuerySpec('rank', null, null)),
            like: await names(store.buildLikeQuerySpec('name', 'a%', 'ascending', 10, 'rank')),
            likeSelected: await names(store.buildLikeQuerySpec('name', '%b%', 'ascending', 10, 'name', ['_soupEntryId', 'name'])),
            match: await names(store.buildMatchQuerySpec('about', 'black', 'ascending', 10, 'rank')),
            matchAnywhere: await names(store.buildMatchQuerySpec(null, 'animal NOT white', 'ascending', 10, 'rank')),
            matchPrefix: await names(store.buildMatchQuerySpec('about', 'gr*', 'ascending', 10, 'rank')),
            smart: smart.currentPageOrderedEntries,
            doubleQuotes: (await result((ok, fail) => store.runSmartQuery(store.buildSmartQuerySpec(
                `select {${soup}:rank} from {${soup}} where {${soup}:name} in ("Zebra", "abacus") order by 1`, 10), ok, fail)))
                .currentPageOrderedEntries,
        };
    },

    /** The moves of a cursor, and the errors beyond its ends. */
    cursors: async (soup) => {
        const store = sfSmartstore();
        await result((ok, fail) => store.registerSoup(soup, [{ path: 'n', type: 'integer' }], ok, fail));
        const entries = Array.from({ length: 7 }, (_, n) => ({ n }));
        await result((ok, fail) => store.upsertSoupEntries(soup, entries, ok, fail));
        const shown = (cursor) => [
            cursor.currentPageIndex, cursor.pageSize, cursor.totalEntries, cursor.totalPages,
            cursor.currentPageOrderedEntries.map((entry) => entry.n),
        ];
        const seen = [];
        let cursor = await result((ok, fail) => store.querySoup(soup, store.buildAllQuerySpec('n', 'ascending', 3), ok, fail));
        seen.push(shown(cursor), await outcome((ok, fail) => store.moveCursorToPreviousPage(cursor, ok, fail)));
        for (const move of ['Next', 'Next', 'Previous']) {
            cursor = await result((ok, fail) => store[`moveCursorTo${move}Page`](cursor, ok, fail));
            seen.push(shown(cursor));
        }
        cursor = await result((ok, fail) => store.moveCursorToPageIndex(cursor, 2, ok, fail));
        seen.push(shown(cursor), await outcome((ok, fail) => store.moveCursorToNextPage(cursor, ok, fail)));
        seen.push(await outcome((ok, fail) => store.closeCursor(cursor, ok, fail)));
        seen.push(await outcome((ok, fail) => store.closeCursor(cursor, ok, fail)));
        const [kind, message] = await outcome((ok, fail) => store.moveCursorToPageIndex(cursor, 0, ok, fail));
        seen.push([kind, message.split(':')[0]]);
        const empty = await result((ok, fail) => store.querySoup(soup, store.buildExactQuerySpec('n', 99), ok, fail));
        seen.push(shown(empty));
        return seen;
    },

    /** Entries by their IDs: in the order of the IDs, without removed ones. */
    retrieving: async (soup) => {
        const store = sfSmartstore();
        await result((ok, fail) => store.registerSoup(soup, [{ path: 'n', type: 'integer' }], ok, fail));
        const entries = Array.from({ length: 15 }, (_, n) => ({ n }));
        const saved = await result((ok, fail) => store.upsertSoupEntries(soup, entries, ok, fail));
        const ids = saved.map((entry) => entry._soupEntryId);
        const read = async (list) =>
            (await result((ok, fail) => store.retrieveSoupEntries(soup, list, ok, fail))).map((entry) => entry.n);
        const before = await read([ids[4], ids[1], ids[14] + 1000]);
        await result((ok, fail) => store.removeFromSoup(soup, [ids[4]], ok, fail));
        const after = await read([ids[4], ids[1]]);
        // A query spec removes all matches, not only the first page.
        const removed = await outcome((ok, fail) => store.removeFromSoup(soup, store.buildRangeQuerySpec('n', 2, 13), ok, fail));
        const left = await rows(soup, store.buildAllQuerySpec('n', 'ascending', 100, ['n']));
        return { before, after, removed, left };
    },

    /** Wrong arguments and unknown soups: the error callback, with a text, and nothing changed. */
    errors: async (soup) => {
        const store = sfSmartstore();
        await result((ok, fail) => store.registerSoup(soup, [{ path: 'n', type: 'integer' }], ok, fail));
        const all = store.buildAllQuerySpec('n');
        const calls = {
            unknownSoup: (ok, fail) => store.querySoup(`${soup}x`, all, ok, fail),
            unknownSoupUpsert: (ok, fail) => store.upsertSoupEntries(`${soup}x`, [{}], ok, fail),
            noSoupName: (ok, fail) => store.registerSoup(null, [{ path: 'n', type: 'integer' }], ok, fail),
            noIndexes: (ok, fail) => store.registerSoup(`${soup}y`, [], ok, fail),
            unknownType: (ok, fail) => store.registerSoup(`${soup}y`, [{ path: 'n', type: 'date' }], ok, fail),
            noQueryType: (ok, fail) => store.querySoup(soup, { queryType: null, indexPath: 'n' }, ok, fail),
            badSql: (ok, fail) => store.runSmartQuery(store.buildSmartQuerySpec('DELETE FROM {x}', 1), ok, fail),
            badEntry: (ok, fail) => store.upsertSoupEntries(soup, [{ n: 1 }, 'text'], ok, fail),
            badIds: (ok, fail) => store.retrieveSoupEntries(soup, ['x'], ok, fail),
        };
        const messages = {};
        for (const [name, call] of Object.entries(calls)) {
            const [kind, message] = await outcome(call);
            messages[name] = kind === 'error' ? message : `no error: ${JSON.stringify(kind)}`;
        }
        const thrown = [];
        for (const call of [
            () => store.querySoup(soup, store.buildSmartQuerySpec('SELECT 1', 1)),
            () => store.runSmartQuery(all),
        ]) {
            try {
                call();
                thrown.push('nothing');
            } catch (error) {
                thrown.push(error.message);
            }
        }
        const exist = [];
        for (const name of [soup, `${soup}x`, `${soup}y`]) {
            exist.push(await result((ok, fail) => store.soupExists(name, ok, fail)));
        }
        return { messages, thrown, exist, entries: await rows(soup, all) };
    },

    /** Soups are altered, indexed again, cleared and removed. */
    soups: async (soup) => {
        const store = sfSmartstore();
        const seen = [];
        const call = async (name, ...given) => {
            seen.push(await result((ok, fail) => store[name](soup, ...given, ok, fail)));
        };
        await call('registerSoup', [new store.SoupIndexSpec('b', 'string'), { path: 'a', type: 'floating' }]);
        await call('registerSoup', [{ path: 'other', type: 'string' }]);
        await call('getSoupIndexSpecs');
        await call('upsertSoupEntries', [{ a: 1.5, b: 'x', c: 'y' }]);
        seen.pop();
        await call('alterSoup', [{ path: 'c', type: 'string' }], true);
        await call('getSoupIndexSpecs');
        await call('reIndexSoup', ['c']);
        seen.push((await rows(soup, store.buildExactQuerySpec('c', 'y'))).length);
        await call('clearSoup');
        seen.push((await rows(soup, store.buildAllQuerySpec('c'))).length);
        await call('removeSoup');
        await call('removeSoup');
        await call('soupExists');
        const size = await result((ok, fail) => store.getDatabaseSize(ok, fail));
        return { seen, hasSize: size > 0 };
    },

    /** Preparing soups for sync: the flags that an app sets, and the syncs that read them. */
    syncs: async (soup, serverId) => {
        const store = sfSmartstore();
        const specs = ['Id', 'Name', '__local__', '__locally_created__', '__locally_updated__', '__locally_deleted__']
            .map((path) => ({ path, type: 'string' }));
        await result((ok, fail) => store.registerSoup(soup, [...specs, { path: '__sync_id__', type: 'integer' }], ok, fail));
        const target = { type: 'soql', query: 'SELECT Id, Name, LastModifiedDate FROM Account ORDER BY Name' };
        const down = await run((ok, fail) =>
            sfSync().syncDown(target, soup, { mergeMode: 'OVERWRITE' }, `${soup}Down`, ok, fail));
        const read = async () => rows(soup, store.buildAllQuerySpec('Name', 'ascending', 100));
        const fetched = await read();

        const save = (entry) => result((ok, fail) => store.upsertSoupEntries(soup, [entry], ok, fail));
        const contact = fetched.find(({ Id }) => Id === serverId);
        contact.Name = 'Renamed';
        contact.__locally_updated__ = contact.__local__ = true;
        await save(contact);
        await save({
            Id: 'local_1', Name: 'Created', attributes: { type: 'Account' }, __local__: true, __locally_created__: true,
            __locally_updated__: false, __locally_deleted__: false,
        });
        // Delete, undelete, and delete again, as the page of a contact does.
        const other = fetched.find(({ Id }) => Id !== serverId);
        for (let time = 0; time < 3; time += 1) {
            other.__locally_deleted__ = !other.__locally_deleted__;
            other.__local__ = other.__locally_deleted__ || other.__locally_updated__ || other.__locally_created__;
            await save(other);
        }
        const up = await run((ok, fail) =>
            sfSync().syncUp({}, soup, { mergeMode: 'LEAVE_IF_CHANGED', fieldlist: ['Name'] }, ok, fail));
        const pushed = await read();
        const again = await run((ok, fail) => sfSync().reSync(`${soup}Down`, ok, fail));
        const status = await result((ok, fail) => sfSync().getSyncStatus(down.answer._soupEntryId, ok, fail));
        const missing = await result((ok, fail) => sfSync().getSyncStatus('unknown', ok, fail));
        const taken = await outcome((ok, fail) =>
            sfSync().syncDown(target, soup, { mergeMode: 'OVERWRITE' }, `${soup}Down`, ok, fail));
        await result((ok, fail) => sfSync().deleteSync(up.answer._soupEntryId, ok, fail));
        const deleted = await result((ok, fail) => sfSync().getSyncStatus(up.answer._soupEntryId, ok, fail));
        const unknown = await outcome((ok, fail) => sfSync().reSync('unknown', ok, fail));
        const shown = ({ type, name, soupName, status, progress, totalSize, isGlobalStore, storeName }) =>
            ({ type, name, soupName, status, progress, totalSize, isGlobalStore, storeName });
        return {
            count: fetched.length, removed: other.Id,
            answer: shown(down.answer), first: shown(down.events[0]), last: shown(down.last),
            target: down.last.target, options: down.last.options,
            up: shown(up.last), upTarget: up.last.target,
            pushed: pushed.map(({ Id, Name, __local__ }) => [Id === serverId ? 'edited' : /^001/.test(Id), Name, __local__]),
            createdId: pushed.find(({ Name }) => Name === 'Created').Id,
            again: shown(again.last), status: status.status, missing, deleted,
            taken: taken[0], unknown: unknown[0],
        };
    },

    /** Syncing related records: the syncs of the configuration files, by their names. */
    relatedRecords: async () => {
        const { id } = await result((ok, fail) => force.create('Account', { Name: 'Acme' }, ok, fail));
        await result((ok, fail) => force.create('Contact', { LastName: 'Adler', AccountId: id }, ok, fail));
        const down = await run((ok, fail) => sfSync().reSync('DownSync', ok, fail));
        const store = sfSmartstore();
        const accounts = await rows('AccountSoup', store.buildAllQuerySpec('Name', 'ascending', 100));
        const contacts = await rows('ContactSoup', store.buildAllQuerySpec('LastName', 'ascending', 100));
        const account = accounts[0];
        Object.assign(account, { Description: 'From the page', __local__: true, __locally_updated__: true });
        await result((ok, fail) => store.upsertSoupEntries('AccountSoup', [account], ok, fail));
        await result((ok, fail) => store.upsertSoupEntries('ContactSoup', [{
            Id: 'local_7', LastName: 'Child', AccountId: account.Id, attributes: { type: 'Contact' },
            __local__: true, __locally_created__: true, __locally_updated__: false, __locally_deleted__: false,
        }], ok, fail));
        const up = await run((ok, fail) => sfSync().reSync('UpSync', ok, fail));
        const dirty = [];
        for (const soup of ['AccountSoup', 'ContactSoup']) {
            dirty.push((await rows(soup, store.buildExactQuerySpec('__local__', true, 10))).length);
        }
        return {
            accountId: account.Id, names: accounts.map(({ Name }) => Name), contacts: contacts.map(({ LastName }) => LastName),
            down: [down.last.status, down.last.progress, down.last.error], up: [up.last.status, up.last.progress, up.last.error],
            dirty,
        };
    },

    /** A record that the server no longer has is removed by cleanResyncGhosts, which returns the number. */
    ghosts: async (soup, serverId) => {
        const store = sfSmartstore();
        const specs = ['Id', 'Name', '__local__'].map((path) => ({ path, type: 'string' }));
        await result((ok, fail) => store.registerSoup(soup, specs, ok, fail));
        const created = await result((ok, fail) => force.create('account', { Name: `${soup} ghost` }, ok, fail));
        const target = {
            type: 'soql',
            query: `SELECT Id, Name, LastModifiedDate FROM Account WHERE Id IN ('${created.id}','${serverId}')`,
        };
        const { answer, last } = await run((ok, fail) =>
            sfSync().syncDown(target, soup, { mergeMode: 'OVERWRITE' }, ok, fail));
        await result((ok, fail) => force.del('account', created.id, ok, fail));
        const removed = await result((ok, fail) => sfSync().cleanResyncGhosts(answer._soupEntryId, ok, fail));
        return [last.totalSize, removed, (await rows(soup, store.buildAllQuerySpec('Id'))).map(({ Id }) => Id === serverId)];
    },

    /** Text, numbers and dates keep their values. */
    values: async (soup) => {
        const store = sfSmartstore();
        await result((ok, fail) => store.registerSoup(soup, [{ path: 'text', type: 'string' }], ok, fail));
        const [saved] = await result((ok, fail) => store.upsertSoupEntries(soup, [{
            text: '\u{1F600} \u2028 \\ " \u0000 é', least: Number.MIN_SAFE_INTEGER, fraction: 0.1 + 0.2, at: new Date(0),
            nothing: null, missing: undefined, list: [1, [null]], empty: {},
        }], ok, fail));
        const [read] = await rows(soup, store.buildExactQuerySpec('text', saved.text));
        const { _soupEntryId, _soupLastModifiedDate, ...values } = read;
        return values;
    },
};

module.exports = { prepare, samples };
