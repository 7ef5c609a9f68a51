// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0
'use strict';

const assert = require('node:assert/strict');
const { test } = require('node:test');
const vm = require('node:vm');
const { until, syncRow } = require('./support/fake-bridge.js');
const { withClient, withBridge, rejection } = require('./support/fixture.js');

/** A classic script of the kind that the Cordova libraries are: sloppy mode, implicit globals, arguments.callee. */
const LIBRARY = `
SAMPLE_SDK_VERSION = '14.0.0';
cordova.define('com.salesforce.util.exec', function (require, exports, module) {
    var exec = function (version, ok, fail, service, action, args) {
        var all = [version];
        for (var i = 0; i < args.length; i++) all.push(args[i]);
        return cordova.require('cordova/exec')(ok, fail, service, action, all);
    };
    module.exports = { exec: exec };
});
cordova.define('com.salesforce.plugin.smartstore', function (require, exports, module) {
    var exec = require('./util') || null;
    var shared = require('com.salesforce.util.exec');
    var first = function (given, caller) {
        if (typeof given[0] === 'object' && given[0].hasOwnProperty('isGlobalStore')) return false;
        var list = Array.prototype.slice.call(given);
        list.unshift({ isGlobalStore: false });
        caller.apply(null, list);
        return true;
    };
    var soupExists = function (config, soup, ok, fail) {
        if (first(arguments, arguments.callee)) return;
        shared.exec('pluginSDKVersion:' + SAMPLE_SDK_VERSION, ok, fail, 'com.salesforce.smartstore', 'pgSoupExists',
            [{ soupName: soup, isGlobalStore: config.isGlobalStore, storeName: config.storeName }]);
    };
    counter = (typeof counter === 'undefined' ? 0 : counter) + 1;
    module.exports = { soupExists: soupExists, util: exec };
});
cordova.define('com.salesforce.plugin.util', function (require, exports) { exports.name = 'util'; });
navigator.smartstore = cordova.require('com.salesforce.plugin.smartstore');
var Sample = { startedAt: window.location.href, event: new CustomEvent('x', { detail: 1 }).detail };
`;

test('a library of classic scripts runs in a context of its own', withBridge(async (bridge) => {
    const page = vm.createContext({});
    const connecting = bridge.connect({ globals: page });
    // The library is loaded before the client is connected.
    vm.runInContext(LIBRARY, page);
    assert.equal(page.Sample.startedAt, `${bridge.url}/`);
    assert.equal(page.Sample.event, 1);
    assert.equal(page.counter, 1, 'a module is built once');
    assert.equal(page.navigator.smartstore.util.name, 'util', 'a relative name is a module of the same folder');
    bridge.answer = () => true;
    const value = await new Promise((resolve, reject) => {
        page.navigator.smartstore.soupExists('a', resolve, reject);
    });
    assert.equal(value, true);
    const { service, action, args } = bridge.last;
    assert.deepEqual({ service, action, args }, {
        service: 'com.salesforce.smartstore', action: 'pgSoupExists',
        args: ['pluginSDKVersion:14.0.0', { soupName: 'a', isGlobalStore: false }],
    });
    (await connecting).close();
    assert.equal('cordova' in page, false);
    assert.equal('navigator' in page, false);
}));

test('a library runs with the globals of Node', withBridge(async (bridge) => {
    const before = Object.getOwnPropertyNames(globalThis);
    const kit = await bridge.connect({ globals: true });
    try {
        vm.runInThisContext('result = new Promise(function (ok, fail) {'
            + "cordova.require('cordova/exec')(ok, fail, 'com.salesforce.sdkinfo', 'getInfo',"
            + "['pluginSDKVersion:14.0.0']);"
            + '})');
        assert.equal(await globalThis.result, 'OK');
        assert.deepEqual(bridge.last.args, ['pluginSDKVersion:14.0.0']);
        for (const functions of [navigator.smartstore, navigator.smartStore, sfSmartstore()]) {
            assert.equal(functions, kit.smartstore);
        }
        assert.equal(navigator.smartstoreClient, kit.smartstoreClient);
        assert.equal(smartstoreClient, kit.smartstoreClient);
        assert.equal(cordova.require('com.salesforce.plugin.smartstore.client'), kit.smartstoreClient);
        assert.equal(cordova.require('com.salesforce.plugin.mobilesync'), kit.mobilesync);
        assert.equal(force, kit.force);
        assert.ok(new QuerySpec('Id') instanceof kit.smartstore.QuerySpec);
        assert.ok(new SoupIndexSpec('Id', 'string') instanceof kit.smartstore.SoupIndexSpec);
        assert.ok(new StoreCursor() instanceof kit.smartstore.StoreCursor);
    } finally {
        kit.close();
        delete globalThis.result;
    }
    assert.deepEqual(Object.getOwnPropertyNames(globalThis).filter((name) => name !== 'result'), before);
}));

test('a client without globals defines none', withClient(async () => {
    for (const name of ['cordova', 'force', 'document', 'window', 'sfSmartstore', 'smartstoreClient', 'soupkit']) {
        assert.equal(name in globalThis, false, name);
    }
}));

