// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

// The declarations of soupkit.js, whose first comment documents the order of answers and events, lost connections and
// large integers. A TypeScript project needs the library "dom" in its compiler options, also for Node.

export as namespace soupkit;

/**
 * Connects to a bridge.
 *
 * With a `url`, the client uses the HTTP bridge; without, the message handler `soupkit` of the web view. The promise is
 * fulfilled when the stream of events is open. Globals are defined before `connect` returns; calls that are made
 * earlier wait.
 *
 * A browser opens at most six HTTP/1.1 connections to one host, and each client uses one of them until it is closed. In
 * Node, an open client keeps the process running.
 *
 * The promise is rejected with an `Error` whose message begins with `soupkit:` if the options are incomplete, if the
 * bridge is not reachable or refuses the secret or the origin, or if the global `cordova` exists already.
 */
export function connect(options?: Options): Promise<Client>;

/**
 * Delivers an event of the web view to the clients of the page. The app calls it, with the state of a sync or with a
 * text that contains its JSON.
 */
export function receive(detail: SyncRow | string): void;

export interface Options {
    /** The URL of the bridge, such as `http://127.0.0.1:8080`. Missing in a web view. */
    url?: string;
    /** The secret of the bridge; required with a `url`. It is sent in the header `Authorization`, never in a URL. */
    secret?: string;
    /**
     * Whether to define the globals that the guide's samples and the Cordova libraries need, or the object on which to
     * define them, such as a context of Node's `vm`. Default: false. At most one client of a page can have the globals.
     */
    globals?: boolean | object;
    /** Whether integers beyond 2^53 are `bigint`; otherwise they are rounded, with one warning. Default: false. */
    bigIntegers?: boolean;
    /** The version of the REST API in the paths of `force`. Default: `v66.0`. */
    apiVersion?: string;
    /** The pauses before the attempts to connect again, in milliseconds. Default: 0, 500, 1000, 2000, 4000. */
    reconnectDelays?: number[];
    /** The pause between two requests for the state of a sync whose events are lost, in milliseconds. Default: 1000. */
    pollInterval?: number;
}

/**
 * A client of a bridge, with its own session: its cursors and its events are not visible to other clients.
 *
 * A call is answered once. The error callback and the rejected promise get the error value of the service, usually a
 * text. If the call did not reach the bridge or has no readable answer, the text begins with `soupkit:`; then a write
 * may or may not have happened. A value that the service does not send is `undefined`.
 */
export interface Client extends EventTarget {
    /** The random identifier of the session; undefined in a web view. */
    readonly session?: string;
    /** The functions of the store; `navigator.smartstore`, `navigator.smartStore` and `sfSmartstore()`. */
    readonly smartstore: SmartStore;
    /** The functions of the store without callbacks; `navigator.smartstoreClient` and `smartstoreClient`. */
    readonly smartstoreClient: SmartStoreClient;
    /** The functions of the syncs, as the module `com.salesforce.plugin.mobilesync` has them. */
    readonly mobilesync: MobileSync;
    /** The functions of the syncs without callbacks. */
    readonly mobilesyncClient: MobileSyncClient;
    /** The functions of conflicts, which the mobile SDKs do not have. */
    readonly conflicts: Conflicts;
    /** The functions of conflicts without callbacks. */
    readonly conflictsClient: ConflictsClient;
    /** Requests to the server, as the global `force` has them. */
    readonly force: Force;
    /** Requests to the server without callbacks. */
    readonly forceClient: ForceClient;
    /** The stand-in for Cordova, as the global `cordova` has it. */
    readonly cordova: Cordova;
    /** The native modules for the React Native libraries. */
    readonly nativeModules: NativeModules;
    /** Sends a call of any service, as the module `cordova/exec` does. */
    readonly exec: Exec;

    /**
     * Ends the session, and removes the globals. Unanswered calls fail, events that are not yet dispatched are
     * discarded, and the bridge stops the syncs that the client started.
     */
    close(): void;

