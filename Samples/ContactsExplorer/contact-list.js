// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import { badges } from './badges.js';
import { button, count, element, heading, updateChildren } from './dom.js';
import { fullName, initials } from './fields.js';

const PAGE_SIZE = 25;

/** The search field and the pages of the list. */
export class ContactList {
    constructor(app) {
        this.app = app;
        this.page = 0;
        this.selected = null;
        /** The number of the latest search; the results of earlier ones are ignored. */
        this.searches = 0;

        this.heading = heading(1, 'Contacts');
        this.search = element('input', {
            type: 'search', id: 'search', placeholder: 'Name, title, department or email', autocomplete: 'off',
            spellcheck: 'false', input: () => this.app.perform(() => this.searchAgain()),
        });
        this.results = element('p', { class: 'results', role: 'status' });
        this.items = element('ul', { class: 'contacts', keydown: (event) => this.moveFocus(event) });
        this.back = button('Previous', () => this.app.perform(() => this.turn(-1)));
        this.next = button('Next', () => this.app.perform(() => this.turn(1)));
        this.pages = element('span', { class: 'pages' });
        this.pager = element('nav', { class: 'pager', 'aria-label': 'Pages' }, this.back, this.pages, this.next);
        this.root = element(
            'section', { class: 'list', 'aria-label': 'List of contacts' },
            element('div', { class: 'list-head' },
                this.heading, element('a', { class: 'button', href: '#/contacts/new' }, 'New contact')),
            element('search', { role: 'search' },
                element('label', { for: 'search', class: 'hidden' }, 'Search contacts'), this.search),
            this.results, this.items, this.pager);
        this.search.addEventListener('keydown', (event) => {
            if (event.key === 'ArrowDown') this.focusItem(0, event);
        });
    }

    /** Reads the current page again. */
    async refresh(selected = this.selected) {
        this.selected = selected;
        this.searches += 1;
        const search = this.searches;
        const result = await this.app.contacts.page(this.search.value, this.page, PAGE_SIZE);
        if (search !== this.searches) return;
        this.page = result.page;
        this.show(result);
    }

    async searchAgain() {
        this.page = 0;
        await this.refresh();
    }

    async turn(step) {
        this.page += step;
        await this.refresh();
        this.root.scrollIntoView({ block: 'nearest' });
        this.items.scrollTop = 0;
        const target = step < 0 ? this.back : this.next;
        // A disabled button would lose the focus.
        (target.disabled ? this.heading : target).focus();
    }

    show({ contacts, total, page, pages }) {
        const focused = this.items.contains(document.activeElement) ? document.activeElement.dataset.id : null;
        updateChildren(this.items, contacts.map((contact) => this.item(contact)));
        for (const link of this.items.querySelectorAll('a')) {
            if (Number(link.dataset.id) === this.selected) link.setAttribute('aria-current', 'true');
            else link.removeAttribute('aria-current');
        }
        if (focused) this.items.querySelector(`[data-id="${focused}"]`)?.focus();
        const isSearch = this.search.value.trim() !== '';
        if (total === 0) {
            this.results.textContent = isSearch
                ? 'No contact contains all these words.' : 'There are no contacts yet. Sync to fetch them.';
        } else {
            const first = page * PAGE_SIZE + 1;
            this.results.textContent = pages < 2
                ? `${count(total, 'contact')}${isSearch ? ' found' : ''}`
                : `${first}–${first + contacts.length - 1} of ${total.toLocaleString('en')}${isSearch ? ' found' : ''}`;
        }
        this.pager.hidden = pages < 2;
        this.back.disabled = page === 0;
        this.next.disabled = page + 1 >= pages;
        this.pages.textContent = `Page ${page + 1} of ${pages}`;
    }

    item(contact) {
        const id = contact._soupEntryId;
        const about = [contact.Title, contact.Department].filter(Boolean)
            .flatMap((text, index) => [index > 0 ? ' · ' : '', element('bdi', {}, text)]);
        const link = element(
            'a',
            {
                href: `#/contacts/${id}`, 'data-id': id, class: contact.__locally_deleted__ ? 'is-deleted' : null,
            },
            element('span', { class: 'avatar', 'aria-hidden': 'true' }, initials(contact)),
            element('span', { class: 'who' },
                element('span', { class: 'name' }, fullName(contact)),
                element('span', { class: 'about' }, about.length > 0 ? about : contact.Email || ' ')),
            badges(contact, this.app));
        return element('li', {}, link);
    }

    // -- Keyboard ----------------------------------------------------------------------------------------------------

    moveFocus(event) {
        const links = [...this.items.querySelectorAll('a')];
        const index = links.indexOf(document.activeElement);
        if (event.key === 'ArrowUp' && index === 0) {
            event.preventDefault();
            this.search.focus();
            return;
        }
        const target = {
            ArrowDown: index + 1, ArrowUp: index - 1, Home: 0, End: links.length - 1,
        }[event.key];
        if (target !== undefined) this.focusItem(target, event);
    }

    focusItem(index, event) {
        const link = this.items.querySelectorAll('a')[index];
        if (!link) return;
        event.preventDefault();
        link.focus();
    }

    /** Moves the focus to a contact of the page, or to the heading. */
    focus(id) {
        (this.items.querySelector(`[data-id="${id}"]`) ?? this.heading).focus();
    }
}
