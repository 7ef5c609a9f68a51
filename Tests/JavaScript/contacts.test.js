// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0
'use strict';

// Samples/ContactsExplorer in Chromium, with the bridge and the local org of the command in the variable SOUP.

const assert = require('node:assert/strict');
const { spawn } = require('node:child_process');
const { join } = require('node:path');
const { after, before, describe, test } = require('node:test');
const { Chromium } = require('./support/chromium.js');
const { ContactsExplorer, sample } = require('./support/contacts-explorer.js');
const { lowContrast, namelessControls } = require('./support/page-checks.js');

const { SOUP } = process.env;
const skip = !SOUP ? 'SOUP is not set: set it to the path of the command soup'
    : !Chromium.find() ? 'there is no Chromium: install it, or set CHROMIUM to its path' : false;

describe('ContactsExplorer', { skip, concurrency: 1 }, () => {
    let browser;
    before(async () => { browser = await Chromium.start(); });
    after(() => browser?.close());

    /** Runs a test with an org, a bridge and a page of its own, in which the contacts were fetched. */
    function explore(name, body, options = {}) {
        test(name, { timeout: 300_000 }, async () => {
            const explorer = await ContactsExplorer.start(SOUP);
            try {
                const page = await browser.open(explorer.url, { profile: 'own', ...options });
                await page.waitForElement('.results', { text: 'There are no contacts yet' });
                if (!options.isEmpty) await sync(page, 'The sync is complete.');
                await body(page, explorer);
                assert.deepEqual(page.errors, []);
                await page.close();
            } finally {
                await explorer.stop();
            }
        });
    }

    explore('fetches the contacts with live progress, and shows them page by page', async (page, explorer) => {
        assert.equal(await page.evaluate('location.href'), `${explorer.bridge.line.url}/#/contacts`);
        await page.evaluate(() => {
            globalThis.states = [];
            const record = () => states.push(document.querySelector('.state').textContent);
            new MutationObserver(record).observe(document.querySelector('.state'), { childList: true });
        });
        await sync(page, 'The sync is complete.');
        // 200 of 204 contacts are on the first page of the query.
        const states = (await page.evaluate('states')).filter((text, index, all) => text !== all[index - 1]);
        assert.match(
            states.join('; '), /^Sending: 0 %; (.*; )?Fetching: 0 %; Fetching: 98 %; Fetching: 100 %; No local changes$/);

        assert.equal(await page.text('.results'), '1–25 of 204');
        assert.equal(await page.text('.contacts .name'), 'Ada Adler');
        assert.deepEqual(await page.texts('.badge'), []);
        await page.click('.pager button', { text: 'Next' });
        await page.waitForElement('.results', { text: '26–50 of 204' });
        await page.click('.pager button', { text: 'Previous' });
        await page.waitForElement('.results', { text: '1–25 of 204' });
    }, { isEmpty: true });

    explore('shows the progress and the results of both syncs', async (page) => {
        await page.click('#views a', { text: 'Changes' });
        await page.waitForElement('.card .result', { text: 'It has not run yet.' });
        await page.click('.card button', { text: 'Fetch contacts' });
        await page.waitForElement('.card .result', { text: ': 204 contacts' });
        assert.deepEqual(
            await page.evaluate(() => [...document.querySelectorAll('.card progress')].map(({ value }) => value)),
            [0, 100]);
    }, { isEmpty: true });

    explore('finds contacts by the beginnings of words in several fields', async (page) => {
        for (const [text, names] of [
            ['ADA res', ['Ada Adler']],
            ['østerg log', ['Dana Østergård-Featherstonehaugh']],
            ['bo.almeida@example', ['Bo Almeida']],
            // Signs and operators are not part of the search; AND is the beginning of Andersen.
            ['"chen* AND (', ['Chen Andersen']],
            ['* " -', []],
            ['chen -andersen:', ['Chen Andersen']],
            ['chen zzz', []],
        ]) {
            await page.fill('#search', text);
            await page.waitFor((expected) => [...document.querySelectorAll('.contacts .name')]
                .map(({ textContent }) => textContent).join() === expected, { values: [names.join()], what: text });
        }
        assert.equal(await page.text('.results'), 'No contact contains all these words.');
        await page.fill('#search', '');
        await page.waitForElement('.results', { text: '1–25 of 204' });
    });

    explore('keeps edits while the org is stopped, and sends them when it is back', async (page, explorer) => {
        await explorer.stopOrg();
        await edit(page, 'Ada Adler', { Title: 'Chief Scientist', Phone: '' });
        await page.waitForElement('.contacts a[aria-current] .badge', { text: 'Edited' });
        await clickSync(page);
        await page.waitForElement('#problem', { text: 'Your changes are kept, but were not sent' });
        assert.match(await page.text('#problem'), /the server cannot be reached/);
        assert.equal(await page.text('.state'), 'The last sync failed. 1 local change');

        await edit(page, 'Ada Adler', { Department: 'Science' });
        await explorer.startOrg();
        await sync(page, 'The sync is complete.');
        assert.deepEqual(await page.texts('.badge'), []);
        assert.equal(await page.text('#problem'), '');
        const { Title, Phone, Department, Email } = await explorer.serverContact('Adler');
        assert.deepEqual(
            [Title, Phone, Department, Email], ['Chief Scientist', null, 'Science', 'ada.adler@example.com']);
    });

    explore('opens a contact although the list is shown again during the click', async (page) => {
        const { x, y } = await page.evaluate(() => {
            const { x, y, width, height } = document.querySelector('.contacts a').getBoundingClientRect();
            return { x: x + width / 2, y: y + height / 2 };
        });
        const mouse = (type) => page.send('Input.dispatchMouseEvent', { type, x, y, button: 'left', clickCount: 1 });
        await mouse('mousePressed');
        await page.evaluate(() => new Promise((resolve) => {
            new MutationObserver(resolve).observe(document.querySelector('.results'), { childList: true });
            document.dispatchEvent(new Event('visibilitychange'));
        }));
        await mouse('mouseReleased');
        await page.waitForElement('.contact h2', { text: 'Ada Adler' });
        await page.waitForElement('.contacts a[aria-current]', { text: 'Ada Adler' });
    });

    explore('creates a contact, and shows its text as text', async (page, explorer) => {
        const name = '<img src=x onerror=alert(1)>';
        await page.click('a', { text: 'New contact' });
        await page.click('button', { text: 'Save' });
        await page.waitForElement('#field-LastName-message', { text: 'Enter a value for Last name.' });
        assert.equal(await focusOf(page), 'field-LastName');
        await page.fill('#field-LastName', name);
        await page.fill('#field-Description', 'One\n𝒯wo & "three"');
        await page.click('button', { text: 'Save' });
        await page.waitForElement('.contact h2', { text: name });
        await page.waitForElement('.contact .badge', { text: 'New' });
        await sync(page, 'The sync is complete.');
        await page.waitFor(() => document.querySelector('.badge') === null);
        assert.equal(await page.evaluate('document.querySelectorAll("main img").length'), 0);
        assert.equal((await explorer.serverContact(name)).Description, 'One\n𝒯wo & "three"');
    });

    explore('deletes and undeletes contacts', async (page, explorer) => {
        await open(page, 'Bo Almeida');
        await page.click('.actions button', { text: 'Delete' });
        await page.waitForElement('.contacts a.is-deleted', { text: 'Bo Almeida' });
        await page.click('.actions button', { text: 'Undelete' });
        await page.waitFor(() => document.querySelector('.badge') === null);
        await sync(page, 'The sync is complete.');
        assert.ok(await explorer.serverContact('Almeida'));

        await edit(page, 'Bo Almeida', { Title: 'Buyer' });
        await page.click('.actions button', { text: 'Delete' });
        await page.waitForElement('.contact .badge', { text: 'Deleted' });
        await page.click('.actions button', { text: 'Undelete' });
        await page.waitForElement('.contact .badge', { text: 'Edited' });
        await page.click('.actions button', { text: 'Delete' });
        await page.waitForElement('.contact .badge', { text: 'Deleted' });
        await sync(page, 'The sync is complete.');
        await page.waitForElement('.contact', { text: 'This contact does not exist any more.' });
        assert.equal(await page.text('.results'), '1–25 of 203');
        assert.equal(await explorer.serverContact('Almeida'), undefined);
    });

    explore('removes contacts that were deleted on the server', async (page, explorer) => {
        await explorer.deleteOnServer('Adler');
        await sync(page, 'The sync is complete.');
        await page.waitForElement('.results', { text: '1–25 of 203' });
    });

    explore('shows a conflict side by side, and keeps the local version', async (page, explorer) => {
        await edit(page, 'Chen Andersen', { Title: 'Mine', Department: 'My department' });
        await explorer.editOnServer('Andersen', { Title: 'Theirs', Phone: '+47 1' });
        await sync(page, 'The sync is complete: 1 in conflict.');
        await page.waitForElement('.contact .note', { text: 'This contact was also changed on the server.' });
        await page.click('#views a', { text: 'Conflicts' });
        await page.waitForElement('.card h2', { text: 'Chen Andersen' });
        assert.deepEqual(await page.texts('.versions tbody th, .versions tbody td'), [
            'Title', 'Designer', 'Mine', 'Theirs',
        ]);
        await page.click('.card button', { text: 'Use mine' });
        await page.waitForElement('.summary', { text: 'No contact is in conflict.' });
        await sync(page, 'The sync is complete.');
        const { Title, Department, Phone } = await explorer.serverContact('Andersen');
        assert.deepEqual([Title, Department, Phone], ['Mine', 'My department', '+47 1']);
    });

    explore('takes the version of the server, and its deletion', async (page, explorer) => {
        await edit(page, 'Chen Andersen', { Title: 'Mine' });
        await edit(page, 'Ada Adler', { Title: 'Mine' });
        await explorer.editOnServer('Andersen', { Title: 'Theirs' });
        await explorer.deleteOnServer('Adler');
        await sync(page, 'The sync is complete: 2 in conflict.');
        await page.click('#views a', { text: 'Conflicts' });
        await page.waitForElement('.note', { text: 'The server deleted this contact, and you changed it.' });
        await page.click('button[aria-label="Use server\'s: Chen Andersen"]');
        await page.waitForElement('.summary', { text: '1 contact was changed' });
        await page.click('button[aria-label="Accept deletion: Ada Adler"]');
        await page.waitForElement('.summary', { text: 'No contact is in conflict.' });
        await page.click('#views a', { text: 'Contacts' });
        await page.waitForElement('.contacts .about', { text: 'Theirs' });
        assert.equal(await page.text('.results'), '1–25 of 203');
        assert.equal(await page.text('.state'), 'No local changes');
    });

    explore('shows rejected changes with the message at the field, to correct them', async (page, explorer) => {
        await edit(page, 'Bo Almeida', { Phone: '0815' });
        await sync(page, 'The sync is complete: 1 rejected.');
        await page.click('#views a', { text: 'Changes' });
        await page.waitForElement('.card .result', { text: ': 1 contact, 1 rejected' });
        await page.click('#views a', { text: 'Rejected' });
        await page.waitForElement('.card h2', { text: 'Bo Almeida' });
        assert.deepEqual(await page.texts('.card dl'), [
            'Business phone\n0815\nBegin the phone number with + and the country code.',
        ]);
        await page.click('.card a', { text: 'Correct' });
        await page.waitForElement('#field-Phone-message', { text: 'Begin the phone number with +' });
        assert.equal(await focusOf(page), 'field-Phone');
        assert.deepEqual(await page.evaluate(() => [...document.querySelectorAll('[aria-invalid]')].map(({ id }) => id)),
            ['field-Phone']);
        await page.fill('#field-Phone', '+49 815');
        await page.press('Enter');
        await page.waitForElement('article h2', { text: 'Bo Almeida' });
        assert.deepEqual(await page.texts('.contact .badge'), ['Edited']);
        await sync(page, 'The sync is complete.');
        assert.equal((await explorer.serverContact('Almeida')).Phone, '+49 815');
    });

    explore('keeps the text of a form whose contact is removed by a sync', async (page, explorer) => {
        await openForm(page, 'Ada Adler');
        await page.fill('#field-Title', 'Typed');
        await explorer.deleteOnServer('Adler');
        await sync(page, 'The sync is complete.');
        await page.waitForElement('form .note', { text: 'Save creates a new contact with these values.' });
        assert.equal(await page.text('form h2'), 'New contact');
        await page.click('button', { text: 'Save' });
        await page.waitForElement('article h2', { text: 'Ada Adler' });
        assert.deepEqual(await page.texts('.contact .badge'), ['New']);
        await sync(page, 'The sync is complete.');
        const { FirstName, Title, Email } = await explorer.serverContact('Adler');
        assert.deepEqual([FirstName, Title, Email], ['Ada', 'Typed', 'ada.adler@example.com']);
    });

    explore('shows the values that a sync changes in an open form', async (page, explorer) => {
        await openForm(page, 'Chen Andersen');
        await page.fill('#field-Title', 'Mine');
        await explorer.editOnServer('Andersen', { Title: 'Theirs', Department: 'Design' });
        await sync(page, 'The sync is complete.');
        await page.waitForElement('#field-Title-message', { text: 'The value was changed meanwhile to: Theirs' });
        assert.deepEqual(await valuesOf(page), {
            FirstName: 'Chen', LastName: 'Andersen', Title: 'Mine', Department: 'Design',
            Email: 'chen.andersen@example.com', Phone: '+47 22 55 01 03', MobilePhone: '',
            Description: '<b>Writes in HTML</b> & likes "quotes".',
        });
        await page.click('button', { text: 'Save' });
        await page.waitForElement('article h2', { text: 'Chen Andersen' });
        await sync(page, 'The sync is complete.');
        const { Title, Department } = await explorer.serverContact('Andersen');
        assert.deepEqual([Title, Department], ['Mine', 'Design']);
    });

    explore('keeps text that is not saved when another view opens', async (page) => {
        await openForm(page, 'Bo Almeida');
        await page.fill('#field-Title', 'Typed');
        await page.click('#views a', { text: 'Changes' });
        await page.waitForElement('#status', { text: 'Your text is not saved.' });
        await page.evaluate('history.back()');
        await page.waitFor(() => document.activeElement.form?.elements.Title.value === 'Typed');
        await page.press('Escape');
        await page.waitForElement('article h2', { text: 'Bo Almeida' });
        await page.click('.actions a', { text: 'Edit' });
        await page.waitFor(() => document.querySelector('#field-Title')?.value === 'Typed');
        await page.click('button', { text: 'Cancel' });
        await page.waitForElement('article h2', { text: 'Bo Almeida' });
        await page.click('.actions a', { text: 'Edit' });
        await page.waitFor(() => document.querySelector('#field-Title')?.value === 'Purchasing Manager');
        assert.equal(await page.text('.state'), 'No local changes');
    });

    explore('does not change the line breaks of a value', async (page, explorer) => {
        await explorer.editOnServer('Almeida', { Description: 'One\r\nTwo' });
        await sync(page, 'The sync is complete.');
        await edit(page, 'Bo Almeida', { Title: 'Buyer' });
        await sync(page, 'The sync is complete.');
        const { Title, Description } = await explorer.serverContact('Almeida');
        assert.deepEqual([Title, Description], ['Buyer', 'One\r\nTwo']);
    });

    explore('shows the sync of another page until it ends', async (page, explorer) => {
        await explorer.delayRequests('/query', 1500);
        await clickSync(page);
        await page.waitForElement('.state', { text: 'Fetching' });
        // The pointer is still on the button, which is disabled during the sync.
        assert.deepEqual(await page.evaluate(lowContrast), []);
        const other = await browser.open(explorer.url, { profile: 'own' });
        await other.waitForElement('.results', { text: '1–25 of 204' });
        await other.click('#views a', { text: 'Changes' });
        await other.waitForElement('.card .result', { text: 'Running' });
        await other.waitFor(() => [...document.querySelectorAll('.result')].every(
            ({ textContent }) => textContent.startsWith('Done')));
        await page.waitForElement('#status', { text: 'The sync is complete.' });
        assert.deepEqual(other.errors, []);
        await other.close();
    });

    explore('keeps the focus on a contact’s button when a sync ends', async (page, explorer) => {
        await open(page, 'Bo Almeida');
        await explorer.delayRequests('/query', 500);
        await clickSync(page);
        await page.evaluate(() => document.querySelector('.actions .danger').focus());
        await page.waitForElement('#status', { text: 'The sync is complete.' });
        assert.equal(await page.evaluate('document.activeElement.textContent'), 'Delete');
    });

    explore('fits long names on a phone, with controls for fingers', async (page) => {
        await page.click('a', { text: 'New contact' });
        await page.fill('#field-FirstName', 'Maximilian-Alexander Konstantin');
        await page.fill('#field-LastName', 'Wolfeschlegelsteinhausenbergerdorff-Featherstonehaugh-Cholmondeley');
        await page.click('button', { text: 'Save' });
        await page.waitForElement('.contact .badge', { text: 'New' });
        for (const view of ['contacts', 'contacts/205', 'contacts/205/edit', 'sync']) {
            await page.evaluate((hash) => { location.hash = hash; }, `#/${view}`);
            await page.waitForElement({ contacts: '.contacts', sync: '.changes a' }[view] ?? '.contact');
            assert.deepEqual(await page.evaluate(outsideOfPage), [], view);
            assert.deepEqual(await page.evaluate(smallControls), [], view);
        }
    }, { width: 390, height: 844, touch: true });

    explore('needs no mouse', async (page, explorer) => {
        // From the top of the page to the list; the focus is visible on the way.
        await page.evaluate('document.activeElement.blur()');
        await tabTo(page, 'search');
        await page.press('ArrowDown');
        await page.press('ArrowDown');
        await page.press('Enter');
        await page.waitForElement('.contact h2', { text: 'Bo Almeida' });
        await page.waitFor(() => document.activeElement.tagName === 'H2');
        await tabTo(page, 'Edit');
        await page.press('Enter');
        await page.waitFor(() => document.activeElement.id === 'field-FirstName');
        await page.evaluate('document.activeElement.select()');
        await page.type('Bob');
        await page.press('Enter');
        await page.waitForElement('.contact h2', { text: 'Bob Almeida' });
        await page.press('Escape');
        await page.waitFor(() => document.activeElement.textContent.includes('Bob Almeida'));

        await tabTo(page, 'sync', { shift: true });
        await page.press('Enter');
        await page.waitForElement('#status', { text: 'The sync is complete.' });
        assert.equal(await focusOf(page), 'sync');
        assert.equal((await explorer.serverContact('Almeida')).FirstName, 'Bob');

        await tabTo(page, 'New contact');
        await page.press('Enter');
        await page.waitFor(() => document.activeElement.id === 'field-FirstName');
        await page.press('Tab');
        await page.type('Ångström');
        await page.press('Enter');
        await page.waitForElement('.contact h2', { text: 'Ångström' });
        await tabTo(page, 'Delete');
        await page.press('Space');
        await page.waitForElement('.contact .badge', { text: 'Deleted' });
        await tabTo(page, 'Undelete');
    });

    for (const width of [390, 1280]) {
        for (const colorScheme of ['light', 'dark']) {
            explore(`fits ${width} pixels with readable text in ${colorScheme} colours`, async (page, explorer) => {
                await edit(page, 'Bo Almeida', { Phone: '0815' });
                await edit(page, 'Chen Andersen', { Title: 'Mine' });
                await explorer.editOnServer('Andersen', { Title: 'Theirs' });
                await sync(page, 'The sync is complete: 1 rejected, 1 in conflict.');
                for (const view of ['contacts', 'contacts/2', 'contacts/2/edit', 'conflicts', 'rejected', 'sync']) {
                    await page.evaluate((hash) => { location.hash = hash; }, `#/${view}`);
                    await page.waitForElement('h1, h2');
                    const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
                    assert.ok(overflow <= 0, `${view} is ${overflow} pixels too wide`);
                    assert.deepEqual(await page.evaluate(namelessControls), [], view);
                    assert.deepEqual(await page.evaluate(lowContrast), [], view);
                }
            }, { width, height: 800, colorScheme });
        }
    }

    test('explains a missing secret', async () => {
        const explorer = await ContactsExplorer.start(SOUP);
        try {
            const page = await browser.open(explorer.bridge.line.url, { profile: 'own' });
            await page.waitForElement('#problem', { text: 'The secret of the bridge is missing.' });
            assert.deepEqual(page.errors, []);
            await page.close();
        } finally {
            await explorer.stop();
        }
    });

    test('run.sh starts the org and the bridge, and ends both', { timeout: 240_000 }, async () => {
        const run = spawn(join(sample, 'run.sh'), { stdio: ['ignore', 'pipe', 'inherit'] });
        const ended = new Promise((resolve) => { run.on('exit', resolve); });
        let url;
        let org;
        try {
            let output = '';
            for await (const data of run.stdout) {
                output += data;
                if (output.split('\n').length > 2) break;
            }
            [, url, org] = output.match(/^Open (\S+)\nThe org is at (\S+)\n/);
            const page = await browser.open(url, { profile: 'own' });
            await page.waitForElement('.results', { text: 'There are no contacts yet' });
            await sync(page, 'The sync is complete.');
            await page.close();
        } finally {
            run.kill('SIGTERM');
            await ended;
        }
        for (const address of [url, org]) await assert.rejects(fetch(address), address);
    });
});