    /**
     * Adds a listener of the states of the client's syncs. Each event is dispatched in a task of its own, never before
     * the answer of the call that started the sync. The last event of a sync has the status DONE, FAILED or STOPPED.
     */
    addEventListener(
        type: 'sync', listener: ((event: CustomEvent<SyncRow>) => void) | EventListenerObject | null,
        options?: boolean | AddEventListenerOptions): void;
    /** Adds a listener of changes of the connection. */
    addEventListener(
        type: 'connection', listener: ((event: CustomEvent<ConnectionState>) => void) | EventListenerObject | null,
        options?: boolean | AddEventListenerOptions): void;
    addEventListener(
        type: string, listener: EventListenerOrEventListenerObject | null,
        options?: boolean | AddEventListenerOptions): void;
    /** Removes a listener that was added with the same type and options. */
    removeEventListener(
        type: 'sync', listener: ((event: CustomEvent<SyncRow>) => void) | EventListenerObject | null,
        options?: boolean | EventListenerOptions): void;
    removeEventListener(
        type: 'connection', listener: ((event: CustomEvent<ConnectionState>) => void) | EventListenerObject | null,
        options?: boolean | EventListenerOptions): void;
    removeEventListener(
        type: string, listener: EventListenerOrEventListenerObject | null,
        options?: boolean | EventListenerOptions): void;
}

/**
 * The globals that the option `globals` defines, and the properties of `navigator`.
 *
 * They are not declared as globals here, because the declarations of other libraries contain the same names. An app
 * can declare them: `declare global { var force: import('./soupkit').Force }`.
 */
export interface Globals {
    cordova: Cordova;
    force: Force;
    smartstoreClient: SmartStoreClient;
    sfSmartstore(): SmartStore;
    SoupIndexSpec: typeof SoupIndexSpec;
    QuerySpec: typeof QuerySpec;
    StoreCursor: typeof StoreCursor;
    navigator: { smartstore: SmartStore; smartStore: SmartStore; smartstoreClient: SmartStoreClient };
}

/** A change of the connection. */
export interface ConnectionState {
    /**
     * `interrupted`: the stream of events ended, and the client connects again. `open`: the stream is open; cursors of
     * an earlier stream can be gone. `lost`: the client could not connect; the next call tries again. `closed`: the
     * client was closed.
     */
    state: 'open' | 'interrupted' | 'lost' | 'closed';
    /** The reason, for `interrupted` and `lost`. */
    error?: string;
}

// -- Values ----------------------------------------------------------------------------------------------------------

export type Success<Value> = ((value: Value) => void) | null;
/** A function that gets the error value of a service, usually a text. */
export type Failure = ((error: any) => void) | null;

/** A store. An object without `isGlobalStore` is not a store: it is taken for the next argument. */
export interface StoreConfig {
    isGlobalStore: boolean;
    /** The name. Default: the default store of the bridge. */
    storeName?: string | null;
}

/** The argument in the first place of most functions. Without it, they use the default store of the user. */
export type Store = StoreConfig | boolean;

/** A store in a list. */
export interface StoreName {
    storeName: string;
    isGlobalStore: boolean;
}

export type Order = 'ascending' | 'descending';
export type IndexType = 'string' | 'integer' | 'floating' | 'full_text' | 'json1';

export interface IndexSpec {
    path: string;
    type: IndexType;
}

export declare class SoupIndexSpec implements IndexSpec {
    constructor(path: string, type: IndexType);
    path: string;
    type: IndexType;
}

/** The value of a key in an index. */
export type Key = string | number | bigint | boolean | null;

/** A query. A missing member is the same as null. */
export interface QuerySpecMembers {
    queryType: 'exact' | 'range' | 'like' | 'match' | 'smart';
    /** The path of the index; null for a full-text query of all full-text paths. */
    indexPath?: string | null;
    matchKey?: Key;
    likeKey?: string | null;
    /** The lowest key of a range; null for all. */
    beginKey?: Key;
    /** The highest key of a range; null for all. */
    endKey?: Key;
    smartSql?: string | null;
    /** The path that sorts the entries. `querySoup` uses `indexPath` if it is null and `order` is not. */
    orderPath?: string | null;
    order?: Order | null;
    pageSize?: number;
    /** The paths whose values a row contains, in this order; null for entries. */
    selectPaths?: string[] | null;
}

