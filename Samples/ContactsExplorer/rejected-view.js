// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import { badges } from './badges.js';
import { errorOf } from './contacts.js';
import { count, element, heading, replaceChildren } from './dom.js';
import { fullName, labelOf } from './fields.js';

/** The contacts whose changes the server rejected, with its messages. */
export class RejectedView {
    constructor(app) {
        this.app = app;
        this.heading = heading(1, 'Rejected');
        this.summary = element('p', { class: 'summary' });
        this.cards = element('div', { class: 'cards' });
        this.root = element('section', { class: 'page' }, this.heading, this.summary, this.cards);
    }

    show() {
        return this.refresh();
    }

    async refresh() {
        const { rejected } = this.app;
        this.summary.textContent = rejected.length === 0
            ? 'The server rejected no change.'
            : `The server rejected the changes of ${count(rejected.length, 'contact')}. Correct them, and sync again.`;
        replaceChildren(this.cards, rejected.map((contact) => this.card(contact)), () => this.heading);
    }

    card(contact) {
        const { message, fields } = errorOf(contact);
        const name = fullName(contact);
        const id = `rejected-${contact._soupEntryId}`;
        const values = (fields.length > 0 ? fields : [null]).map((field) => element(
            'div', {},
            element('dt', {}, field ? labelOf(field) : 'Contact'),
            element('dd', {},
                field ? element('span', { class: 'value' }, contact[field] || element('em', {}, '(empty)')) : null,
                element('span', { class: 'field-message' }, message))));
        return element(
            'article', { class: 'card', 'aria-labelledby': id },
            element('div', { class: 'contact-head' }, element('h2', { id }, name), badges(contact, this.app)),
            element('dl', { class: 'values' }, values),
            element('div', { class: 'actions' }, element(
                'a',
                {
                    class: 'button primary', 'aria-label': `Correct ${name}`,
                    href: `#/contacts/${contact._soupEntryId}${contact.__locally_deleted__ ? '' : '/edit'}`,
                }, 'Correct')));
    }

    focus() {
        this.heading.focus();
    }
}
