// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/*
 * The JavaScript client of SoupKit, for pages, web views and Node. It has no dependencies.
 *
 *     const kit = await soupkit.connect({ url: 'http://127.0.0.1:8080', secret: '...' });
 *     await kit.smartstore.registerSoup('accounts', [{ path: 'Name', type: 'string' }]);
 *     kit.close();
 *
 * In a page, as a classic script or with `import './soupkit.js'`, the file defines the global `soupkit`. In Node, it
 * is a CommonJS module for `require` and `import`. `soupkit.d.ts` documents the functions. This comment documents the
 * guarantees.
 *
 * Globals. `connect({ ..., globals: true })` defines what the guide's samples and the Cordova libraries of Salesforce
 * need: `cordova`, `force`, `sfSmartstore`, `smartstoreClient`, `SoupIndexSpec`, `QuerySpec`, `StoreCursor`, and
 * `smartstore`, `smartStore` and `smartstoreClient` of `navigator`; in Node also `window`, `document`, `navigator` and
 * `location`. They are defined before `connect` returns its promise, so that the next script can be a library. Calls
 * wait for the connection. Without the option, `connect` defines no global, and a page can have several clients.
 *
 * Calls. Each call is answered once: with a value for the success callback and the promise, or with an error for the
 * error callback and the promise. The error is the value of the service: a text, for requests to the server a text that
 * contains JSON. If the call did not reach the bridge, or the answer cannot be read, the text begins with `soupkit:`.
 *
 * Events. A client gets the events of the syncs that it started, and no others: the bridge sends the events of a
 * session only to the client that has the session's random identifier. The clients of one web view share its message
 * handler; each of them ignores syncs that it did not start.
 *
 * An event never overtakes the answer of the call that started its sync, although they arrive on different connections:
 * while a call of `syncDown`, `syncUp` or `reSync` is unanswered, the client stores all events. Each event is
 * dispatched in a task of its own, after the callbacks of the answer. All promise callbacks run between an answer and
 * the first event, and between two events, so a listener that is added in a callback of the answer receives all events.
 *
 * Lost connections. If the stream of events ends, the bridge ends the session: it closes the cursors and stops the
 * syncs that the session started. The client connects again, after the delays of `reconnectDelays`; calls wait in the
 * meantime. Then it reads the state of each sync that was running, once per `pollInterval`, and dispatches it as an
 * event, until the sync ends. If it cannot connect, it dispatches an event with the status FAILED and an error that
 * begins with `soupkit:` for each of these syncs, and waiting calls fail. The next call tries to connect again.
 *
 * Large integers. JavaScript rounds integers beyond 2^53. With the option `bigIntegers`, they are values of the type
 * BigInt. Otherwise they are rounded numbers, and the client prints a warning once. Values of the type BigInt can be
 * sent in both cases. Decimal fractions are always numbers.
 */