/** A query spec with all members; unset ones are null. */
export declare class QuerySpec implements QuerySpecMembers {
    constructor(path?: string | null);
    queryType: QuerySpecMembers['queryType'];
    indexPath: string | null;
    matchKey: Key;
    likeKey: string | null;
    beginKey: Key;
    endKey: Key;
    smartSql: string | null;
    orderPath: string | null;
    order: Order | null;
    pageSize: number;
    selectPaths: string[] | null;
}

/** A page of a query. A move returns another object; the counts are those of the time of the query. */
export interface Cursor<Row = any> {
    cursorId: string | number;
    pageSize: number;
    totalEntries: number;
    /** The number of pages; 0 without entries. */
    totalPages: number;
    currentPageIndex: number;
    /** Entries, or arrays for select paths and Smart SQL. */
    currentPageOrderedEntries: Row[];
}

/** An empty cursor. */
export declare class StoreCursor implements Omit<Cursor, 'cursorId' | 'currentPageOrderedEntries'> {
    cursorId: string | number | null;
    pageSize: number;
    totalEntries: number;
    totalPages: number;
    currentPageIndex: number;
    currentPageOrderedEntries: any[] | null;
}

/** A record of a soup. */
export interface Entry {
    [field: string]: any;
}

/** A saved record. */
export interface SavedEntry extends Entry {
    _soupEntryId: number;
    /** The time of the last write, in milliseconds since 1970. */
    _soupLastModifiedDate: number;
}

/** The state of a sync. */
export interface SyncRow {
    _soupEntryId: number;
    type: 'syncDown' | 'syncUp';
    name?: string;
    /** The target as sent; it can have further keys. */
    target: any;
    soupName: string;
    /** The options as sent; they can have further keys. */
    options: any;
    status: 'NEW' | 'RUNNING' | 'DONE' | 'FAILED' | 'STOPPED';
    /** 0 to 100. */
    progress: number;
    /** The number of records; -1 while it is not known. */
    totalSize: number;
    maxTimeStamp: number | bigint;
    startTime: number;
    endTime: number;
    /** The error of a failed sync; empty for others. It begins with `soupkit:` if the client lost the bridge. */
    error?: any;
    /** After a sync up: the number of records that the server rejected; their errors are in `__last_error__`. */
    failed?: number;
    /** After a sync up: the number of records whose outcome is not known. */
    unknown?: number;
    /** The number of records that were not synced because of a conflict. */
    conflicted?: number;
    /** The number of records that were not synced because of local changes, or because of a newer server version. */
    skipped?: number;
    isGlobalStore: boolean;
    storeName: string;
}

export interface SyncOptions {
    /** Default: `OVERWRITE`, which replaces local changes. `MERGE` merges by field; the mobile SDKs do not have it. */
    mergeMode?: 'OVERWRITE' | 'LEAVE_IF_CHANGED' | 'MERGE';
    /** The fields that a sync up sends. */
    fieldlist?: string[];
    [option: string]: any;
}

/** The ID of a sync, or its name. */
export type SyncReference = number | string;

// -- The store -------------------------------------------------------------------------------------------------------

/** Functions that build query specs. Parameters can be skipped with null. */
export interface QuerySpecBuilders {
    /** Returns a spec for all entries, sorted by `path`. Default: ascending, 10 entries a page. */
    buildAllQuerySpec(
        path: string, order?: Order | null, pageSize?: number | null, selectPaths?: string[] | null): QuerySpec;
    /** Returns a spec for entries with a value. The page size comes before the order. */
    buildExactQuerySpec(
        path: string, matchKey: Key, pageSize?: number | null, order?: Order | null, orderPath?: string | null,
        selectPaths?: string[] | null): QuerySpec;
    /** Returns a spec for entries with values from `beginKey` to `endKey`, each of which can be null. */
    buildRangeQuerySpec(
        path: string, beginKey?: Key, endKey?: Key, order?: Order | null, pageSize?: number | null,
        orderPath?: string | null, selectPaths?: string[] | null): QuerySpec;
    /** Returns a spec for entries whose value matches a pattern with `%`. Case is ignored. */
    buildLikeQuerySpec(
        path: string, likeKey: string, order?: Order | null, pageSize?: number | null, orderPath?: string | null,
        selectPaths?: string[] | null): QuerySpec;
    /** Returns a spec for a full-text search in a path, or in all full-text paths for null. */
    buildMatchQuerySpec(
        path: string | null, matchKey: string, order?: Order | null, pageSize?: number | null,
        orderPath?: string | null, selectPaths?: string[] | null): QuerySpec;
    /** Returns a spec for `runSmartQuery`. */
    buildSmartQuerySpec(smartSql: string, pageSize?: number | null): QuerySpec;
    QuerySpec: typeof QuerySpec;
    SoupIndexSpec: typeof SoupIndexSpec;
    StoreCursor: typeof StoreCursor;
}