// -- Actions ---------------------------------------------------------------------------------------------------------

async function clickSync(page) {
    await page.click('#sync');
}

/** Syncs, and waits for the result. */
async function sync(page, result) {
    await page.evaluate('document.querySelector("#status").textContent = ""');
    await clickSync(page);
    await page.waitFor((text) => document.querySelector('#status').textContent === text, {
        values: [result], timeout: 30_000, what: `the result "${result}"`,
    });
}

/** Opens a contact of the first page of the list. */
async function open(page, name) {
    await page.evaluate(() => { location.hash = '#/contacts'; });
    await page.click('.contacts a', { text: name });
    await page.waitForElement('.contact h2', { text: name });
}

/** Opens a contact of the first page of the list in the form. */
async function openForm(page, name) {
    await open(page, name);
    await page.click('.actions a', { text: 'Edit' });
    await page.waitForElement('form h2', { text: name });
}

/** Changes values of a contact in the form, and saves them. */
async function edit(page, name, values) {
    await openForm(page, name);
    for (const [field, value] of Object.entries(values)) await page.fill(`#field-${field}`, value);
    await page.click('button', { text: 'Save' });
    await page.waitForElement('article h2', { text: name });
}

/** Returns the values of the form by the names of the fields. */
const valuesOf = (page) => page.evaluate(() => Object.fromEntries(new FormData(document.querySelector('form'))));

