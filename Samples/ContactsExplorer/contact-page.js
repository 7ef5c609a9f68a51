// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import { badges } from './badges.js';
import { errorOf } from './contacts.js';
import { button, element, heading, replaceChildren } from './dom.js';
import { fields, fullName, labelOf } from './fields.js';

/** A contact, with the buttons to edit, delete and undelete it. */
export class ContactPage {
    constructor(app, id) {
        this.app = app;
        this.id = id;
        this.root = element('article', { class: 'contact', keydown: (event) => this.close(event) });
    }

    async refresh() {
        const contact = await this.app.contacts.contact(this.id);
        replaceChildren(this.root, contact ? this.content(contact) : this.missing(), () => this.heading);
    }

    content(contact) {
        this.heading = heading(2, fullName(contact));
        // The heading contains the names.
        const values = fields.slice(2).filter(({ name }) => contact[name]).map(({ name, label, isLong }) =>
            element('div', { class: isLong ? 'wide' : null },
                element('dt', {}, label), element('dd', {}, contact[name])));
        return [
            this.backLink(),
            element('div', { class: 'contact-head' }, this.heading, badges(contact, this.app)),
            this.note(contact),
            element('dl', { class: 'values' }, values),
            element('div', { class: 'actions' }, this.actions(contact)),
        ].filter(Boolean);
    }

    backLink() {
        return element('a', { class: 'back', href: '#/contacts' }, 'All contacts');
    }

    /** Returns the reason why a change waits; null if there is none. */
    note(contact) {
        if (this.app.isInConflict(contact)) {
            return element('p', { class: 'note conflict' },
                'This contact was also changed on the server. ',
                element('a', { href: '#/conflicts' }, 'Resolve the conflict'));
        }
        const error = errorOf(contact);
        if (error) {
            // Some messages of the server begin with the name of the field.
            const names = error.fields.map(labelOf).filter((name) => !error.message.startsWith(name)).join(', ');
            return element('p', { class: 'note rejected' },
                `The server rejected this change. ${names ? `${names}: ` : ''}${error.message}`);
        }
        if (contact.__locally_deleted__) {
            return element('p', { class: 'note' }, 'The next sync deletes this contact on the server.');
        }
        return null;
    }

    actions(contact) {
        if (contact.__locally_deleted__) {
            return [button('Undelete', () => this.change('undelete', 'The contact is no longer deleted.'),
                { class: 'primary' })];
        }
        return [
            element('a', { class: 'button primary', href: `#/contacts/${this.id}/edit` }, 'Edit'),
            button('Delete', () => this.change('delete', 'The contact is deleted with the next sync.'),
                { class: 'danger' }),
        ];
    }

    missing() {
        this.heading = heading(2, 'No contact');
        return [
            this.backLink(), this.heading,
            element('p', {}, 'This contact does not exist any more. It was deleted here or on the server.'),
        ];
    }

    change(method, text) {
        return this.app.perform(async () => {
            await this.app.contacts[method](this.id);
            await this.app.refresh();
            this.app.messages.status(text);
        });
    }

    close(event) {
        if (event.key === 'Escape') this.app.go('#/contacts');
    }

    focus() {
        this.heading.focus();
    }
}