/** A function with an optional store before its parameters, and optional callbacks after them. */
export interface StoreFunction<Parameters extends unknown[], Value> {
    (store: Store, ...given: [...Parameters, Success<Value>?, Failure?]): Promise<Value>;
    (...given: [...Parameters, Success<Value>?, Failure?]): Promise<Value>;
}

/** A function with an optional store before its parameters. */
export interface StorePromise<Parameters extends unknown[], Value> {
    (store: Store, ...given: Parameters): Promise<Value>;
    (...given: Parameters): Promise<Value>;
}

/**
 * The functions of the store, with callbacks and promises.
 *
 * A rejected promise of these functions is not reported as unhandled, because the guide omits error callbacks. Pass an
 * error callback, await the promise, or use `SmartStoreClient`.
 */
export interface SmartStore extends QuerySpecBuilders {
    /** Registers a soup, and returns its name. If the soup exists, nothing changes. */
    registerSoup: StoreFunction<[soupName: string, indexes: IndexSpec[]], string>;
    /** Returns whether a soup exists. */
    soupExists: StoreFunction<[soupName: string], boolean>;
    /** Removes a soup; a soup that does not exist is ignored. */
    removeSoup: StoreFunction<[soupName: string], 'OK'>;
    /** Removes all entries of a soup. */
    clearSoup: StoreFunction<[soupName: string], 'OK'>;
    /** Returns the index specs of a soup, in the order of its registration. */
    getSoupIndexSpecs: StoreFunction<[soupName: string], IndexSpec[]>;
    /** Replaces the index specs of a soup, and returns its name. */
    alterSoup: StoreFunction<[soupName: string, indexes: IndexSpec[], reIndexData: boolean], string>;
    /** Builds the indexes of paths again, and returns the name of the soup. */
    reIndexSoup: StoreFunction<[soupName: string, paths: string[]], string>;
    /** Saves entries in one transaction, and returns them in the same order, with their IDs. */
    upsertSoupEntries: StoreFunction<[soupName: string, entries: Entry[]], SavedEntry[]>;
    /** Saves entries in one transaction; an entry replaces the one with the same value of `externalIdPath`. */
    upsertSoupEntriesWithExternalId:
        StoreFunction<[soupName: string, entries: Entry[], externalIdPath: string], SavedEntry[]>;
    /** Returns entries in the order of their IDs; entries that do not exist are missing. */
    retrieveSoupEntries: StoreFunction<[soupName: string, entryIds: number[]], SavedEntry[]>;
    /** Removes entries by their IDs, or all entries that match a query spec. */
    removeFromSoup: StoreFunction<[soupName: string, selection: number[] | QuerySpecMembers], 'OK'>;
    /**
     * Runs a query, and returns its first page. For a Smart SQL spec, throws an `Error` to the caller and calls no
     * callback.
     *
     * The bridge stores a limited number of cursors. Close those that are no longer needed.
     */
    querySoup: StoreFunction<[soupName: string, querySpec: QuerySpecMembers], Cursor>;
    /** Runs a Smart SQL query, and returns its first page. For another spec, throws an `Error` to the caller. */
    runSmartQuery: StoreFunction<[querySpec: QuerySpecMembers], Cursor<any[]>>;
    /** Returns a page of a cursor. Call it with the store of the query, as the other functions of cursors. */
    moveCursorToPageIndex: StoreFunction<[cursor: Cursor, index: number], Cursor>;
    /** Returns the next page. On the last page, the error is an `Error` that begins with `moveCursorToNextPage`. */
    moveCursorToNextPage: StoreFunction<[cursor: Cursor], Cursor>;
    /** Returns the page before. On the first page, the error is an `Error` that begins with its name. */
    moveCursorToPreviousPage: StoreFunction<[cursor: Cursor], Cursor>;
    /** Closes a cursor; a closed one is ignored. */
    closeCursor: StoreFunction<[cursor: Cursor], 'OK'>;
    /** Returns the size of the database in bytes. */
    getDatabaseSize: StoreFunction<[], number>;
    /** Fails: a page cannot open the inspector. Run `soup inspect`. */
    showInspector: StoreFunction<[], unknown>;
    /** Removes a store. */
    removeStore: StoreFunction<[], true>;
    /** Returns the stores of the user. */
    getAllStores(success?: Success<StoreName[]>, error?: Failure): Promise<StoreName[]>;
    /** Returns the global stores. */
    getAllGlobalStores(success?: Success<StoreName[]>, error?: Failure): Promise<StoreName[]>;
    /** Removes all stores of the user, with the default store. */
    removeAllStores(success?: Success<true>, error?: Failure): Promise<true>;
    /** Removes all global stores. */
    removeAllGlobalStores(success?: Success<true>, error?: Failure): Promise<true>;
}

