// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import { Conflicts } from './conflicts.js';
import { ConflictsView } from './conflicts-view.js';
import { ContactsView } from './contacts-view.js';
import { Contacts, errorOf } from './contacts.js';
import { Header } from './header.js';
import { Messages } from './messages.js';
import { RejectedView } from './rejected-view.js';
import { SyncView } from './sync-view.js';
import { DOWN, Syncs, UP } from './syncs.js';

/** The page: the data, the view that is open, and the numbers in the header. */
class App {
    constructor(kit) {
        this.contacts = new Contacts(kit);
        this.conflicts = new Conflicts(kit);
        this.syncs = new Syncs(kit);
        this.messages = new Messages();
        /** The contacts with local changes, those of them that the server rejected, and the conflicts. */
        this.changed = [];
        this.rejected = [];
        this.open = [];
        this.header = new Header(this);
        this.main = document.getElementById('main');
        this.views = {
            contacts: new ContactsView(this), conflicts: new ConflictsView(this), rejected: new RejectedView(this),
            sync: new SyncView(this),
        };
        this.view = null;
        /** The result to show when the next view has opened. */
        this.result = null;

        this.syncs.addEventListener('change', () => this.showSyncs());
        kit.addEventListener('connection', ({ detail }) => this.showConnection(detail));
        window.addEventListener('hashchange', () => this.perform(() => this.route(true)));
        // Another page of the same bridge can have changed the store.
        document.addEventListener('visibilitychange', () => {
            if (document.visibilityState === 'visible' && this.view) this.perform(() => this.reload());
        });
    }

    async start() {
        await this.syncs.load();
        await this.count();
        await this.route(false);
    }

    // -- Navigation --------------------------------------------------------------------------------------------------

    /** Opens the view of the address: `#/contacts/17/edit` is the view `contacts` with the path `['17', 'edit']`. */
    async route(movesFocus) {
        const [name, ...path] = location.hash.replace(/^#\/?/, '').split('/');
        // The skip link leads to #main.
        if (name === 'main') return;
        const view = this.views[name] ?? this.views.contacts;
        if (view !== this.view) {
            this.view?.close?.();
            this.view = view;
            this.main.replaceChildren(view.root);
            window.scrollTo(0, 0);
        }
        this.header.show();
        await view.show(view === this.views[name] ? path : []);
        if (!movesFocus) return;
        view.focus();
        // The result of an earlier action would cover the new view.
        if (this.result) this.messages.status(this.result);
        else this.messages.clearStatus();
        this.result = null;
    }

    /** Opens another view, and shows the result of an action there. */
    go(hash, result = null) {
        this.result = result;
        location.hash = hash;
    }

    // -- Data --------------------------------------------------------------------------------------------------------

    /** Counts the local changes, the rejected ones and the conflicts. */
    async count() {
        this.open = await this.conflicts.list();
        this.changed = await this.contacts.changed();
        this.rejected = this.changed.filter((contact) => errorOf(contact) && !this.isInConflict(contact));
        this.header.show();
    }

    isInConflict(contact) {
        return this.open.some(({ entryId }) => entryId === contact._soupEntryId);
    }

    /** Reads everything that is shown again. */
    async refresh() {
        await this.count();
        await this.view.refresh();
    }

    async reload() {
        await this.syncs.load();
        await this.refresh();
    }

    /** Runs a function, and shows its error. */
    async perform(action) {
        try {
            await action();
        } catch (error) {
            this.messages.problem(error instanceof Error ? error.message : String(error));
        }
    }

    // -- Syncs -------------------------------------------------------------------------------------------------------

    /** Sends the local changes and fetches those of the server, or does one of them. */
    sync(...names) {
        return this.perform(async () => {
            this.messages.clear();
            const rows = await this.syncs.run(...(names.length > 0 ? names : [UP, DOWN]));
            await this.refresh();
            if (rows.length > 0) this.report(rows);
        });
    }

    report(rows) {
        const failed = rows.find(({ status }) => status !== 'DONE');
        if (failed) {
            const fault = failed.name === UP ? 'Your changes are kept, but were not sent' : 'No contacts were fetched';
            this.messages.problem(`${fault}: ${failed.error || 'the sync was stopped.'}`);
            return;
        }
        const { unsent } = this;
        this.messages.status(unsent === '' ? 'The sync is complete.' : `The sync is complete: ${unsent}.`);
    }

    /** The numbers of contacts whose changes the server does not have after a sync; an empty text for none. */
    get unsent() {
        return [
            this.rejected.length > 0 ? `${this.rejected.length} rejected` : '',
            this.open.length > 0 ? `${this.open.length} in conflict` : '',
        ].filter(Boolean).join(', ');
    }

    showSyncs() {
        this.header.show();
        this.views.sync.showRows();
    }

    showConnection({ state, error }) {
        if (state === 'lost') {
            this.messages.problem(
                `The bridge does not respond, and nothing can be saved: ${error}. Start it again, and open its new URL.`);
        } else if (state === 'interrupted') {
            this.messages.status('The connection to the bridge was interrupted. Connecting again.');
        } else if (state === 'open' && this.isConnected) {
            this.messages.status('The page is connected to the bridge again.');
        }
        this.isConnected = true;
    }
}

/** Takes the secret of the bridge from the address, and removes it there, so that it stays in memory only. */
function takeSecret() {
    const fragment = location.hash.slice(1);
    const isSecret = fragment !== '' && !fragment.startsWith('/') && fragment !== 'main';
    if (isSecret) history.replaceState(null, '', `${location.pathname}#/contacts`);
    return isSecret ? fragment : null;
}

async function start() {
    const secret = takeSecret();
    const messages = new Messages();
    if (!secret) {
        messages.problem('The secret of the bridge is missing. Open the URL that run.sh printed, with the part after #.');
        return;
    }
    try {
        const kit = await globalThis.soupkit.connect({ url: location.origin, secret });
        await new App(kit).start();
    } catch (error) {
        messages.problem(error instanceof Error ? error.message : String(error));
    }
}

start();
