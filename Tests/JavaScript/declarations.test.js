// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0
'use strict';

const assert = require('node:assert/strict');
const fs = require('node:fs');
const path = require('node:path');
const { test } = require('node:test');
const { pathToFileURL } = require('node:url');
const { FakeBridge, soupkit } = require('./support/fake-bridge.js');
const { withClient } = require('./support/fixture.js');

const FOLDER = path.join(__dirname, '../../Sources/SoupBridge/JavaScript');
const SCRIPT = path.join(FOLDER, 'soupkit.js');
const DECLARATIONS = fs.readFileSync(path.join(FOLDER, 'soupkit.d.ts'), 'utf8');

/** Returns the names of the members of an interface. */
function members(name) {
    const body = new RegExp(`^export interface ${name}\\b[^{]*\\{\\n(.*?)^\\}`, 'ms').exec(DECLARATIONS)[1];
    const names = body.match(/^    (?:readonly )?\w+(?=[?(:])/gm).map((text) => text.trim().replace('readonly ', ''));
    return [...new Set(names)].sort();
}

/** Returns the texts of the alternatives of a type. */
function alternatives(name) {
    return new RegExp(`^export type ${name} =(.*?);`, 'ms').exec(DECLARATIONS)[1].match(/\w+/g).sort();
}

test('the declarations name the functions of the client', withClient(async (kit) => {
    const builders = members('QuerySpecBuilders');
    const store = [...members('SmartStore'), ...builders].sort();
    assert.deepEqual(Object.keys(kit.smartstore).sort(), store);
    assert.deepEqual(Object.keys(kit.smartstoreClient).sort(), store);
    for (const [declared, object] of [
        ['MobileSync', kit.mobilesync], ['MobileSyncClient', kit.mobilesyncClient], ['Force', kit.force],
        ['ForceClient', kit.forceClient], ['Cordova', kit.cordova], ['Conflicts', kit.conflicts],
        ['Conflicts', kit.conflictsClient],
    ]) {
        assert.deepEqual(Object.keys(object).sort(), members(declared), declared);
    }
    for (const name of members('Client')) assert.ok(name in kit, name);
    const { ios, android } = kit.nativeModules;
    for (const [declared, ...modules] of [
        ['StoreMethod', ios.SFSmartStoreReactBridge, android.SmartStoreReactBridge],
        ['SyncMethod', ios.SFMobileSyncReactBridge, android.MobileSyncReactBridge],
        ['OauthMethod', ios.SFOauthReactBridge, android.SalesforceOauthReactBridge],
    ]) {
        for (const module of modules) assert.deepEqual(Object.keys(module).sort(), alternatives(declared), declared);
    }
}));

test('the declarations name the exports', () => {
    const names = DECLARATIONS.match(/^export (?:declare class|function) \w+/gm).map((text) => text.split(' ').pop());
    assert.deepEqual(Object.keys(soupkit).sort(), names.sort());
});

test('the declarations name the globals', async () => {
    const bridge = await FakeBridge.start();
    const page = {};
    const kit = await bridge.connect({ globals: page });
    for (const name of members('Globals')) assert.ok(name in page, name);
    kit.close();
    await bridge.stop();
});

test('the file can be imported', async () => {
    const module = await import(pathToFileURL(SCRIPT));
    assert.equal(module.connect, soupkit.connect);
    assert.equal(module.default.QuerySpec, module.QuerySpec);
});