/** The functions of `SmartStore` without callbacks. Each error rejects the promise. */
export type SmartStoreClient = QuerySpecBuilders & Promises<Omit<SmartStore, keyof QuerySpecBuilders>>;

/** Functions without callbacks. */
export type Promises<Functions> = {
    [Name in keyof Functions]:
        Functions[Name] extends StoreFunction<infer Parameters, infer Value> ? StorePromise<Parameters, Value>
        : Functions[Name] extends (success?: Success<infer Value>, error?: Failure) => Promise<infer Value>
            ? () => Promise<Value>
        : Functions[Name];
};

// -- Syncs -----------------------------------------------------------------------------------------------------------

export interface MergeModes {
    readonly OVERWRITE: 'OVERWRITE';
    readonly LEAVE_IF_CHANGED: 'LEAVE_IF_CHANGED';
}

/**
 * The functions of the syncs, with callbacks and promises; see `SmartStore` for unhandled rejections.
 *
 * `syncDown`, `syncUp` and `reSync` are answered when the sync begins, with the status RUNNING. Its states follow as
 * `sync` events of the client and, with globals, of the document.
 */
export interface MobileSync {
    readonly MERGE_MODE: MergeModes;
    /** Creates a sync down and runs it. */
    syncDown: StoreFunction<[target: object, soupName: string, options: SyncOptions], SyncRow>
        & StoreFunction<[target: object, soupName: string, options: SyncOptions, syncName: string | null], SyncRow>;
    /** Creates a sync up and runs it. Without a target, or with null, the bridge uses its default target. */
    syncUp: StoreFunction<[soupName: string, options: SyncOptions], SyncRow>
        & StoreFunction<[soupName: string, options: SyncOptions, syncName: string | null], SyncRow>
        & StoreFunction<[target: object | null, soupName: string, options: SyncOptions], SyncRow>
        & StoreFunction<
            [target: object | null, soupName: string, options: SyncOptions, syncName: string | null], SyncRow>;
    /** Runs a sync again. */
    reSync: StoreFunction<[sync: SyncReference], SyncRow>;
    /** Returns the state of a sync; null if it does not exist. */
    getSyncStatus: StoreFunction<[sync: SyncReference], SyncRow | null>;
    /** Deletes a sync; one that does not exist is ignored. */
    deleteSync: StoreFunction<[sync: SyncReference], void>;
    /** Removes records that the server no longer has, and returns their number. */
    cleanResyncGhosts: StoreFunction<[sync: SyncReference], number>;
}

/** The functions of `MobileSync` without callbacks. Each error rejects the promise. */
export interface MobileSyncClient {
    readonly MERGE_MODE: MergeModes;
    syncDown: StorePromise<
        [target: object, soupName: string, options: SyncOptions, syncName?: string | null], SyncRow>;
    syncUp: StorePromise<[soupName: string, options: SyncOptions, syncName?: string | null], SyncRow>
        & StorePromise<
            [target: object | null, soupName: string, options: SyncOptions, syncName?: string | null], SyncRow>;
    reSync: StorePromise<[sync: SyncReference], SyncRow>;
    getSyncStatus: StorePromise<[sync: SyncReference], SyncRow | null>;
    deleteSync: StorePromise<[sync: SyncReference], void>;
    cleanResyncGhosts: StorePromise<[sync: SyncReference], number>;
}

