// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import { button, count, element } from './dom.js';
import { UP } from './syncs.js';

/** The links to the views, the button that syncs, and the state of the running sync. */
export class Header {
    constructor(app) {
        this.app = app;
        this.links = [
            ['contacts', 'Contacts', () => 0],
            ['conflicts', 'Conflicts', () => app.open.length],
            ['rejected', 'Rejected', () => app.rejected.length],
            ['sync', 'Changes', () => app.changed.length],
        ].map(([name, label, number]) => {
            const badge = element('span', { class: 'number' });
            const link = element('a', { href: `#/${name}` }, label, badge);
            return { name, label, link, badge, number };
        });
        document.getElementById('views').replaceChildren(...this.links.map(({ link }) => element('li', {}, link)));

        this.button = button('Sync', () => app.sync(), { class: 'primary', id: 'sync' });
        this.state = element('span', { class: 'state' });
        this.progress = element('progress', { max: '100', value: '0', 'aria-label': 'Progress of the sync' });
        document.getElementById('sync-controls').replaceChildren(
            element('div', { class: 'sync-state' }, this.state, this.progress), this.button);
    }

    show() {
        const { app } = this;
        for (const { name, label, link, badge, number } of this.links) {
            const isCurrent = app.view === app.views?.[name];
            if (isCurrent) link.setAttribute('aria-current', 'page');
            else link.removeAttribute('aria-current');
            if (isCurrent) document.title = `${label} – ContactsExplorer`;
            badge.textContent = number() > 0 ? number() : '';
            link.setAttribute('aria-label', number() > 0 ? `${label}, ${number()}` : label);
        }
        const { isRunning, running, rows } = app.syncs;
        const progress = rows.get(running)?.progress ?? 0;
        // The button keeps the focus while the sync runs; a disabled one would lose it.
        this.button.setAttribute('aria-disabled', isRunning);
        this.progress.hidden = !isRunning;
        this.progress.value = progress;
        this.state.textContent =
            isRunning ? `${running === UP ? 'Sending' : 'Fetching'}: ${progress} %` : this.idleText();
    }

    idleText() {
        const { changed, syncs } = this.app;
        const changes = changed.length === 0 ? 'No local changes' : count(changed.length, 'local change');
        const hasFailed = [...syncs.rows.values()].some(({ status }) => status === 'FAILED');
        this.state.classList.toggle('is-failed', hasFailed);
        return hasFailed ? `The last sync failed. ${changes}` : changes;
    }
}
