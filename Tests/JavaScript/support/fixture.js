// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0
'use strict';

const { FakeBridge } = require('./fake-bridge.js');

/**
 * Runs a test with a fake bridge and a connected client, and stops both.
 *
 * @param options options of `connect`, and `bridge`, which prepares the bridge.
 */
function withClient(body, { bridge: prepare, ...options } = {}) {
    return async () => {
        const bridge = await FakeBridge.start();
        if (prepare) prepare(bridge);
        let kit;
        try {
            kit = await bridge.connect(options);
            await body(kit, bridge);
        } finally {
            if (kit) kit.close();
            await bridge.stop();
        }
    };
}

/** Runs a test with a fake bridge. */
function withBridge(body) {
    return async () => {
        const bridge = await FakeBridge.start();
        try {
            await body(bridge);
        } finally {
            await bridge.stop();
        }
    };
}

/** Calls a function with callbacks appended, and returns its outcome: `{value}` or `{error}`. */
function outcome(call) {
    return new Promise((resolve) => {
        call((value) => resolve({ value }), (error) => resolve({ error }));
    });
}

/** Returns the value with which a promise is rejected. */
async function rejection(promise) {
    try {
        await promise;
    } catch (error) {
        return error;
    }
    throw new Error('the promise was fulfilled');
}

module.exports = { withClient, withBridge, outcome, rejection };
