// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import { ContactForm } from './contact-form.js';
import { ContactList } from './contact-list.js';
import { ContactPage } from './contact-page.js';
import { element } from './dom.js';

/** The list of the contacts, with an open contact or a form beside it. */
export class ContactsView {
    constructor(app) {
        this.app = app;
        this.list = new ContactList(app);
        this.detail = element('section', { class: 'detail', 'aria-label': 'Contact' });
        this.root = element('div', { class: 'panes' }, this.list.root, this.detail);
        /** The open contact or form; null if only the list is shown. */
        this.item = null;
        this.path = null;
        /** The forms with text that is not saved, by their paths. */
        this.drafts = new Map();
        window.addEventListener('beforeunload', (event) => {
            if (this.item?.isDirty || this.drafts.size > 0) event.preventDefault();
        });
    }

    async show(path) {
        const key = path.join('/');
        this.previous = this.item;
        if (key !== this.path) {
            this.keepDraft();
            this.path = key;
            this.item = this.drafts.get(key) ?? this.itemOf(path);
            this.drafts.delete(key);
        }
        this.root.classList.toggle('has-detail', this.item !== null);
        await this.list.refresh(this.item?.id ?? null);
        await this.item?.refresh();
        this.detail.replaceChildren(
            this.item?.root ?? element('p', { class: 'empty' }, 'Choose a contact, or create a new one.'));
    }

    itemOf([id, action]) {
        if (id === 'new') return new ContactForm(this.app, null);
        if (!/^\d+$/.test(id ?? '')) return null;
        return action === 'edit' ? new ContactForm(this.app, Number(id)) : new ContactPage(this.app, Number(id));
    }

    async refresh() {
        await this.list.refresh(this.item?.id ?? null);
        await this.item?.refresh();
    }

    focus() {
        if (this.item) this.item.focus();
        else this.list.focus(this.previous?.id ?? null);
    }

    /** Keeps a form with text that is not saved, for the next time that its address is opened. */
    keepDraft() {
        if (!this.item?.isDirty) return;
        this.drafts.set(this.path, this.item);
        this.app.result ??= 'Your text is not saved. It stays in the form until you open it again.';
    }

    close() {
        this.keepDraft();
        this.path = null;
        this.item = null;
    }
}