(function () {
    'use strict';

    const SDK_VERSION = 'pluginSDKVersion:14.0.0';
    const STORE_SERVICE = 'com.salesforce.smartstore';
    const SYNC_SERVICE = 'com.salesforce.mobilesync';
    const NETWORK_SERVICE = 'com.salesforce.network';
    const OAUTH_SERVICE = 'com.salesforce.oauth';
    const CONFLICT_SERVICE = 'soupkit.conflicts';
    const DEFAULT_STORE = 'defaultStore';
    const START_ACTIONS = ['syncDown', 'syncUp', 'reSync'];
    const LAST_STATUSES = ['DONE', 'FAILED', 'STOPPED'];
    /** The number of milliseconds after which a stream is stable, so that its end is the first failure. */
    const STABLE_TIME = 10000;

    const ignore = () => {};
    const isObject = (value) => typeof value === 'object' && value !== null;
    const delay = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

    // -- Query specs -------------------------------------------------------------------------------------------------

    class SoupIndexSpec {
        constructor(path, type) {
            this.path = path;
            this.type = type;
        }
    }

    class QuerySpec {
        constructor(path) {
            this.queryType = 'exact';
            this.indexPath = path === undefined ? null : path;
            this.matchKey = null;
            this.likeKey = null;
            this.beginKey = null;
            this.endKey = null;
            this.smartSql = null;
            this.orderPath = null;
            this.order = 'ascending';
            this.pageSize = 10;
            this.selectPaths = null;
        }
    }

    class StoreCursor {
        constructor() {
            this.cursorId = null;
            this.pageSize = 0;
            this.totalEntries = 0;
            this.totalPages = 0;
            this.currentPageIndex = 0;
            this.currentPageOrderedEntries = null;
        }
    }

    /** Returns a query spec. Null is the same as a missing parameter: the guide skips parameters with null. */
    function querySpec(queryType, path, keys, order, pageSize, orderPath, selectPaths) {
        return Object.assign(new QuerySpec(path), { queryType }, keys, {
            order: order ?? 'ascending',
            pageSize: pageSize ?? 10,
            orderPath: orderPath ?? path ?? null,
            selectPaths: selectPaths ?? null,
        });
    }

    const BUILDERS = {
        buildAllQuerySpec: (path, order, pageSize, selectPaths) =>
            querySpec('range', path, {}, order, pageSize, path, selectPaths),
        // The page size comes before the order, as in the guide.
        buildExactQuerySpec: (path, matchKey, pageSize, order, orderPath, selectPaths) =>
            querySpec('exact', path, { matchKey: matchKey ?? null }, order, pageSize, orderPath, selectPaths),
        buildRangeQuerySpec: (path, beginKey, endKey, order, pageSize, orderPath, selectPaths) =>
            querySpec('range', path, { beginKey: beginKey ?? null, endKey: endKey ?? null }, order, pageSize, orderPath,
                selectPaths),
        buildLikeQuerySpec: (path, likeKey, order, pageSize, orderPath, selectPaths) =>
            querySpec('like', path, { likeKey: likeKey ?? null }, order, pageSize, orderPath, selectPaths),
        buildMatchQuerySpec: (path, matchKey, order, pageSize, orderPath, selectPaths) =>
            querySpec('match', path, { matchKey: matchKey ?? null }, order, pageSize, orderPath, selectPaths),
        buildSmartQuerySpec: (smartSql, pageSize) =>
            querySpec('smart', null, { smartSql: smartSql ?? null }, null, pageSize, null, null),
    };

    // -- Tables of functions -----------------------------------------------------------------------------------------

    /*
     * A function has the members:
     *   action      the action of the service
     *   parameters  the parameters between the store configuration and the callbacks
     *   noStore     whether the function has no store configuration
     *   shift       returns the given arguments with inserted missing ones
     *   check       throws an error to the caller for invalid values
     *   prepare     returns the object of arguments; an error goes to the error callback
     *   convert     returns the value for the caller
     */
    const STORE_FUNCTIONS = {
        registerSoup: { action: 'pgRegisterSoup', parameters: ['soupName', 'indexes'] },
        soupExists: { action: 'pgSoupExists', parameters: ['soupName'] },
        removeSoup: { action: 'pgRemoveSoup', parameters: ['soupName'] },
        clearSoup: { action: 'pgClearSoup', parameters: ['soupName'] },
        getSoupIndexSpecs: { action: 'pgGetSoupIndexSpecs', parameters: ['soupName'] },
        alterSoup: { action: 'pgAlterSoup', parameters: ['soupName', 'indexes', 'reIndexData'] },
        reIndexSoup: { action: 'pgReIndexSoup', parameters: ['soupName', 'paths'] },
        upsertSoupEntries: {
            action: 'pgUpsertSoupEntries',
            parameters: ['soupName', 'entries'],
            prepare: (values) => ({ ...values, externalIdPath: '_soupEntryId' }),
        },
        upsertSoupEntriesWithExternalId: {
            action: 'pgUpsertSoupEntries',
            parameters: ['soupName', 'entries', 'externalIdPath'],
        },
        retrieveSoupEntries: { action: 'pgRetrieveSoupEntries', parameters: ['soupName', 'entryIds'] },
        removeFromSoup: {
            action: 'pgRemoveFromSoup',
            parameters: ['soupName', 'selection'],
            prepare: ({ soupName, selection }) =>
                Array.isArray(selection) ? { soupName, entryIds: selection } : { soupName, querySpec: selection },
        },
        querySoup: {
            action: 'pgQuerySoup',
            parameters: ['soupName', 'querySpec'],
            check: ({ querySpec }) => {
                if (isObject(querySpec) && querySpec.queryType === 'smart') {
                    throw new Error('Smart queries can only be run using runSmartQuery');
                }
            },
            prepare: ({ soupName, querySpec }) => ({ soupName, querySpec: withOrderPath(querySpec) }),
        },
        runSmartQuery: {
            action: 'pgRunSmartQuery',
            parameters: ['querySpec'],
            check: ({ querySpec }) => {
                if (isObject(querySpec) && querySpec.queryType !== 'smart') {
                    throw new Error('runSmartQuery can only run smart queries');
                }
            },
        },
        moveCursorToPageIndex: {
            action: 'pgMoveCursorToPageIndex',
            parameters: ['cursor', 'index'],
            prepare: ({ cursor, index }) => ({ cursorId: openCursor(cursor).cursorId, index }),
        },
        moveCursorToNextPage: {
            action: 'pgMoveCursorToPageIndex',
            parameters: ['cursor'],
            prepare: ({ cursor }) => {
                if (openCursor(cursor).currentPageIndex + 1 >= cursor.totalPages) {
                    throw new Error('moveCursorToNextPage called while on last page');
                }
                return { cursorId: cursor.cursorId, index: cursor.currentPageIndex + 1 };
            },
        },
        moveCursorToPreviousPage: {
            action: 'pgMoveCursorToPageIndex',
            parameters: ['cursor'],
            prepare: ({ cursor }) => {
                if (openCursor(cursor).currentPageIndex <= 0) {
                    throw new Error('moveCursorToPreviousPage called while on first page');
                }
                return { cursorId: cursor.cursorId, index: cursor.currentPageIndex - 1 };
            },
        },
        closeCursor: {
            action: 'pgCloseCursor',
            parameters: ['cursor'],
            prepare: ({ cursor }) => ({ cursorId: openCursor(cursor).cursorId }),
        },
        getDatabaseSize: { action: 'pgGetDatabaseSize', parameters: [] },
        showInspector: { action: 'pgShowInspector', parameters: [] },
        removeStore: { action: 'pgRemoveStore', parameters: [] },
        getAllStores: { action: 'pgGetAllStores', parameters: [], noStore: true },
        getAllGlobalStores: { action: 'pgGetAllGlobalStores', parameters: [], noStore: true },
        removeAllStores: { action: 'pgRemoveAllStores', parameters: [], noStore: true },
        removeAllGlobalStores: { action: 'pgRemoveAllGlobalStores', parameters: [], noStore: true },
    };

    const SYNC_FUNCTIONS = {
        syncDown: {
            action: 'syncDown',
            parameters: ['target', 'soupName', 'options', 'syncName'],
            shift: withSyncName,
            prepare: ({ target, soupName, options, syncName }) =>
                ({ syncName: syncName ?? null, target, soupName, options }),
        },
        syncUp: {
            action: 'syncUp',
            parameters: ['target', 'soupName', 'options', 'syncName'],
            shift: (given) => withSyncName(typeof given[1] === 'string' ? inserting(given, 1, null) : given),
            prepare: ({ target, soupName, options, syncName }) =>
                ({ syncName: syncName ?? null, target: target ?? {}, soupName, options }),
        },
        reSync: { action: 'reSync', parameters: ['sync'], prepare: syncReference },
        // A row that does not exist is an empty object, because Cordova cannot send null.
        getSyncStatus: {
            action: 'getSyncStatus',
            parameters: ['sync'],
            prepare: syncReference,
            convert: (row) => (isObject(row) && '_soupEntryId' in row ? row : null),
        },
        deleteSync: { action: 'deleteSync', parameters: ['sync'], prepare: syncReference },
        cleanResyncGhosts: {
            action: 'cleanResyncGhosts',
            parameters: ['sync'],
            prepare: ({ sync }) => (typeof sync === 'string' ? syncReference({ sync }) : { syncId: sync }),
        },
    };

    const CONFLICT_FUNCTIONS = {
        list: { action: 'list', parameters: ['soupName'] },
        resolve: {
            action: 'resolve',
            parameters: ['soupName', 'entryId', 'version'],
            prepare: ({ version, ...entry }) => {
                if (isObject(version)) return { ...entry, as: 'merged', record: version };
                if (version === 'local' || version === 'remote') return { ...entry, as: version };
                throw new Error("version must be 'local', 'remote', or an object with the members to write");
            },
        },
        discard: { action: 'discard', parameters: ['soupName', 'entryIds'] },
    };

    /** The requests; `prepare` receives `path`, which encodes the segments of a path below the API version. */
    const FORCE_FUNCTIONS = {
        create: {
            parameters: ['type', 'fields'],
            prepare: ({ type, fields }) => ({ method: 'POST', path: ['sobjects', type], queryParams: fields }),
        },
        retrieve: {
            parameters: ['type', 'id', 'fields'],
            shift: (given) => (typeof given[2] === 'function' ? inserting(given, 2, null) : given),
            prepare: ({ type, id, fields }) =>
                ({ path: ['sobjects', type, id], queryParams: fields ? { fields: String(fields) } : {} }),
        },
        update: {
            parameters: ['type', 'id', 'fields'],
            // The libraries pass the ID within the fields: update(type, fields, success, error).
            shift: (given) => (isObject(given[1]) ? withIdOfFields(given) : given),
            prepare: ({ type, id, fields }) =>
                ({ method: 'PATCH', path: ['sobjects', type, id], queryParams: fields }),
        },
        upsert: {
            parameters: ['type', 'externalIdField', 'externalId', 'fields'],
            prepare: ({ type, externalIdField, externalId, fields }) =>
                ({ method: 'PATCH', path: ['sobjects', type, externalIdField, externalId], queryParams: fields }),
        },
        del: {
            parameters: ['type', 'id'],
            prepare: ({ type, id }) => ({ method: 'DELETE', path: ['sobjects', type, id] }),
        },
        query: { parameters: ['soql'], prepare: ({ soql }) => ({ path: ['query'], queryParams: { q: soql } }) },
        queryMore: { parameters: ['url'], prepare: ({ url }) => ({ url }) },
        search: { parameters: ['sosl'], prepare: ({ sosl }) => ({ path: ['search'], queryParams: { q: sosl } }) },
        describe: { parameters: ['type'], prepare: ({ type }) => ({ path: ['sobjects', type, 'describe'] }) },
    };

    function inserting(list, index, value) {
        return [...list.slice(0, index), value, ...list.slice(index)];
    }

    /** Inserts the missing name of a sync before its callbacks. */
    function withSyncName(given) {
        return typeof given[4] === 'function' ? inserting(given, 4, null) : given;
    }

    function syncReference({ sync }) {
        return typeof sync === 'string' ? { syncId: null, syncName: sync } : { syncId: sync ?? null, syncName: null };
    }

    function withIdOfFields([type, fields, ...callbacks]) {
        const { Id, id, ...others } = fields;
        return [type, Id ?? id, others, ...callbacks];
    }

    /** Returns a cursor, and throws an error for a value that is none. */
    function openCursor(cursor) {
        if (!isObject(cursor)) throw new Error('cursor is missing: pass the cursor that a query returned');
        return cursor;
    }

    /** Returns a query spec that has an order path if it has an order. */
    function withOrderPath(spec) {
        const isMissing = isObject(spec) && spec.order != null && spec.orderPath == null;
        return isMissing ? { ...spec, orderPath: spec.indexPath } : spec;
    }

    /** Returns the arguments with a store configuration in the first place. */
    function withStore(given) {
        const first = given[0];
        if (isObject(first) && 'isGlobalStore' in first) return given;
        if (typeof first === 'boolean') return [{ isGlobalStore: first }, ...given.slice(1)];
        return [{ isGlobalStore: false }, ...given];
    }

    /** Throws an error for a promise in the place of a value: its JSON would be an empty object. */
    function refusePromises(values) {
        for (const [name, value] of Object.entries(values)) {
            const members = Array.isArray(value) ? value : [value];
            if (members.some((member) => typeof member?.then === 'function')) {
                throw new Error(`${name} is a promise or contains one; pass its value, with await`);
            }
        }
    }

    /** Returns the store, the values by the name of their parameters, and the callbacks. */
    function readArguments(definition, given) {
        let list = definition.noStore ? given : withStore(given);
        if (definition.shift) list = definition.shift(list);
        const store = definition.noStore ? {} : { isGlobalStore: list[0].isGlobalStore, storeName: list[0].storeName };
        const rest = definition.noStore ? list : list.slice(1);
        const values = {};
        definition.parameters.forEach((name, index) => { values[name] = rest[index]; });
        const [success, error] = rest.slice(definition.parameters.length);
        return { store, values, success, error };
    }

    /**
     * Calls the callbacks with the outcome of a promise, and returns the promise.
     *
     * A rejection without an error callback is not reported as unhandled, because the guide omits error callbacks. An
     * error that a callback throws is.
     */
    function report(promise, success, error) {
        promise.then(typeof success === 'function' ? success : ignore, typeof error === 'function' ? error : ignore);
        return promise;
    }

    /**
     * Returns the functions of a table, with callbacks and with promises only.
     *
     * @param send sends the arguments of a call to its action, and returns the promise of its value.
     */
    function bindTable(table, send) {
        const callbacks = {};
        const promises = {};
        for (const [name, definition] of Object.entries(table)) {
            const start = async ({ store, values }) => {
                refusePromises(values);
                const prepared = definition.prepare ? definition.prepare(values) : values;
                const value = await send(definition.action, { ...prepared, ...store });
                return definition.convert ? definition.convert(value) : value;
            };
            const read = (given) => {
                const call = readArguments(definition, given);
                if (definition.check) definition.check(call.values);
                return call;
            };
            callbacks[name] = (...given) => {
                const call = read(given);
                return report(start(call), call.success, call.error);
            };
            promises[name] = async (...given) => start(read(given));
        }
        return { callbacks, promises };
    }

    // -- JSON --------------------------------------------------------------------------------------------------------

    /**
     * The escapes, the quotes and the numbers of a JSON text. It has no expression for a whole string, because engines
     * limit the number of escapes that such an expression matches.
     */
    const JSON_TOKENS = /\\.|"|-?[0-9]+(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?/g;

    /** Encodes and decodes JSON with large integers. */
    class Codec {
        constructor(bigIntegers) {
            this.bigIntegers = bigIntegers;
            this.hasWarned = false;
            // A text with this prefix is a large integer. The prefix is random, so no data contains it.
            this.prefix = `integer ${randomText()} `;
        }

        encode(value) {
            try {
                return JSON.stringify(value);
            } catch (error) {
                // A BigInt is a TypeError; so is a cycle, which also ends the second attempt.
                return this.encodeLarge(value);
            }
        }

        encodeLarge(value) {
            const text = JSON.stringify(value, (_, member) =>
                typeof member === 'bigint' ? `${this.prefix}${member}` : member);
            return text.replace(new RegExp(`"${this.prefix}(-?[0-9]+)"`, 'g'), '$1');
        }

        decode(text) {
            // Most texts have no number that is long enough.
            if (!/[0-9]{16}/.test(text)) return JSON.parse(text);
            let large = null;
            let isString = false;
            const marked = text.replace(JSON_TOKENS, (token) => {
                if (token === '"') isString = !isString;
                if (isString || !/^-?[0-9]+$/.test(token) || Number.isSafeInteger(Number(token))) return token;
                large = token;
                return `"${this.prefix}${token}"`;
            });
            if (large === null) return JSON.parse(text);
            if (this.bigIntegers) return this.decodeMarked(marked);
            this.warn(large);
            return JSON.parse(text);
        }

        decodeMarked(text) {
            return JSON.parse(text, (_, value) =>
                typeof value === 'string' && value.startsWith(this.prefix)
                    ? BigInt(value.slice(this.prefix.length)) : value);
        }

        warn(token) {
            if (this.hasWarned) return;
            this.hasWarned = true;
            console.warn(`soupkit: the integer ${token} is rounded to ${Number(token)}. `
                + 'Connect with bigIntegers: true to receive integers beyond 2^53 as BigInt.');
        }
    }

    function randomText() {
        const bytes = crypto.getRandomValues(new Uint8Array(16));
        return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
    }

    /** Reads a `text/event-stream`. */
    class EventParser {
        constructor() {
            this.rest = '';
            this.name = '';
            this.data = [];
        }

        /** Returns the complete events: objects with `name` and `data`. */
        push(text) {
            const events = [];
            // A CR at the end can be the first half of CR LF.
            const lines = (this.rest + text).split(/\r\n|\n|\r(?!$)/);
            this.rest = lines.pop();
            for (const line of lines) {
                if (line !== '') {
                    this.readField(line);
                } else {
                    if (this.data.length > 0) events.push({ name: this.name, data: this.data.join('\n') });
                    this.name = '';
                    this.data = [];
                }
            }
            return events;
        }

        readField(line) {
            const [, field, value] = /^([^:]*):? ?(.*)$/s.exec(line);
            if (field === 'event') this.name = value;
            if (field === 'data') this.data.push(value);
        }
    }

    // -- Channels ----------------------------------------------------------------------------------------------------

    /*
     * A channel transports calls and events:
     *   open(receive)  opens the stream of events; returns the promise of an object whose promise `ended` has the
     *                  reason of the end
     *   send(call)     returns the promise of {ok} or {error}; throws if there is no answer
     *   close()        ends the stream and the calls
     *   isShared       whether events of other clients arrive
     */

    /** The HTTP bridge. */
    class HTTPChannel {
        constructor({ url, secret }, codec) {
            // The fragment of a page's URL can be a secret, and errors contain the URL.
            this.url = String(url).replace(/#.*$/s, '').replace(/\/+$/, '');
            this.session = randomText();
            this.isShared = false;
            /** The controllers of the requests in progress. Node keeps the listeners of a signal that is used again. */
            this.requests = new Set();
            /** The reader of the events; null if no stream is open. */
            this.reader = null;
            this.codec = codec;
            this.headers = { Authorization: `Bearer ${secret}`, 'X-Bridge-Session': this.session };
        }

        async send(call) {
            const request = this.addRequest();
            try {
                const response = await this.fetch('/bridge/exec', {
                    method: 'POST',
                    headers: { ...this.headers, 'Content-Type': 'application/json' },
                    body: this.codec.encode(call),
                    signal: request.signal,
                });
                return await this.readOutcome(response);
            } finally {
                this.requests.delete(request);
            }
        }

        async readOutcome(response) {
            const answer = await this.readAnswer(response);
            if (response.status !== 200) throw this.refusal(response, answer.error);
            if (!('ok' in answer) && !('error' in answer)) {
                throw new Error(`the answer of the bridge at ${this.url} has neither "ok" nor "error"`);
            }
            return answer;
        }

        async open(receive) {
            const request = this.addRequest();
            const stop = (error) => {
                this.requests.delete(request);
                request.abort();
                return error;
            };
            try {
                const body = await this.openEvents(request.signal);
                return { ended: this.readEvents(body, receive).catch(stop) };
            } catch (error) {
                throw stop(error);
            }
        }

        async openEvents(signal) {
            const path = `/bridge/events?session=${this.session}`;
            const response = await this.fetch(path, { headers: this.headers, signal });
            if (response.status !== 200) throw this.refusal(response, (await this.readAnswer(response)).error);
            if (!(response.headers.get('Content-Type') || '').startsWith('text/event-stream')) {
                throw new Error(`the bridge at ${this.url} sent no event stream`);
            }
            return response.body;
        }

        /** Reads events until the stream ends, and throws the reason. */
        async readEvents(body, receive) {
            const reader = body.getReader();
            this.reader = reader;
            const decoder = new TextDecoder();
            const parser = new EventParser();
            for (;;) {
                const { done, value } = await reader.read();
                if (done) throw new Error(`the bridge at ${this.url} ended the event stream`);
                for (const event of parser.push(decoder.decode(value, { stream: true }))) {
                    if (event.name === 'sync') receive(this.decodeEvent(event.data));
                }
            }
        }

        decodeEvent(data) {
            try {
                const detail = this.codec.decode(data);
                if (isObject(detail)) return detail;
            } catch (error) {
                // Handled below.
            }
            throw new Error(`an event of the bridge at ${this.url} is not a JSON object: ${excerpt(data)}`);
        }

        addRequest() {
            const request = new AbortController();
            this.requests.add(request);
            return request;
        }

        close() {
            for (const request of this.requests) request.abort();
            // Node loses the signal of a request whose body is still read when it collects garbage.
            if (this.reader) this.reader.cancel().catch(ignore);
        }

        async fetch(path, options) {
            try {
                return await fetch(this.url + path, {
                    cache: 'no-store', credentials: 'omit', redirect: 'error', ...options,
                });
            } catch (error) {
                throw new Error(`the bridge at ${this.url} is not reachable: ${reason(error)}${this.hint()}`);
            }
        }

        /** Browsers do not show a page the refusal of its origin. */
        hint() {
            const { location } = globalThis;
            const origin = location && location.origin;
            if (!origin || origin === 'null' || this.url.startsWith(origin)) return '';
            return `. If it runs, start it with --origin ${origin}`;
        }

        async readAnswer(response) {
            let text;
            try {
                text = await response.text();
            } catch (error) {
                throw new Error(`the connection to the bridge at ${this.url} was lost: ${reason(error)}`);
            }
            let answer;
            try {
                answer = this.codec.decode(text);
            } catch (error) {
                answer = null;
            }
            if (isObject(answer)) return answer;
            throw new Error(`the bridge at ${this.url} answered with status ${response.status}, `
                + `but not with a JSON object: ${excerpt(text)}`);
        }

        refusal(response, text) {
            return new Error(`the bridge at ${this.url} refused the request with status ${response.status}: `
                + (text ?? 'it is not a bridge. Pass the URL that soup bridge prints.'));
        }
    }

    /** The receivers of the events of the page's message handler. */
    const webViewReceivers = new Set();

    /** The message handler of a web view. */
    class WebViewChannel {
        constructor(handler, codec) {
            this.handler = handler;
            this.codec = codec;
            this.isShared = true;
        }

        async send(call) {
            const answer = this.readAnswer(await this.handler.postMessage(this.codec.encode(call)));
            if (isObject(answer) && ('ok' in answer || 'error' in answer)) return answer;
            throw new Error('the answer of the message handler has neither "ok" nor "error"');
        }

        readAnswer(text) {
            try {
                return this.codec.decode(text);
            } catch (error) {
                throw new Error(`the answer of the message handler is not JSON: ${excerpt(String(text))}`);
            }
        }

        async open(receive) {
            this.receive = (detail) => receive(typeof detail === 'string' ? this.codec.decode(detail) : detail);
            webViewReceivers.add(this.receive);
            return { ended: new Promise(ignore) };
        }

        close() {
            webViewReceivers.delete(this.receive);
        }
    }

    /** Delivers an event of the web view: an object, or a text that contains it. */
    function receive(detail) {
        for (const receiver of [...webViewReceivers]) receiver(detail);
    }

    function reason(error) {
        const cause = error.cause && error.cause.message;
        return cause ? `${error.message}: ${cause}` : error.message;
    }

    function excerpt(text) {
        return text.length > 100 ? `${text.slice(0, 100)}...` : text;
    }

    // -- The connection ----------------------------------------------------------------------------------------------

    /** Runs a function in a task of its own. In a page not with a timer, because timers of hidden pages are slow. */
    const runTask = typeof document === 'undefined' ? (task) => setTimeout(task, 0) : taskRunner();

    function taskRunner() {
        const { port1, port2 } = new MessageChannel();
        const tasks = [];
        port1.onmessage = () => tasks.shift()();
        return (task) => {
            tasks.push(task);
            port2.postMessage(null);
        };
    }

    /** Sends calls, orders events after answers, and watches the syncs that the client started. */
    class Connection {
        /**
         * @param dispatch receives each event, in a task of its own.
         * @param notify receives 'open', 'interrupted', 'lost' or 'closed', and the reason.
         */
        constructor(channel, options, dispatch, notify) {
            this.channel = channel;
            this.dispatch = dispatch;
            this.notify = notify;
            this.reconnectDelays = options.reconnectDelays || [0, 500, 1000, 2000, 4000];
            this.pollInterval = options.pollInterval === undefined ? 1000 : options.pollInterval;
            this.isClosed = false;
            /** The promise of an open stream; null if the next call must open it. */
            this.opening = null;
            /** The number of streams that began or ended; a call whose sync began with another number missed events. */
            this.streamChanges = 0;
            /** The number of attempts since the last stable stream. */
            this.attempts = 0;
            /** The events that are not dispatched yet. */
            this.events = [];
            this.unansweredStarts = 0;
            this.isTaskScheduled = false;
            /** The running syncs that the client started, by their keys. */
            this.running = new Map();
            /** The keys of syncs whose end the client found without an event. */
            this.reported = new Set();
        }

        // Calls

        /** Returns the promise of the value of a call; undefined if it has none. Rejects with the error value. */
        async perform(service, action, args) {
            const starts = service === SYNC_SERVICE && START_ACTIONS.includes(action);
            const answer = await this.answer({ service, action, args }, starts);
            if ('error' in answer) throw answer.error;
            return answer.ok === null ? undefined : answer.ok;
        }

        async answer(call, starts) {
            try {
                await this.open();
            } catch (error) {
                return { error: failureText(call.service, error) };
            }
            const streamChanges = this.streamChanges;
            if (starts) this.unansweredStarts += 1;
            try {
                const answer = await this.channel.send(call);
                if (this.isClosed) throw closedError();
                if (starts && !('error' in answer)) this.addRun(answer.ok, call.args, streamChanges);
                return answer;
            } catch (error) {
                return { error: failureText(call.service, this.isClosed ? closedError() : error) };
            } finally {
                if (starts) {
                    this.unansweredStarts -= 1;
                    this.scheduleEvent();
                }
            }
        }

        // The stream

        /** Returns the promise of an open stream. */
        open() {
            if (this.isClosed) return Promise.reject(closedError());
            if (!this.opening) this.setOpening(this.openStream());
            return this.opening;
        }

        setOpening(promise) {
            this.opening = promise;
            promise.catch(() => {
                if (this.opening === promise) this.opening = null;
            });
        }

        async openStream() {
            const stream = await this.channel.open((detail) => this.receive(detail));
            if (this.isClosed) throw closedError();
            this.streamChanges += 1;
            const start = Date.now();
            stream.ended.then((error) => {
                if (this.isClosed) return;
                this.streamChanges += 1;
                if (Date.now() - start >= STABLE_TIME) this.attempts = 0;
                this.setOpening(this.reopen(error));
            });
            this.notify('open');
        }

        async reopen(error) {
            this.notify('interrupted', error);
            while (this.attempts < this.reconnectDelays.length) {
                await delay(this.reconnectDelays[this.attempts]);
                if (this.isClosed) throw closedError();
                this.attempts += 1;
                try {
                    await this.openStream();
                    for (const run of this.running.values()) this.follow(run);
                    return;
                } catch (failure) {
                    error = failure;
                }
            }
            this.attempts = 0;
            this.notify('lost', error);
            for (const run of this.running.values()) this.endRun(run, failedRow(run.row, error));
            throw error;
        }

        close() {
            if (this.isClosed) return;
            this.isClosed = true;
            this.events = [];
            this.channel.close();
            for (const run of this.running.values()) run.ended(failedRow(run.row, closedError()));
            this.running.clear();
            this.notify('closed');
        }

        // Events

        receive(detail) {
            if (this.isClosed) return;
            this.attempts = 0;
            // The client has reported the end of this run already, because it had lost the stream of events. If a call
            // is unanswered, the event can be that of the sync's next run.
            if (this.unansweredStarts > 0 || !this.reported.has(syncKey(detail))) this.queue(detail);
        }

        queue(row) {
            if (this.isClosed) return;
            this.events.push(row);
            this.scheduleEvent();
        }

        scheduleEvent() {
            if (this.isTaskScheduled || this.unansweredStarts > 0 || this.events.length === 0) return;
            this.isTaskScheduled = true;
            runTask(() => {
                this.isTaskScheduled = false;
                // The page can have started a sync since.
                if (this.unansweredStarts === 0 && this.events.length > 0) this.dispatchEvent(this.events.shift());
                this.scheduleEvent();
            });
        }

        dispatchEvent(row) {
            const run = this.running.get(syncKey(row));
            if (!run && this.channel.isShared) return;
            if (run) run.row = row;
            if (run && LAST_STATUSES.includes(row.status)) {
                this.running.delete(run.key);
                run.ended(row);
            }
            this.dispatch(row);
        }

        // Runs

        /** Adds the sync that a call started. */
        addRun(value, args, streamChanges) {
            if (!isObject(value) || LAST_STATUSES.includes(value.status)) return;
            const given = Array.isArray(args) ? args[args.length - 1] : null;
            const store = isObject(given) ? given : {};
            const row = {
                isGlobalStore: store.isGlobalStore || false, storeName: store.storeName || DEFAULT_STORE, ...value,
            };
            const run = { key: syncKey(row), row, isFollowed: false, hasEnded: false };
            run.end = new Promise((resolve) => { run.ended = resolve; });
            this.running.set(run.key, run);
            this.reported.delete(run.key);
            if (streamChanges !== this.streamChanges) this.follow(run);
        }

        /** Returns the promise of the last row of a sync that a call started and answered with a row. */
        endOf(row, store) {
            const run = this.running.get(syncKey({ ...store, ...row }));
            return run ? run.end : Promise.resolve({ ...store, ...row });
        }

        /** Reads the state of a sync whose events are lost, until it ends. */
        async follow(run) {
            if (run.isFollowed) return;
            run.isFollowed = true;
            const { _soupEntryId: syncId, isGlobalStore, storeName } = run.row;
            const args = [SDK_VERSION, { syncId, syncName: null, isGlobalStore, storeName }];
            let last = '';
            while (this.running.get(run.key) === run && !run.hasEnded) {
                const row = await this.perform(SYNC_SERVICE, 'getSyncStatus', args).catch((error) => ({ error }));
                if (this.running.get(run.key) !== run) return;
                if (!isObject(row) || !('_soupEntryId' in row)) {
                    const text = isObject(row) && row.error ? row.error : 'the sync no longer exists';
                    this.endRun(run, failedRow(run.row, new Error(text)));
                } else if (LAST_STATUSES.includes(row.status)) {
                    this.endRun(run, { ...run.row, ...row });
                } else {
                    const state = `${row.status} ${row.progress} ${row.totalSize}`;
                    if (state !== last) this.queue({ ...run.row, ...row });
                    last = state;
                    await delay(this.pollInterval);
                }
            }
        }

        /** Dispatches the last row of a sync whose events are lost. */
        endRun(run, row) {
            if (run.hasEnded) return;
            run.hasEnded = true;
            this.reported.add(run.key);
            this.queue(row);
        }
    }

    function syncKey(row) {
        return `${row.isGlobalStore === true} ${row._soupEntryId} ${row.storeName || DEFAULT_STORE}`;
    }

    function failedRow(row, error) {
        const text = error.message.startsWith('soupkit:') ? error.message : `soupkit: ${error.message}`;
        return { ...row, status: 'FAILED', error: text };
    }

    function closedError() {
        return new Error('the client is closed. Connect again.');
    }

    /** Returns the error value of a call without an answer. */
    function failureText(service, error) {
        const text = `soupkit: ${error.message}`;
        if (service !== NETWORK_SERVICE) return text;
        // Libraries read the status without a check.
        return JSON.stringify({ response: { headers: {}, statusCode: 0, body: '' }, error: text });
    }

    // -- Cordova -----------------------------------------------------------------------------------------------------

    /**
     * Returns the stand-in for Cordova.
     *
     * @param builtIns modules by name. A page can define a module of the same name, which replaces it.
     */
    function createCordova(exec, builtIns, fireDocumentEvent) {
        const modules = new Map();

        function define(id, factory) {
            if (modules.has(id)) throw new Error(`Cordova module ${id} already defined`);
            modules.set(id, { id, factory, exports: {}, state: 'defined' });
        }
        define.remove = (id) => { modules.delete(id); };

        function require(id) {
            const module = modules.get(id);
            if (!module) {
                if (Object.hasOwn(builtIns, id)) return builtIns[id];
                throw new Error(`module ${id} not found`);
            }
            if (module.state === 'building') throw new Error(`Cycle in require graph: ${id} requires itself`);
            if (module.state === 'defined') build(module);
            return module.exports;
        }

        function build(module) {
            module.state = 'building';
            try {
                const folder = module.id.slice(0, module.id.lastIndexOf('.') + 1);
                const requireFrom = (id) => require(id.startsWith('./') ? folder + id.slice(2) : id);
                module.factory(requireFrom, module.exports, module);
                module.state = 'built';
            } finally {
                if (module.state === 'building') module.state = 'defined';
            }
        }

        return { define, require, exec, fireDocumentEvent };
    }

    // -- React Native ------------------------------------------------------------------------------------------------

    const SYNC_METHODS = Object.keys(SYNC_FUNCTIONS);
    const STORE_METHODS = [...new Set(Object.values(STORE_FUNCTIONS).map(({ action }) => action))]
        .filter((action) => action !== 'pgShowInspector');

    const NATIVE_MODULES = [
        {
            ios: 'SFSmartStoreReactBridge', android: 'SmartStoreReactBridge', service: STORE_SERVICE,
            actions: STORE_METHODS,
        },
        {
            ios: 'SFMobileSyncReactBridge', android: 'MobileSyncReactBridge', service: SYNC_SERVICE,
            actions: SYNC_METHODS,
        },
        {
            ios: 'SFNetReactBridge', android: 'SalesforceNetReactBridge', service: NETWORK_SERVICE,
            actions: ['pgSendRequest'],
        },
        {
            ios: 'SFOauthReactBridge', android: 'SalesforceOauthReactBridge', service: OAUTH_SERVICE,
            actions: ['authenticate', 'getAuthCredentials', 'logoutCurrentUser'],
        },
    ];

    /** The actions that iOS answers with OK, and Android with true. */
    const REMOVAL_ACTIONS = ['pgRemoveStore', 'pgRemoveAllStores', 'pgRemoveAllGlobalStores'];

    /** A sync that did not end with DONE. */
    class FailedSync {
        constructor(row) {
            this.message = row.status === 'STOPPED' ? 'Sync stopped' : 'Sync failed';
            this.userInfo = row;
        }
    }

    /** Returns the native modules with the names and callbacks of iOS, and with those of Android. */
    function createNativeModules(connection, codec) {
        const ios = {};
        const android = {};
        for (const { ios: iosName, android: androidName, service, actions } of NATIVE_MODULES) {
            ios[iosName] = {};
            android[androidName] = {};
            for (const action of actions) {
                const method = action.startsWith('pg') ? action[2].toLowerCase() + action.slice(3) : action;
                const perform = (args) => performNative(connection, service, action, args || {});
                ios[iosName][method] = (args, callback) => {
                    report(
                        perform(args), (value) => callback(null, REMOVAL_ACTIONS.includes(action) ? 'OK' : value),
                        (error) => callback(iosError(error)));
                };
                android[androidName][method] = (args, success, error) => {
                    report(
                        perform(args), (value) => success(codec.encode(value)),
                        (value) => error(errorText(value, codec)));
                };
            }
        }
        return { ios, android };
    }

    /** Returns the promise of the value of a method; a sync is answered when it ends. */
    async function performNative(connection, service, action, args) {
        const value = await connection.perform(service, action, [SDK_VERSION, args]);
        if (service !== SYNC_SERVICE) return value ?? null;
        if (action === 'getSyncStatus') return SYNC_FUNCTIONS.getSyncStatus.convert(value);
        if (!START_ACTIONS.includes(action)) return value ?? null;
        const store = { isGlobalStore: args.isGlobalStore || false, storeName: args.storeName || DEFAULT_STORE };
        const row = await connection.endOf(value, store);
        if (row.status !== 'DONE') throw new FailedSync(row);
        return row;
    }

    function iosError(error) {
        if (error instanceof FailedSync) return { message: error.message, userInfo: error.userInfo };
        // A callback without an error is a success.
        return error ?? 'The call failed without a message';
    }

    function errorText(error, codec) {
        if (error instanceof FailedSync) return codec.encode(error.userInfo);
        return typeof error === 'string' ? error : codec.encode(error);
    }

    // -- Globals -----------------------------------------------------------------------------------------------------

    /** The globals of one client. */
    class Globals {
        constructor(target, kit, url) {
            if (target.cordova !== undefined) {
                throw new Error('the global cordova exists already. Close the client that defined it, '
                    + 'or connect without globals.');
            }
            this.target = target;
            this.undo = [];
            this.addEnvironment(url);
            const { smartstore, smartstoreClient } = kit;
            this.defineAll(target.navigator, { smartstore, smartStore: smartstore, smartstoreClient });
            this.defineAll(target, {
                cordova: kit.cordova, force: kit.force, smartstoreClient, SoupIndexSpec, QuerySpec, StoreCursor,
                sfSmartstore: () => kit.cordova.require('com.salesforce.plugin.smartstore'),
            });
            this.isReady = false;
            this.keepReady();
        }

        /** Defines the globals of a page that Node does not have. */
        addEnvironment(url) {
            const environment = {
                window: this.target, navigator: { userAgent: 'SoupKit' }, document: new EventTarget(),
                location: new URL(url || 'about:blank'), Event, CustomEvent, URL, console, setTimeout, clearTimeout,
            };
            for (const name of Object.keys(environment)) {
                if (!(name in this.target)) this.define(this.target, name, environment[name]);
            }
        }

        defineAll(object, values) {
            for (const name of Object.keys(values)) this.define(object, name, values[name]);
        }

        /** Defines a property that a library can replace. */
        define(object, name, value) {
            const before = Object.getOwnPropertyDescriptor(object, name);
            Object.defineProperty(object, name, { value, writable: true, configurable: true, enumerable: true });
            this.undo.push(() => {
                if (object[name] !== value) return;
                if (before) Object.defineProperty(object, name, before);
                else delete object[name];
            });
        }

        /** Calls listeners of `deviceready` also if they are added after the event, as Cordova does. */
        keepReady() {
            const { document } = this.target;
            const add = document.addEventListener;
            this.define(document, 'addEventListener', (type, listener, options) => {
                if (type !== 'deviceready' || !this.isReady) {
                    add.call(document, type, listener, options);
                } else if (listener) {
                    const event = new this.target.Event(type);
                    runTask(() => (typeof listener === 'function' ? listener.call(document, event)
                        : listener.handleEvent(event)));
                }
            });
        }

        /** Fires `deviceready` when the document is complete. */
        ready() {
            const { document } = this.target;
            if (document.readyState === 'loading') {
                document.addEventListener('DOMContentLoaded', () => this.ready(), { once: true });
            } else if (!this.isReady && this.undo.length > 0) {
                this.isReady = true;
                this.fire('deviceready');
            }
        }

        fire(type, data) {
            this.target.document.dispatchEvent(Object.assign(new this.target.Event(type), data));
        }

        dispatchSync(detail) {
            this.target.document.dispatchEvent(new this.target.CustomEvent('sync', { detail }));
        }

        remove() {
            for (const undo of this.undo.reverse()) undo();
            this.undo = [];
        }
    }

    // -- The client --------------------------------------------------------------------------------------------------

    /** The client of one session; `soupkit.d.ts` documents its members. */
    class Client extends EventTarget {
        constructor(options) {
            super();
            const codec = new Codec(options.bigIntegers === true);
            const channel = createChannel(options, codec);
            this.connection = new Connection(
                channel, options, (detail) => this.dispatchSync(detail), (state, error) => this.notify(state, error));
            this.session = channel.session;
            this.globals = null;
            this.exec = (success, error, service, action, args) => {
                report(this.connection.perform(service, action, args || []), success, error);
            };
            this.addFunctions(options);
            this.cordova = this.createCordova();
            this.nativeModules = createNativeModules(this.connection, codec);
        }

        addFunctions(options) {
            const sender = (service) => (action, args) =>
                this.connection.perform(service, action, [SDK_VERSION, args]);
            const store = bindTable(STORE_FUNCTIONS, sender(STORE_SERVICE));
            const constructors = { SoupIndexSpec, QuerySpec, StoreCursor };
            this.smartstore = { ...store.callbacks, ...BUILDERS, ...constructors };
            this.smartstoreClient = { ...store.promises, ...BUILDERS, ...constructors };

            const sync = bindTable(SYNC_FUNCTIONS, sender(SYNC_SERVICE));
            const MERGE_MODE = { OVERWRITE: 'OVERWRITE', LEAVE_IF_CHANGED: 'LEAVE_IF_CHANGED' };
            this.mobilesync = { ...sync.callbacks, MERGE_MODE };
            this.mobilesyncClient = { ...sync.promises, MERGE_MODE };

            const conflicts = bindTable(CONFLICT_FUNCTIONS, sender(CONFLICT_SERVICE));
            this.conflicts = conflicts.callbacks;
            this.conflictsClient = conflicts.promises;

            const send = sender(NETWORK_SERVICE);
            const apiVersion = options.apiVersion || 'v66.0';
            const forceTable = {};
            for (const [name, definition] of Object.entries(FORCE_FUNCTIONS)) {
                forceTable[name] = { ...definition, noStore: true };
            }
            const force = bindTable(
                forceTable, (_, request) => send('pgSendRequest', networkRequest(request, apiVersion)));
            this.force = force.callbacks;
            this.forceClient = force.promises;
        }

        createCordova() {
            const modules = {
                'cordova/exec': this.exec,
                'com.salesforce.plugin.smartstore': this.smartstore,
                'com.salesforce.plugin.smartstore.client': this.smartstoreClient,
                'com.salesforce.plugin.mobilesync': this.mobilesync,
            };
            return createCordova(this.exec, modules, (type, data, isImmediate) => {
                if (!this.globals) throw new Error('this client has no document. Connect with globals: true.');
                const { globals } = this;
                if (isImmediate) globals.fire(type, data);
                else runTask(() => globals.fire(type, data));
            });
        }

        defineGlobals(target, url) {
            this.globals = new Globals(target, this, url);
        }

        dispatchSync(detail) {
            this.dispatchEvent(new CustomEvent('sync', { detail }));
            if (this.globals) this.globals.dispatchSync(detail);
        }

        notify(state, error) {
            const detail = error ? { state, error: `soupkit: ${error.message}` } : { state };
            this.dispatchEvent(new CustomEvent('connection', { detail }));
        }

        close() {
            this.connection.close();
            if (this.globals) this.globals.remove();
            this.globals = null;
        }
    }

    function networkRequest({ method, path, url, queryParams }, apiVersion) {
        return {
            endPoint: url ? '' : '/services/data',
            path: url || `/${[apiVersion, ...path].map(encodeURIComponent).join('/')}`,
            method: method || 'GET',
            queryParams: queryParams || {},
            headerParams: {},
            fileParams: {},
            returnBinary: false,
            doesNotRequireAuthentication: false,
        };
    }

    function createChannel(options, codec) {
        if (options.url !== undefined) {
            if (typeof options.secret !== 'string') {
                throw new Error('secret is missing. Pass the secret of the bridge.');
            }
            return new HTTPChannel(options, codec);
        }
        const { webkit } = globalThis;
        const handler = webkit && webkit.messageHandlers && webkit.messageHandlers.soupkit;
        if (!handler) {
            throw new Error('url is missing, and this is not a web view with the message handler "soupkit". '
                + 'Pass the URL and the secret of the bridge.');
        }
        return new WebViewChannel(handler, codec);
    }

    async function connect(options = {}) {
        if (!isObject(options)) throw new Error('soupkit: connect needs an object of options, such as {url, secret}.');
        let kit;
        try {
            kit = new Client(options);
            const target = options.globals === true ? globalThis : options.globals;
            if (target) kit.defineGlobals(target, options.url);
            await kit.connection.open();
            if (kit.globals) kit.globals.ready();
            return kit;
        } catch (error) {
            if (kit) kit.close();
            throw new Error(`soupkit: ${error.message}`);
        }
    }

    if (typeof module === 'object' && module && module.exports) {
        module.exports = { connect, receive, SoupIndexSpec, QuerySpec, StoreCursor };
    } else {
        globalThis.soupkit = { connect, receive, SoupIndexSpec, QuerySpec, StoreCursor };
    }
})();
