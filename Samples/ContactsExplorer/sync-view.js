// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import { badges } from './badges.js';
import { button, count, element, heading, replaceChildren, timeOf } from './dom.js';
import { fullName } from './fields.js';
import { DOWN, UP } from './syncs.js';

/** The two syncs with their progress, and the local changes that wait. */
export class SyncView {
    constructor(app) {
        this.app = app;
        this.heading = heading(1, 'Changes');
        this.panels = [
            new SyncPanel(app, UP, 'Send changes', 'Sends your changes to the server.'),
            new SyncPanel(app, DOWN, 'Fetch contacts', 'Fetches what was changed and deleted on the server.'),
        ];
        this.summary = element('h2', {}, 'Local changes');
        this.changes = element('ul', { class: 'changes' });
        this.root = element(
            'section', { class: 'page' }, this.heading,
            element('div', { class: 'cards syncs' }, this.panels.map(({ root }) => root)),
            this.summary, this.changes);
    }

    show() {
        return this.refresh();
    }

    async refresh() {
        this.showRows();
        const { changed } = this.app;
        replaceChildren(this.changes, changed.length === 0
            ? [element('li', { class: 'empty' }, 'There are no local changes.')]
            : changed.map((contact) => element(
                'li', {},
                element('a', { href: `#/contacts/${contact._soupEntryId}` }, fullName(contact)),
                badges(contact, this.app))), () => this.heading);
    }

    showRows() {
        for (const panel of this.panels) panel.show();
    }

    focus() {
        this.heading.focus();
    }
}

/** A sync with its button, its progress and its last result. */
class SyncPanel {
    constructor(app, name, label, description) {
        this.app = app;
        this.name = name;
        this.button = button(label, () => app.sync(name));
        this.progress = element('progress', { max: '100', value: '0', 'aria-label': `Progress of ${label}` });
        this.result = element('p', { class: 'result' });
        this.root = element(
            'article', { class: 'card' },
            element('h2', {}, label), element('p', {}, description), this.progress, this.result,
            element('div', { class: 'actions' }, this.button));
    }

    show() {
        const row = this.app.syncs.rows.get(this.name);
        this.button.setAttribute('aria-disabled', this.app.syncs.isRunning);
        this.progress.value = row?.progress ?? 0;
        const unsent = this.name === UP && row?.status === 'DONE' ? this.app.unsent : '';
        this.result.textContent = (row ? resultOf(row) : 'It has not run yet.') + (unsent ? `, ${unsent}` : '');
        this.result.classList.toggle('is-failed', row?.status === 'FAILED');
    }
}

/** Returns the state of a sync as a text. */
function resultOf(row) {
    const total = row.totalSize >= 0 ? count(row.totalSize, 'contact') : '';
    switch (row.status) {
    case 'RUNNING': return `Running: ${row.progress} %${total ? ` of ${total}` : ''}`;
    case 'DONE': return `Done${row.endTime ? ` at ${timeOf(row.endTime)}` : ''}: ${total || 'no contacts'}`;
    case 'FAILED': return `Failed: ${row.error}`;
    case 'STOPPED': return 'Stopped. The next sync continues.';
    default: return 'It has not run yet.';
    }
}