// -- Conflicts -------------------------------------------------------------------------------------------------------

/** A record that was changed locally and on the server, and that no sync could merge or was allowed to push. */
export interface Conflict {
    soupName: string;
    entryId: number;
    /** The server's ID; null for a record that was created locally. */
    id: string | null;
    /** `CONFLICT`, `NEWER_ON_SERVER`, `DELETED_ON_SERVER` or `PARENT_DELETED_ON_SERVER`. */
    code: string;
    /** The fields that could not be merged; if the conflict is about the whole record, its locally changed fields. */
    fields: string[];
    /** The version that both sides had; null if it is not known. */
    base: Entry | null;
    /** The local version; null if it was deleted. */
    local: Entry | null;
    /** The server's version; null if it was deleted. */
    remote: Entry | null;
}

/** The result of discarding the local changes of an entry: `removed` for an entry that was created locally. */
export interface DiscardedChange {
    entryId: number;
    result: 'restored' | 'removed' | 'unchanged';
}

/**
 * The functions of conflicts, with callbacks and promises; see `SmartStore` for unhandled rejections.
 *
 * An entry in conflict keeps its local changes, and no sync up pushes it, until the conflict is resolved.
 */
export interface Conflicts {
    /** Returns the open conflicts of a soup, or of all soups without a name or for null. */
    list: StoreFunction<[soupName: string | null] | [], Conflict[]>;
    /**
     * Resolves a conflict: with the local version, which the next sync up pushes, with the server's version, or with an
     * object whose members replace those of the local version.
     */
    resolve: StoreFunction<[soupName: string, entryId: number, version: 'local' | 'remote' | Entry], 'OK'>;
    /** Discards local changes, and ends conflicts: entries get their last synced version again. */
    discard: StoreFunction<[soupName: string, entryIds: number[]], DiscardedChange[]>;
}

/** The functions of `Conflicts` without callbacks. Each error rejects the promise. */
export type ConflictsClient = Promises<Conflicts>;

// -- Requests --------------------------------------------------------------------------------------------------------

/**
 * Requests to the server, which the bridge sends with authorization; see `SmartStore` for unhandled rejections.
 *
 * The error is a text that contains JSON: `{"response": {"headers", "statusCode", "body"}}`, or `{"error"}` if there is
 * no response. The value is the body of the response; undefined if it is empty.
 */
export interface Force {
    /** Creates a record, and returns `{id, success, errors}`. */
    create(type: string, fields: Entry, success?: Success<any>, error?: Failure): Promise<any>;
    /** Fetches a record. */
    retrieve(type: string, id: string, success: (value: any) => void, error?: Failure): Promise<any>;
    /** Fetches fields of a record: a text with commas, or a list. */
    retrieve(
        type: string, id: string, fields?: string | string[] | null, success?: Success<any>, error?: Failure):
        Promise<any>;
    /** Updates fields of a record. */
    update(type: string, id: string, fields: Entry, success?: Success<void>, error?: Failure): Promise<void>;
    /** Updates the record whose ID is the field `Id` or `id`. */
    update(type: string, fields: Entry, success?: Success<void>, error?: Failure): Promise<void>;
    /** Updates the record with an external ID, or creates it. */
    upsert(
        type: string, externalIdField: string, externalId: string, fields: Entry, success?: Success<any>,
        error?: Failure): Promise<any>;
    /** Deletes a record. */
    del(type: string, id: string, success?: Success<void>, error?: Failure): Promise<void>;
    /** Runs a SOQL query, and returns its first page: `{totalSize, done, records, nextRecordsUrl}`. */
    query(soql: string, success?: Success<any>, error?: Failure): Promise<any>;
    /** Fetches the next page of a query, with the `nextRecordsUrl` of the one before. */
    queryMore(nextRecordsUrl: string, success?: Success<any>, error?: Failure): Promise<any>;
    /** Runs a SOSL search. */
    search(sosl: string, success?: Success<any>, error?: Failure): Promise<any>;
    /** Returns the description of an object. */
    describe(type: string, success?: Success<any>, error?: Failure): Promise<any>;
}

