// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0
'use strict';

// A driver for headless Chromium over its DevTools protocol, through two pipes. It needs Node and no package.
//
//     const { Chromium } = require('./support/chromium.js');
//     const browser = await Chromium.start();
//     const page = await browser.open('http://127.0.0.1:8080/', { width: 390, height: 844, colorScheme: 'dark' });
//     await page.click('#search');
//     await page.type('lisa');
//     await page.press('Enter');
//     await page.waitFor(() => document.querySelectorAll('tbody tr').length === 1);
//     await page.screenshot('search.png');
//     assert.deepEqual(page.errors, []);
//     await browser.close();

const { spawn } = require('node:child_process');
const { existsSync, mkdtempSync, rmSync, writeFileSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join } = require('node:path');

const candidates = [
    '/usr/lib/chromium/chromium', '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome',
    '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome', '/Applications/Chromium.app/Contents/MacOS/Chromium',
];

const switches = [
    '--headless=new', '--remote-debugging-pipe', '--no-first-run', '--no-default-browser-check', '--disable-gpu',
    '--disable-dev-shm-usage', '--disable-extensions', '--disable-sync', '--disable-background-networking',
    '--disable-component-update', '--disable-default-apps', '--disable-breakpad', '--mute-audio', '--hide-scrollbars',
    '--password-store=basic', '--use-mock-keychain', '--no-proxy-server', '--disable-background-timer-throttling',
    '--disable-renderer-backgrounding', '--disable-backgrounding-occluded-windows',
];

/** A running browser with a temporary profile. */
class Chromium {
    /** Returns the path of the browser: the environment variable CHROMIUM, or a known path; null if there is none. */
    static find() {
        if (process.env.CHROMIUM) return process.env.CHROMIUM;
        return candidates.find((path) => existsSync(path)) ?? null;
    }

    /**
     * Starts a browser.
     *
     * @param {{executable?: string, arguments?: string[], timeout?: number}} options
     *     `timeout` is the maximum time of one command of the protocol, in milliseconds.
     */
    static async start(options = {}) {
        const executable = options.executable ?? Chromium.find();
        if (!executable) throw new Error('there is no Chromium: install it, or set CHROMIUM to its path');
        const browser = new Chromium(executable, options);
        try {
            await browser.send('Browser.getVersion');
        } catch (error) {
            await browser.close();
            throw error;
        }
        return browser;
    }

    #process;
    #profile;
    #output;
    #timeout;
    #buffer = [];
    #lastId = 0;
    #calls = new Map();
    #pages = new Map();
    #ended;
    #diagnosis = '';
    #isEnded = false;

