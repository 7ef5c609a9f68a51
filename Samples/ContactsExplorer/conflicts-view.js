// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import { button, count, element, heading, replaceChildren } from './dom.js';
import { fields, fullName, labelOf } from './fields.js';

/** The contacts that were changed here and on the server, side by side. */
export class ConflictsView {
    constructor(app) {
        this.app = app;
        this.heading = heading(1, 'Conflicts');
        this.summary = element('p', { class: 'summary' });
        this.cards = element('div', { class: 'cards' });
        this.root = element('section', { class: 'page' }, this.heading, this.summary, this.cards);
    }

    show() {
        return this.refresh();
    }

    async refresh() {
        const { open } = this.app;
        this.summary.textContent = open.length === 0
            ? 'No contact is in conflict.'
            : `${count(open.length, 'contact was', 'contacts were')} changed here and on the server. `
                + 'Choose a version of each.';
        replaceChildren(this.cards, open.map((conflict) => this.card(conflict)), () => this.heading);
    }

    card(conflict) {
        const { base, local, remote } = conflict;
        const name = fullName(local ?? remote ?? base ?? {});
        const id = `conflict-${conflict.entryId}`;
        return element(
            'article', { class: 'card', 'aria-labelledby': id },
            element('h2', { id }, name),
            local && remote ? null : element('p', { class: 'note conflict' },
                local ? 'The server deleted this contact, and you changed it.'
                    : 'You deleted this contact, and it was changed on the server.'),
            this.table(conflict, name));
    }

    /** Returns the buttons of a conflict: one for the local side, and one for the server's. */
    choices(conflict, name) {
        const { local, remote } = conflict;
        return [
            button(local ? 'Use mine' : 'Delete it', () => this.resolve(conflict, 'local', name), {
                class: local ? null : 'danger', 'aria-label': local ? `Use mine: ${name}` : `Delete it: ${name}`,
            }),
            button(remote ? 'Use server\'s' : 'Accept deletion', () => this.resolve(conflict, 'remote', name), {
                class: remote ? null : 'danger', 'aria-label': remote ? `Use server's: ${name}` : `Accept deletion: ${name}`,
            }),
        ];
    }

    /** Returns the three versions of each field in conflict; if one side deleted the contact, of all changed fields. */
    table(conflict, name) {
        const { base, local, remote, fields: inConflict } = conflict;
        const other = local ?? remote ?? {};
        const names = inConflict.length > 0 ? inConflict
            : fields.map((field) => field.name).filter((field) => (base?.[field] ?? null) !== (other[field] ?? null));
        const text = (record, field) => record?.[field] || element('em', {}, record ? '(empty)' : '(deleted)');
        const cell = (label, value, kind) =>
            element('td', { role: 'cell', 'data-label': label, class: kind }, value);
        // The roles stay if the style changes the display of the rows.
        return element(
            'table', { role: 'table', class: 'versions' },
            element('caption', { class: 'hidden' }, `The versions of ${name}`),
            element('thead', { role: 'rowgroup' },
                element('tr', { role: 'row' }, ['Field', 'Before', 'Mine', 'Server'].map((label) =>
                    element('th', { role: 'columnheader', scope: 'col' }, label)))),
            element('tbody', { role: 'rowgroup' }, names.map((field) =>
                element('tr', { role: 'row' },
                    element('th', { role: 'rowheader', scope: 'row' }, labelOf(field)),
                    cell('Before', base ? text(base, field) : element('em', {}, '(unknown)'), 'before'),
                    cell('Mine', text(local, field), 'mine'), cell('Server', text(remote, field), 'server')))),
            element('tfoot', { role: 'rowgroup' }, element('tr', { role: 'row' },
                element('td', { role: 'cell', class: 'none' }), element('td', { role: 'cell', class: 'none' }),
                this.choices(conflict, name).map((choice) => element('td', { role: 'cell' }, choice)))));
    }

    resolve(conflict, side, name) {
        return this.app.perform(async () => {
            await this.app.conflicts.resolve(conflict.entryId, side);
            await this.app.refresh();
            this.app.messages.status(side === 'local'
                ? `Your version of ${name} is sent with the next sync.` : `The server's version of ${name} is kept.`);
            (this.cards.querySelector('button') ?? this.heading).focus();
        });
    }

    focus() {
        this.heading.focus();
    }
}