/** The functions of `Force` without callbacks. Each error rejects the promise. */
export interface ForceClient {
    create(type: string, fields: Entry): Promise<any>;
    retrieve(type: string, id: string, fields?: string | string[] | null): Promise<any>;
    update(type: string, id: string, fields: Entry): Promise<void>;
    update(type: string, fields: Entry): Promise<void>;
    upsert(type: string, externalIdField: string, externalId: string, fields: Entry): Promise<any>;
    del(type: string, id: string): Promise<void>;
    query(soql: string): Promise<any>;
    queryMore(nextRecordsUrl: string): Promise<any>;
    search(sosl: string): Promise<any>;
    describe(type: string): Promise<any>;
}

// -- Libraries -------------------------------------------------------------------------------------------------------

/**
 * Sends a call. `args` is sent unchanged; the libraries put the text `pluginSDKVersion:14.0.0` in the first place, and
 * at most one object after it. Each callback can be null.
 */
export type Exec = (
    success: Success<any> | undefined, error: Failure | undefined, service: string, action: string,
    args?: unknown[]) => void;

/** The part of Cordova that the libraries of Salesforce need. They are sloppy-mode scripts: load them as scripts. */
export interface Cordova {
    readonly define: {
        /** Defines a module. It replaces a module of the client, but not one that the page has defined. */
        (id: string, factory: (require: (id: string) => any, exports: any, module: any) => void): void;
        /** Removes a module of the page. */
        remove(id: string): void;
    };
    /** Returns the exports of a module, which is built at the first call. Throws an error for an unknown module. */
    require(id: string): any;
    readonly exec: Exec;
    /** Fires an event of the document with the members of `data`: in a task of its own, or immediately. */
    fireDocumentEvent(type: string, data?: object | null, isImmediate?: boolean): void;
}

/** A method with the callback of iOS: `callback(error)` or `callback(null, value)`. */
export type IOSMethod = (args: object, callback: (error: any, value?: any) => void) => void;
/** A method with the callbacks of Android, which get texts; the value is JSON. */
export type AndroidMethod = (args: object, success: (text: string) => void, error: (text: string) => void) => void;

/**
 * The native modules, with the same methods in both forms.
 *
 * `syncDown`, `syncUp` and `reSync` are answered once, when the sync ends: with its row for DONE; for FAILED and
 * STOPPED with the error `{message, userInfo: row}` on iOS, and with the JSON of the row on Android.
 */
export interface NativeModules {
    readonly ios: {
        readonly SFSmartStoreReactBridge: Record<StoreMethod, IOSMethod>;
        readonly SFMobileSyncReactBridge: Record<SyncMethod, IOSMethod>;
        readonly SFNetReactBridge: Record<'sendRequest', IOSMethod>;
        readonly SFOauthReactBridge: Record<OauthMethod, IOSMethod>;
    };
    readonly android: {
        readonly SmartStoreReactBridge: Record<StoreMethod, AndroidMethod>;
        readonly MobileSyncReactBridge: Record<SyncMethod, AndroidMethod>;
        readonly SalesforceNetReactBridge: Record<'sendRequest', AndroidMethod>;
        readonly SalesforceOauthReactBridge: Record<OauthMethod, AndroidMethod>;
    };
}

export type StoreMethod =
    | 'registerSoup' | 'soupExists' | 'removeSoup' | 'clearSoup' | 'getSoupIndexSpecs' | 'alterSoup' | 'reIndexSoup'
    | 'upsertSoupEntries' | 'retrieveSoupEntries' | 'removeFromSoup' | 'querySoup' | 'runSmartQuery'
    | 'moveCursorToPageIndex' | 'closeCursor' | 'getDatabaseSize' | 'removeStore' | 'getAllStores'
    | 'getAllGlobalStores' | 'removeAllStores' | 'removeAllGlobalStores';
export type SyncMethod =
    'syncDown' | 'syncUp' | 'reSync' | 'getSyncStatus' | 'deleteSync' | 'cleanResyncGhosts';
/** Methods of a service that SoupKit's bridge does not have: its tokens never reach JavaScript. They fail. */
export type OauthMethod = 'authenticate' | 'getAuthCredentials' | 'logoutCurrentUser';
