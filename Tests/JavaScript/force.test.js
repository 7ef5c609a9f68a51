// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0
'use strict';

const assert = require('node:assert/strict');
const { test } = require('node:test');
const { VERSION, NETWORK } = require('./support/fake-bridge.js');
const { withClient, outcome, rejection } = require('./support/fixture.js');

const FIELDS = { Name: 'Ada' };
const MORE = '/services/data/v66.0/query/01g-2000';

/** Name, arguments, method, path below the endpoint, parameters. */
const FUNCTIONS = [
    ['create', ['account', FIELDS], 'POST', '/v66.0/sobjects/account', FIELDS],
    ['retrieve', ['account', '001', 'id,Name'], 'GET', '/v66.0/sobjects/account/001', { fields: 'id,Name' }],
    ['retrieve', ['account', '001', ['Id', 'Name']], 'GET', '/v66.0/sobjects/account/001', { fields: 'Id,Name' }],
    ['retrieve', ['account', '001'], 'GET', '/v66.0/sobjects/account/001', {}],
    ['update', ['account', '001', FIELDS], 'PATCH', '/v66.0/sobjects/account/001', FIELDS],
    ['update', ['account', { Id: '001', ...FIELDS }], 'PATCH', '/v66.0/sobjects/account/001', FIELDS],
    ['update', ['account', { id: '001', ...FIELDS }], 'PATCH', '/v66.0/sobjects/account/001', FIELDS],
    ['upsert', ['account', 'Key__c', 'a/b?', FIELDS], 'PATCH', '/v66.0/sobjects/account/Key__c/a%2Fb%3F', FIELDS],
    ['del', ['account', '001'], 'DELETE', '/v66.0/sobjects/account/001', {}],
    ['query', ['SELECT Id FROM Account'], 'GET', '/v66.0/query', { q: 'SELECT Id FROM Account' }],
    ['search', ['FIND {x}'], 'GET', '/v66.0/search', { q: 'FIND {x}' }],
    ['describe', ['Account'], 'GET', '/v66.0/sobjects/Account/describe', {}],
];

function request(endPoint, method, path, queryParams) {
    return {
        service: NETWORK, action: 'pgSendRequest',
        args: [VERSION, {
            endPoint, path, method, queryParams, headerParams: {}, fileParams: {}, returnBinary: false,
            doesNotRequireAuthentication: false,
        }],
    };
}

const sent = ({ service, action, args }) => ({ service, action, args });

for (const [name, given, method, path, parameters] of FUNCTIONS) {
    test(`force.${name}(${JSON.stringify(given).slice(1, -1)})`, withClient(async (kit, bridge) => {
        const expected = request('/services/data', method, path, parameters);
        bridge.answer = () => ({ id: '001' });
        assert.deepEqual(await outcome((ok, fail) => kit.force[name](...given, ok, fail)), { value: { id: '001' } });
        assert.deepEqual(sent(bridge.last), expected);
        assert.deepEqual(await kit.force[name](...given), { id: '001' });
        assert.deepEqual(await kit.forceClient[name](...given), { id: '001' });
        assert.deepEqual(bridge.calls.map(sent), [expected, expected, expected]);

        const failure = JSON.stringify({ response: { statusCode: 404, headers: {}, body: [] } });
        bridge.answer = () => { throw failure; };
        assert.deepEqual(await outcome((ok, fail) => kit.force[name](...given, ok, fail)), { error: failure });
        assert.equal(await rejection(kit.forceClient[name](...given)), failure);
    }));
}

test('force.queryMore uses the URL as it is', withClient(async (kit, bridge) => {
    await kit.force.queryMore(MORE);
    assert.deepEqual(sent(bridge.last), request('', 'GET', MORE, {}));
}));

test('the API version is an option', withClient(async (kit, bridge) => {
    await kit.force.describe('Account');
    assert.equal(bridge.last.args[1].path, '/v65.0/sobjects/Account/describe');
}, { apiVersion: 'v65.0' }));

test('the error of a request that did not reach the bridge is JSON too', withClient(async (kit, bridge) => {
    await bridge.stop();
    const text = await rejection(kit.force.describe('Account'));
    assert.match(JSON.parse(text).error, /^soupkit: the bridge at .* is not reachable/);
    await bridge.restart();
}, { reconnectDelays: [] }));