test('only one client has the globals', withBridge(async (bridge) => {
    const page = {};
    const kit = await bridge.connect({ globals: page });
    const { cordova } = page;
    assert.match((await rejection(bridge.connect({ globals: page }))).message, /^soupkit: the global cordova exists/);
    const other = await bridge.connect();
    assert.equal(page.cordova, cordova);
    other.close();
    kit.close();
    (await bridge.connect({ globals: page })).close();
}));

test('modules that the page replaced stay after close', withBridge(async (bridge) => {
    const page = {};
    const kit = await bridge.connect({ globals: page });
    const force = {};
    page.force = force;
    kit.close();
    assert.equal(page.force, force);
}));

test('modules are defined, removed and replaced', withClient(async (kit) => {
    const { define, require } = kit.cordova;
    define('a', (_, exports) => { exports.value = 1; });
    assert.throws(() => define('a', () => {}), /already defined/);
    assert.equal(require('a').value, 1);
    define.remove('a');
    assert.throws(() => require('a'), /module a not found/);
    assert.throws(() => require('toString'), /module toString not found/);
    define('a', (_, exports, module) => { module.exports = 2; });
    assert.equal(require('a'), 2);
    define('b', (load) => load('c'));
    define('c', (load) => load('b'));
    assert.throws(() => require('b'), /Cycle in require graph: b/);
    let attempts = 0;
    define('d', () => { attempts += 1; if (attempts === 1) throw new Error('not yet'); });
    assert.throws(() => require('d'), /not yet/);
    require('d');
    assert.equal(attempts, 2);
}));

test('exec has no value and accepts missing callbacks', withClient(async (kit, bridge) => {
    bridge.answer = () => { throw 'it failed'; };
    assert.equal(kit.exec(null, null, 's', 'a', []), undefined);
    assert.equal(kit.cordova.exec, kit.exec);
    assert.equal(await new Promise((resolve) => kit.exec(null, resolve, 's', 'a')), 'it failed');
    assert.deepEqual(bridge.last.args, []);
    bridge.answer = () => undefined;
    assert.equal(await new Promise((resolve) => kit.exec(resolve, null, 's', 'a', ['x', {}])), undefined);
    assert.deepEqual(bridge.last.args, ['x', {}]);
}));

test('sync events are events of the document', withBridge(async (bridge) => {
    const page = {};
    const kit = await bridge.connect({ globals: page });
    const details = [];
    const listen = ({ detail }) => details.push(detail);
    page.document.addEventListener('sync', listen);
    const row = syncRow(1, 'DONE', { isGlobalStore: true, storeName: 's' });
    bridge.event(kit.session, row);
    await until(() => details.length === 1);
    assert.deepEqual(details, [row]);
    const seen = new Promise((resolve) => kit.addEventListener('sync', resolve));
    page.document.removeEventListener('sync', listen);
    bridge.event(kit.session, row);
    await seen;
    assert.equal(details.length, 1);
    kit.close();
}));

test('deviceready fires once, and late listeners are called', withBridge(async (bridge) => {
    const page = {};
    const log = [];
    const connecting = bridge.connect({ globals: page });
    const early = () => log.push('early');
    page.document.addEventListener('deviceready', early);
    page.document.addEventListener('deviceready', early);
    assert.deepEqual(log, []);
    const kit = await connecting;
    await until(() => log.length > 0);
    page.document.addEventListener('deviceready', ({ type }) => log.push(type));
    page.document.addEventListener('deviceready', { handleEvent: () => log.push('object') });
    await until(() => log.length === 3);
    assert.deepEqual(log, ['early', 'deviceready', 'object']);
    kit.close();
}));

test('deviceready waits for the document', withBridge(async (bridge) => {
    const document = Object.assign(new EventTarget(), { readyState: 'loading' });
    const page = { document };
    const log = [];
    document.addEventListener('deviceready', () => log.push('ready'));
    const kit = await bridge.connect({ globals: page });
    assert.deepEqual(log, []);
    document.readyState = 'interactive';
    document.dispatchEvent(new Event('DOMContentLoaded'));
    assert.deepEqual(log, ['ready']);
    kit.close();
    assert.equal(Object.hasOwn(document, 'addEventListener'), false, 'the document is unchanged');
}));

test('fireDocumentEvent fires events of the document', withBridge(async (bridge) => {
    const page = {};
    const kit = await bridge.connect({ globals: page });
    const log = [];
    page.document.addEventListener('pause', (event) => log.push(event.reason));
    page.cordova.fireDocumentEvent('pause', { reason: 1 });
    assert.deepEqual(log, []);
    page.cordova.fireDocumentEvent('pause', { reason: 2 }, true);
    await until(() => log.length === 2);
    assert.deepEqual(log, [2, 1]);
    kit.close();
}));

test('fireDocumentEvent needs a document', withClient(async (kit) => {
    assert.throws(() => kit.cordova.fireDocumentEvent('pause'), /Connect with globals/);
}));
