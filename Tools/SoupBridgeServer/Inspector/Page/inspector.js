// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import { Bridge } from './bridge.js';
import { ChangesView } from './changes.js';
import { ConflictsView } from './conflicts.js';
import { showShortcuts } from './dialogs.js';
import { button, element, fill } from './elements.js';
import { EntriesView } from './entries.js';
import { bytes, count } from './format.js';
import { SmartSQLView } from './sql.js';
import { SoupsView } from './soups.js';
import { SyncsView } from './syncs.js';
import { moveRow } from './table.js';

const tabs = ['soups', 'sql', 'changes', 'conflicts', 'syncs'];
const [minimumPause, pauseFactor] = [2000, 20];

/** The page: its views, the current place in the history of the browser, and the numbers of the store. */
class Inspector {
    overview = null;
    /** The current place: `{view, soup?, id?}`. */
    place = { view: 'soups' };
    settings = { usesLetters: true };
    #conflicts = 0;
    #running = 0;

    constructor(bridge) {
        this.bridge = bridge;
        this.main = document.getElementById('main');
        this.banner = document.getElementById('connection');
    }

    get view() { return this.views?.[this.place.view]; }

    async start() {
        const calls = [this.bridge.inspect('overview'), this.bridge.open()];
        for (const call of calls) call.catch(() => {});
        this.#setOverview(await calls[0]);
        await calls[1];
        this.views = {
            soups: new SoupsView(this), entries: new EntriesView(this), sql: new SmartSQLView(this),
            changes: new ChangesView(this), conflicts: new ConflictsView(this), syncs: new SyncsView(this),
        };
        this.bridge.onConnection = (error) => this.#showConnection(error);
        this.bridge.onSync = () => { if (this.view === this.views.syncs) this.views.syncs.refresh(); };
        // After a reload, the page shows the same place again.
        if (Object.hasOwn(this.views, history.state?.view ?? '')) this.place = history.state;
        history.replaceState(this.place, '');
        addEventListener('popstate', (event) => { if (event.state?.view) this.#show(event.state); });
        addEventListener('keydown', (event) => this.#key(event));
        document.addEventListener('visibilitychange', () => { if (document.visibilityState === 'visible') this.#poll(); });
        document.getElementById('refresh').addEventListener('click', () => this.refresh());
        document.getElementById('help').addEventListener('click', () => showShortcuts(this.settings));
        await this.#show(this.place);
        performance.mark('inspector-ready');
        this.#countRest();
        this.#poll();
    }

    /** Returns the numbers of a soup. */
    soup(name) { return this.overview.soups.find((soup) => soup.name === name); }

    // MARK: Places

    /** Shows a place, and notes it in the history of the browser. */
    go(place) {
        // A record replaces the one that is open, so that a step back leads to the list.
        const isDetail = place.id !== undefined;
        const isOverList = isDetail && this.place.view === place.view && this.place.soup === place.soup;
        const next = { ...place, isOverList: isOverList && (this.place.id === undefined || this.place.isOverList) };
        if (isOverList && this.place.id !== undefined) history.replaceState(next, '');
        else history.pushState(next, '');
        return this.#show(next);
    }

    /** Closes the record that is open. */
    close() {
        if (this.place.id === undefined) return;
        if (this.place.isOverList) {
            history.back();
            return;
        }
        const { id: _, ...list } = this.place;
        history.replaceState(list, '');
        this.#show(list);
    }

    async #show(place) {
        const previous = this.view;
        this.place = place;
        const { view } = this;
        if (previous !== view) previous?.hide?.();
        this.#showTabs();
        if (!view.root.isConnected) {
            fill(this.main, view.root);
            scrollTo(0, 0);
        }
        document.title = `${place.soup ? `${place.soup} – ` : ''}${view.title} – SoupKit inspector`;
        try {
            await view.show(place);
        } catch (error) {
            this.report(error);
        }
    }

    #showTabs() {
        const nav = document.getElementById('views');
        const current = this.place.view === 'entries' ? 'soups' : this.place.view;
        const dirty = this.overview.soups.reduce((sum, soup) => sum + soup.dirty, 0);
        const badges = { changes: [dirty, 'warning'], conflicts: [this.#conflicts, 'danger'], syncs: [this.#running, 'info'] };
        const titles = { soups: 'Soups', sql: 'Smart SQL', changes: 'Changes', conflicts: 'Conflicts', syncs: 'Syncs' };
        const focused = nav.contains(document.activeElement) ? document.activeElement.id : null;
        fill(nav, tabs.map((name, index) => {
            const [number, kind] = badges[name] ?? [0];
            return button('button.tab', () => this.go({ view: name }), {
                id: `tab-${name}`, 'aria-current': name === current ? 'page' : null, title: `${titles[name]} (${index + 1})`,
            }, titles[name], number > 0 && element(`span.badge.${kind}`, {}, count(number)));
        }));
        if (focused) document.getElementById(focused)?.focus();
    }

    // MARK: Numbers

    #setOverview(overview) {
        this.overview = overview;
        const { isGlobalStore, storeName, isWritable, databaseSize, logSize } = overview;
        if (storeName !== undefined) this.bridge.store = { isGlobalStore, storeName };
        fill(document.getElementById('store'),
            element('span', {}, `${isGlobalStore ? 'Global store' : 'User store'}${storeName ? ` ${storeName}` : ''}`),
            element('span.tag', { class: isWritable ? 'tag warning' : 'tag' }, isWritable ? 'can write' : 'read-only'),
            element('span.sizes', {}, `File ${bytes(databaseSize)} · Log ${bytes(logSize)}`));
    }

    setConflicts(number) {
        this.#conflicts = number;
        this.#showTabs();
    }

    setRunning(number) {
        if (number === this.#running) return;
        this.#running = number;
        this.#showTabs();
    }

    /** Reads the numbers of conflicts and running syncs, which the first view does not need. */
    async #countRest() {
        const [conflicts, syncs] = await Promise.all(
            [this.bridge.conflicts('list'), this.bridge.inspect('syncs')].map((answer) => answer.catch(() => [])));
        this.setConflicts(conflicts.length);
        this.setRunning(syncs.filter(({ status }) => status === 'RUNNING').length);
    }

    /** Reads the numbers of the store again and again; a slow store is asked less often. */
    async #poll() {
        clearTimeout(this.timer);
        if (document.visibilityState !== 'visible') return;
        const start = performance.now();
        if (!await this.#readOverview()) return;
        const pause = Math.max(minimumPause, pauseFactor * (performance.now() - start));
        clearTimeout(this.timer);
        this.timer = setTimeout(() => this.#poll(), pause);
    }

    /** Reads the numbers of the store; returns false if further calls are useless. */
    async #readOverview() {
        try {
            const overview = await this.bridge.inspect('overview');
            const isSame = JSON.stringify(overview) === JSON.stringify(this.overview);
            this.#showConnection(null);
            if (isSame) return true;
            this.#setOverview(overview);
            this.#showTabs();
            this.view.update?.();
        } catch (error) {
            this.#showConnection(error);
            return error.kind !== 'secret';
        }
        return true;
    }

    /** Reads what the page shows again. */
    async refresh() {
        await this.#readOverview();
        await Promise.all([this.#countRest(), this.view.refresh?.()]);
    }

    // MARK: Messages

    /** Resolves a conflict or discards changes; returns whether it succeeded, and shows its error. */
    async write(action, values) {
        try {
            await this.bridge.conflicts(action, values);
            return true;
        } catch (error) {
            this.report(error);
            return false;
        }
    }

    /** Shows an error until it is closed. */
    report(error) {
        const message = element('div.banner.danger.floating', { role: 'alert' }, element('p', {}, error.message),
            button('button.small', () => message.remove(), { 'aria-label': 'Close the message' }, '✕'));
        document.body.append(message);
    }

    /** Announces a text to screen readers. */
    announce(text) { document.getElementById('announcement').textContent = text; }

    #showConnection(error) {
        const wasLost = !this.banner.hidden;
        this.banner.hidden = !error;
        this.banner.textContent = error?.message ?? '';
        // What the page shows may be old, or an error of the connection.
        if (wasLost && !error) this.refresh();
    }

    // MARK: Keys

    #key(event) {
        if (event.defaultPrevented || document.querySelector('dialog[open]')) return;
        const isEditing = event.target.closest?.('input:not([type=checkbox]), textarea, select');
        if (event.key === 'Escape') {
            if (isEditing) event.target.blur();
            else this.close();
            return;
        }
        if (event.ctrlKey || event.metaKey || event.altKey || isEditing) return;
        const action = this.#actionOf(event);
        if (!action) return;
        event.preventDefault();
        action();
    }

    #actionOf({ key, target }) {
        const isInRows = target.closest?.('button.row');
        if (key === 'ArrowDown' && isInRows) return () => this.#moveRow(1);
        if (key === 'ArrowUp' && isInRows) return () => this.#moveRow(-1);
        if (!this.settings.usesLetters) return null;
        if (/^[1-5]$/.test(key)) return () => this.go({ view: tabs[Number(key) - 1] });
        switch (key.toLowerCase()) {
        case '/': return this.view.search && (() => this.view.search());
        case 'j': return () => this.#moveRow(1);
        case 'k': return () => this.#moveRow(-1);
        case 'n': return this.view.nextPage && (() => this.view.nextPage());
        case 'p': return this.view.previousPage && (() => this.view.previousPage());
        case 'r': return () => this.refresh();
        case '?': return () => showShortcuts(this.settings);
        default: return null;
        }
    }

    /** Moves the focus by a row; if a record is open next to the list, the next one replaces it. */
    #moveRow(step) {
        const row = moveRow(this.main, step);
        if (row && this.place.id !== undefined) row.click();
    }
}

// The storage of this tab for this origin; the browser deletes it with the tab.
const secretKey = 'soupkit-inspector-secret';

/** Returns the secret in the fragment of the URL, and removes it from the address bar; after a reload, the last one. */
function takeSecret() {
    const secret = location.hash.slice(1);
    if (!secret) return sessionStorage.getItem(secretKey) ?? '';
    history.replaceState(null, '', location.pathname);
    return secret;
}

/** Asks for the secret. */
function askForSecret(reason) {
    const field = element('input', {
        type: 'password', id: 'secret', autocomplete: 'off', required: true, 'aria-describedby': 'reason',
    });
    fill(document.getElementById('main'), element('section.view', { 'aria-label': 'Secret' },
        element('p', { id: 'reason', role: 'alert' }, reason),
        element('form.sql', {
            onsubmit: (event) => {
                event.preventDefault();
                start(field.value.trim().split('#').at(-1));
            },
        }, element('label', { for: 'secret' }, 'URL or secret'), field,
        element('div.buttons', {}, element('button.primary', { type: 'submit' }, 'Open')))));
    field.focus();
}

async function start(secret) {
    if (!secret) {
        askForSecret('The page needs the secret of the server. Open the URL that “soup inspect” printed, '
            + 'or paste it here.');
        return;
    }
    try {
        await new Inspector(new Bridge(secret)).start();
        sessionStorage.setItem(secretKey, secret);
    } catch (error) {
        if (error.kind === 'secret') {
            sessionStorage.removeItem(secretKey);
            askForSecret(error.message);
        } else fill(document.getElementById('main'), element('p.banner.danger', { role: 'alert' }, error.message));
    }
}

addEventListener('hashchange', () => {
    // The user opened the URL of another server in this tab.
    if (location.hash.length > 1) location.reload();
});
start(takeSecret());