    constructor(executable, options) {
        this.#timeout = options.timeout ?? 60_000;
        this.#profile = mkdtempSync(join(tmpdir(), 'soupkit-chromium-'));
        const list = [...switches, `--user-data-dir=${this.#profile}`, ...(options.arguments ?? [])];
        // The sandbox of Chromium refuses to run as root, as tests in a container do.
        if (process.getuid?.() === 0) list.push('--no-sandbox');
        this.#process = spawn(executable, [...list, 'about:blank'], {
            // The leader of a process group, so that its helper processes can be ended with it.
            detached: true, stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'],
        });
        this.#output = this.#process.stdio[3];
        this.#process.stderr.on('data', (data) => { this.#diagnosis = (this.#diagnosis + data).slice(-4000); });
        this.#process.stdio[4].on('data', (data) => this.#read(data));
        for (const stream of this.#process.stdio) stream?.on('error', () => {});
        this.#ended = new Promise((resolve) => {
            this.#process.on('error', (error) => { this.#end(`cannot be started: ${error.message}`); resolve(); });
            this.#process.on('exit', (code, signal) => { this.#end(`ended with ${signal ?? code}`); resolve(); });
        });
    }

    /** The process ID. */
    get pid() { return this.#process.pid; }

    /**
     * Opens a page in a window of its own, and waits until it is loaded.
     *
     * @param {string} url
     * @param {{width?: number, height?: number, scale?: number, touch?: boolean, colorScheme?: "light" | "dark",
     *     reducedMotion?: boolean, profile?: "shared" | "own"}} options `profile` "own" shares no storage with others.
     * @returns {Promise<Page>}
     */
    async open(url, options = {}) {
        const context = options.profile === 'own' ? await this.send('Target.createBrowserContext') : {};
        const { targetId } = await this.send('Target.createTarget', { url: 'about:blank', ...context });
        const { sessionId } = await this.send('Target.attachToTarget', { targetId, flatten: true });
        const page = new Page(this, targetId, sessionId, this.#timeout);
        this.#pages.set(sessionId, page);
        for (const domain of ['Page', 'Runtime', 'Log', 'Network']) await page.send(`${domain}.enable`);
        await page.resize(options);
        await page.emulate(options);
        await page.goto(url);
        return page;
    }

    /** Sends a command of the protocol, and returns its result. */
    send(method, params = {}, sessionId = undefined) {
        if (this.#isEnded) return Promise.reject(new Error(`${method}: the browser is closed`));
        const id = ++this.#lastId;
        return new Promise((resolve, reject) => {
            const timer = setTimeout(() => {
                this.#calls.delete(id);
                reject(new Error(`${method}: no answer within ${this.#timeout} ms`));
            }, this.#timeout);
            this.#calls.set(id, { method, resolve, reject, timer });
            this.#output.write(JSON.stringify({ id, method, params, sessionId }) + '\0');
        });
    }

    /** Ends the browser and removes its profile. */
    async close() {
        if (this.#process.exitCode === null && this.#process.signalCode === null && this.#process.pid) {
            const isClosing = this.send('Browser.close').catch(() => {});
            await Promise.race([this.#ended, isClosing.then(() => this.#ended), wait(3000)]);
            // Only the process group of this browser.
            try { process.kill(-this.#process.pid, 'SIGKILL'); } catch { /* It has ended. */ }
            await Promise.race([this.#ended, wait(3000)]);
        }
        for (const stream of this.#process.stdio) stream?.destroy();
        rmSync(this.#profile, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
    }

    /** Reads the messages of the browser, which end with a NUL. */
    #read(data) {
        let start = 0;
        for (let end = data.indexOf(0); end >= 0; end = data.indexOf(0, start)) {
            this.#buffer.push(data.subarray(start, end));
            const text = Buffer.concat(this.#buffer).toString();
            this.#buffer = [];
            start = end + 1;
            this.#receive(JSON.parse(text));
        }
        if (start < data.length) this.#buffer.push(data.subarray(start));
    }

    #receive(message) {
        if (message.id === undefined) {
            this.#pages.get(message.sessionId)?.receive(message.method, message.params);
            return;
        }
        const call = this.#calls.get(message.id);
        if (!call) return;
        this.#calls.delete(message.id);
        clearTimeout(call.timer);
        if (message.error) call.reject(new Error(`${call.method}: ${message.error.message}`));
        else call.resolve(message.result);
    }

    #end(reason) {
        this.#isEnded = true;
        const error = new Error(`the browser ${reason}\n${this.#diagnosis}`.trim());
        for (const call of this.#calls.values()) {
            clearTimeout(call.timer);
            call.reject(error);
        }
        this.#calls.clear();
    }
}

/** A page of a browser. */
class Page {
    /** The errors of the page: uncaught exceptions, `console.error`, and what the browser reports as an error. */
    errors = [];
    /** The texts of all calls of `console`, with their type. */
    messages = [];
    /** The addresses of the requests of the page, in their order. */
    requests = [];

    #browser;
    #targetId;
    #sessionId;
    #timeout;
    #waiting = [];

    constructor(browser, targetId, sessionId, timeout) {
        this.#browser = browser;
        this.#targetId = targetId;
        this.#sessionId = sessionId;
        this.#timeout = timeout;
    }

    /** Sends a command of the protocol for this page. */
    send(method, params) { return this.#browser.send(method, params, this.#sessionId); }

    receive(method, params) {
        switch (method) {
        case 'Runtime.exceptionThrown': {
            const details = params.exceptionDetails;
            this.errors.push(details.exception?.description ?? details.text);
            break;
        }
        case 'Runtime.consoleAPICalled': {
            const text = params.args.map((value) => String(value.value ?? value.description ?? value.type)).join(' ');
            this.messages.push({ type: params.type, text });
            if (params.type === 'error' || params.type === 'assert') this.errors.push(text);
            break;
        }
        case 'Log.entryAdded':
            if (params.entry.level === 'error') {
                this.errors.push([params.entry.text, params.entry.url].filter(Boolean).join(' '));
            }
            break;
        case 'Network.requestWillBeSent':
            this.requests.push(params.request.url);
            break;
        case 'Page.javascriptDialogOpening':
            // A page that shows a dialog does not answer; tests use none.
            this.errors.push(`${params.type}: ${params.message}`);
            this.send('Page.handleJavaScriptDialog', { accept: false }).catch(() => {});
            break;
        }
        this.#waiting = this.#waiting.filter((entry) => {
            if (entry.method !== method || !entry.matches(params)) return true;
            entry.resolve(params);
            return false;
        });
    }

    /** Returns the parameters of the next event with a name. */
    event(method, matches = () => true) {
        return new Promise((resolve, reject) => {
            const timer = setTimeout(
                () => reject(new Error(`${method}: no event within ${this.#timeout} ms`)), this.#timeout);
            this.#waiting.push({ method, matches, resolve: (params) => { clearTimeout(timer); resolve(params); } });
        });
    }

    /** Opens an address in this page, and waits until it is loaded. */
    async goto(url) {
        const loaded = this.event('Page.loadEventFired');
        const { errorText, loaderId } = await this.send('Page.navigate', { url });
        if (errorText) {
            loaded.catch(() => {});
            throw new Error(`${url}: ${errorText}`);
        }
        // Another fragment of the same document loads nothing.
        if (loaderId) await loaded;
        else loaded.catch(() => {});
    }

    /** Loads the page again. */
    async reload() {
        const loaded = this.event('Page.loadEventFired');
        await this.send('Page.reload');
        await loaded;
    }

    /** Changes the size of the page: width and height in CSS pixels; a touch screen if `touch` is true. */
    async resize({ width = 1280, height = 800, scale = 1, touch = false } = {}) {
        await this.send('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: scale, mobile: touch });
        await this.send('Emulation.setTouchEmulationEnabled', { enabled: touch });
    }

    /** Sets what the page learns of the preferences of the user. */
    async emulate({ colorScheme = 'light', reducedMotion = true } = {}) {
        await this.send('Emulation.setEmulatedMedia', { features: [
            { name: 'prefers-color-scheme', value: colorScheme },
            { name: 'prefers-reduced-motion', value: reducedMotion ? 'reduce' : 'no-preference' },
        ] });
        await this.send('Emulation.setFocusEmulationEnabled', { enabled: true });
    }

    /** Connects or disconnects the page and the network. */
    async setOffline(offline) {
        await this.send(
            'Network.emulateNetworkConditions', { offline, latency: 0, downloadThroughput: -1, uploadThroughput: -1 });
    }

    /**
     * Evaluates an expression or a function in the page, and returns its value; a promise is awaited.
     *
     * @param {string | Function} code a function must not use variables of the test: pass them as arguments.
     * @param {...unknown} values the arguments, as JSON.
     */
    async evaluate(code, ...values) {
        const list = values.map((value) => value === undefined ? 'undefined' : JSON.stringify(value)).join(', ');
        const expression = typeof code === 'function' ? `(${code})(${list})` : code;
        const { result, exceptionDetails } = await this.send(
            'Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true, userGesture: true });
        if (exceptionDetails) {
            throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
        }
        return result.value;
    }

    /**
     * Waits until an expression or a function returns a true value, and returns that value.
     *
     * @param {string | Function} code
     * @param {{timeout?: number, values?: unknown[], what?: string}} options `what` is for the error.
     */
    async waitFor(code, { timeout = 30_000, values = [], what = undefined } = {}) {
        const end = Date.now() + timeout;
        for (;;) {
            const value = await this.evaluate(code, ...values);
            if (value) return value;
            if (Date.now() >= end) {
                const errors = this.errors.length ? `\nerrors of the page: ${this.errors.join('\n')}` : '';
                throw new Error(`${what ?? code} is not true after ${timeout} ms${errors}`);
            }
            await wait(20);
        }
    }

    /** Waits until an element exists and is visible; with a text, until one that contains it is. */
    async waitForElement(selector, { text = undefined, timeout = 30_000 } = {}) {
        await this.waitFor(findVisible, {
            timeout, values: [selector, text ?? null], what: text ? `${selector} with "${text}"` : selector,
        });
    }

    /** Returns the visible text of the first element, or null. */
    text(selector) { return this.evaluate((s) => document.querySelector(s)?.innerText ?? null, selector); }

    /** Returns the visible texts of all elements. */
    texts(selector) {
        return this.evaluate((s) => [...document.querySelectorAll(s)].map((element) => element.innerText), selector);
    }

    /**
     * Clicks on an element with the mouse: waits until it is visible, scrolls to it, and clicks on its centre.
     *
     * @param {string} selector
     * @param {{text?: string, count?: number, timeout?: number}} options with `text`, the first visible element that
     *     contains it.
     */
    async click(selector, { text = undefined, count = 1, timeout = 30_000 } = {}) {
        await this.waitForElement(selector, { text, timeout });
        let point = await this.evaluate(pointOf, selector, text ?? null);
        // A page that is still changing moves the element away from the click.
        for (let before = null; before?.x !== point.x || before?.y !== point.y;) {
            before = point;
            await this.evaluate(twoFrames);
            await this.waitForElement(selector, { text, timeout });
            point = await this.evaluate(pointOf, selector, text ?? null);
        }
        if (point.covered) throw new Error(`${selector} is covered by ${point.covered}`);
        const at = { x: point.x, y: point.y, button: 'left' };
        await this.send('Input.dispatchMouseEvent', { type: 'mouseMoved', x: point.x, y: point.y });
        for (let number = 1; number <= count; number++) {
            await this.send('Input.dispatchMouseEvent', { type: 'mousePressed', ...at, clickCount: number });
            await this.send('Input.dispatchMouseEvent', { type: 'mouseReleased', ...at, clickCount: number });
        }
    }

    /** Types a text into the element with the focus, by events of the keyboard; other characters are inserted. */
    async type(text) {
        for (const character of text) {
            if (character === '\n') await this.press('Enter');
            else if (character === '\t') await this.press('Tab');
            else if (/^[ -~]$/.test(character)) await this.#key(character, keyOf(character), 0);
            else await this.send('Input.insertText', { text: character });
        }
    }

    /** Replaces the content of a field. */
    async fill(selector, text) {
        await this.click(selector);
        await this.evaluate((s) => document.querySelector(s).select?.(), selector);
        if (text === '') await this.press('Delete');
        else await this.type(text);
    }

    /**
     * Presses a key.
     *
     * @param {string} name a character, or the name of a key, such as `Enter`, `Tab`, `Escape` or `ArrowDown`.
     * @param {{shift?: boolean, control?: boolean, alt?: boolean, meta?: boolean}} modifiers
     */
    async press(name, { shift = false, control = false, alt = false, meta = false } = {}) {
        const modifiers = (alt ? 1 : 0) | (control ? 2 : 0) | (meta ? 4 : 0) | (shift ? 8 : 0);
        const isCharacter = name.length === 1 && !control && !alt && !meta;
        await this.#key(isCharacter ? name : keyTexts[name], keyOf(name), modifiers);
    }

    async #key(text, key, modifiers) {
        await this.send('Input.dispatchKeyEvent', {
            type: text ? 'keyDown' : 'rawKeyDown', ...key, text, unmodifiedText: text, modifiers,
            commands: commandsOf(key.key, modifiers),
        });
        await this.send('Input.dispatchKeyEvent', { type: 'keyUp', ...key, modifiers });
    }

    /** Returns the image of the page as PNG, and writes it to a file if a path is given. */
    async screenshot(path = undefined, { full = false } = {}) {
        const { data } = await this.send('Page.captureScreenshot', { format: 'png', captureBeyondViewport: full });
        const image = Buffer.from(data, 'base64');
        if (path) writeFileSync(path, image);
        return image;
    }

    /** Closes the page. */
    async close() { await this.#browser.send('Target.closeTarget', { targetId: this.#targetId }); }
}

/** Runs in the page. */
function findVisible(selector, text) {
    return [...document.querySelectorAll(selector)].some((element) =>
        element.checkVisibility({ visibilityProperty: true }) && (text === null || element.innerText.includes(text)));
}

/** Runs in the page: scrolls to an element and returns a point on it, or the element that covers it. */
function pointOf(selector, text) {
    const element = [...document.querySelectorAll(selector)].find((one) =>
        one.checkVisibility({ visibilityProperty: true }) && (text === null || one.innerText.includes(text)));
    element.scrollIntoView({ block: 'nearest', inline: 'nearest', behavior: 'instant' });
    const box = element.getClientRects()[0] ?? element.getBoundingClientRect();
    const x = box.left + box.width / 2;
    const y = box.top + box.height / 2;
    const hit = document.elementFromPoint(x, y);
    // A click on a part of the element, on its label, or on what contains it alone arrives at the element.
    const isHit = hit !== null && (element.contains(hit) || hit.contains(element) || hit.closest('label')?.control === element);
    return { x, y, covered: isHit ? null : hit?.outerHTML.slice(0, 200) ?? 'nothing: it is outside of the page' };
}

/** Runs in the page: waits until the page has been drawn twice. */
function twoFrames() {
    return new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
}

const keyTexts = { Enter: '\r', Space: ' ' };
const keyCodes = {
    Backspace: 8, Tab: 9, Enter: 13, Escape: 27, Space: 32, PageUp: 33, PageDown: 34, End: 35, Home: 36, ArrowLeft: 37,
    ArrowUp: 38, ArrowRight: 39, ArrowDown: 40, Delete: 46, F1: 112, F5: 116,
};

/** Returns the members of a key event that name the key. */
function keyOf(name) {
    if (name === 'Space' || name === ' ') return { key: ' ', code: 'Space', windowsVirtualKeyCode: 32 };
    if (keyCodes[name]) return { key: name, code: name, windowsVirtualKeyCode: keyCodes[name] };
    if (/^[a-z]$/i.test(name)) {
        const letter = name.toUpperCase();
        return { key: name, code: `Key${letter}`, windowsVirtualKeyCode: letter.charCodeAt(0) };
    }
    if (/^\d$/.test(name)) return { key: name, code: `Digit${name}`, windowsVirtualKeyCode: name.charCodeAt(0) };
    // The codes of other signs depend on the keyboard; pages read `key`.
    return { key: name, code: '', windowsVirtualKeyCode: 0 };
}

/** Returns the editing commands that a desktop derives from a key. */
function commandsOf(key, modifiers) {
    return modifiers === 2 && key.toLowerCase() === 'a' ? ['selectAll'] : [];
}

function wait(milliseconds) { return new Promise((resolve) => { setTimeout(resolve, milliseconds); }); }

module.exports = { Chromium, Page };