const focusOf = (page) => page.evaluate('document.activeElement.id');

/** Presses Tab until an element with this ID or text has the focus, and checks that each focus is visible. */
async function tabTo(page, target, modifiers = {}) {
    for (let count = 0; count < 80; count += 1) {
        await page.press('Tab', modifiers);
        const { id, text, isVisible } = await page.evaluate(() => {
            const { activeElement: element } = document;
            const style = getComputedStyle(element);
            return {
                id: element.id, text: element.textContent,
                isVisible: element === document.body
                    || (style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2),
            };
        });
        assert.ok(isVisible, `the focus of "${text}" is not visible`);
        if (id === target || text === target) return;
    }
    assert.fail(`Tab does not reach ${target}`);
}

// -- Checks that run in the page ---------------------------------------------------------------------------------------

/** Returns the elements that are cut at the right or left edge of the page. */
function outsideOfPage() {
    return [...document.querySelectorAll('main *')]
        .filter((element) => element.checkVisibility() && !element.matches('.hidden'))
        .filter((element) => {
            const { left, right } = element.getBoundingClientRect();
            return left < 0 || right > innerWidth;
        })
        .map((element) => element.outerHTML.slice(0, 100));
}

/** Returns the controls that are too low for a finger; links within a sentence may be. */
function smallControls() {
    return [...document.querySelectorAll('a, button, input, textarea')]
        .filter((element) => element.checkVisibility() && !element.matches('.skip, .note a'))
        .filter((element) => element.getBoundingClientRect().height < 44)
        .map((element) => element.outerHTML.slice(0, 100));
}
