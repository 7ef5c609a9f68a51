// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import { errorOf } from './contacts.js';
import { button, element, heading } from './dom.js';
import { fields, fullName } from './fields.js';

/** Returns a value as a text field contains it. */
const textOf = (value) => (value ?? '').replace(/\r\n?/g, '\n');

/** The form for a new contact, or for one that exists. */
export class ContactForm {
    /** @param id the ID of the entry; null for a new contact. */
    constructor(app, id) {
        this.app = app;
        this.id = id;
        this.inputs = new Map();
        this.messages = new Map();
        /** The values of the contact when the form was opened. */
        this.values = null;
        /** Whether the text was saved or discarded. */
        this.isDone = false;
        this.firstWrong = null;
        this.heading = heading(2, 'New contact');
        this.general = element('p', { class: 'note rejected', role: 'alert', hidden: true });
        this.root = element(
            'form',
            {
                class: 'contact', novalidate: true, autocomplete: 'off', 'aria-label': 'Contact',
                submit: (event) => this.submit(event), keydown: (event) => this.keydown(event),
            },
            element('a', { class: 'back', href: this.address }, id === null ? 'All contacts' : 'Back'),
            this.heading, this.general,
            element('div', { class: 'fields' }, fields.map((field) => this.row(field))),
            element('div', { class: 'actions' },
                element('button', { type: 'submit', class: 'primary' }, 'Save'),
                button('Cancel', () => this.cancel())));
    }

    get address() { return this.id === null ? '#/contacts' : `#/contacts/${this.id}`; }

    row({ name, label, isRequired, isLong, maxLength, inputMode }) {
        const id = `field-${name}`;
        const attributes = {
            id, name, maxlength: maxLength, inputmode: inputMode, required: isRequired,
            'aria-describedby': `${id}-message`, dir: 'auto',
        };
        const input = isLong
            ? element('textarea', { ...attributes, rows: '4' }) : element('input', { ...attributes, type: 'text' });
        const message = element('p', { id: `${id}-message`, class: 'field-message' });
        this.inputs.set(name, input);
        this.messages.set(name, message);
        return element(
            'div', { class: isLong ? 'field wide' : 'field' },
            element('label', { for: id }, label, isRequired && element('span', { class: 'required' }, ' (required)')),
            input, message);
    }

    /** Fills the form when it is opened. Later, typed values stay, and the others become those of the contact. */
    async refresh() {
        if (this.id === null) return;
        const contact = await this.app.contacts.contact(this.id);
        if (!contact && !this.values) throw 'This contact does not exist any more. It was deleted here or on the server.';
        if (!contact) this.becomeNew();
        else if (this.values) this.update(contact);
        else this.open(contact);
    }

    open(contact) {
        this.values = contact;
        this.heading.textContent = `Edit ${fullName(contact)}`;
        for (const [name, input] of this.inputs) input.value = contact[name] ?? '';
        this.showErrors(errorOf(contact));
    }

    /** Shows the values that a sync changed; those of fields that the user changed too are shown below the field. */
    update(contact) {
        for (const [name, input] of this.inputs) {
            const [before, now] = [textOf(this.values[name]), textOf(contact[name])];
            if (now === before || now === input.value) continue;
            if (input.value === before) input.value = now;
            else this.messages.get(name).textContent = `The value was changed meanwhile to: ${now || '(empty)'}`;
        }
        this.values = contact;
    }

    /** Keeps the text after the contact was removed from the store. */
    becomeNew() {
        this.id = null;
        this.values = null;
        this.heading.textContent = 'New contact';
        this.general.hidden = false;
        this.general.textContent =
            'This contact was deleted here or on the server. Save creates a new contact with these values.';
    }

    /** Shows the error of the server at its fields; without a field, above the form. */
    showErrors(error) {
        if (!error) return;
        const known = error.fields.filter((name) => this.inputs.has(name));
        for (const name of known) this.showError(name, `The server rejected this value: ${error.message}`);
        if (known.length === 0) {
            this.general.hidden = false;
            this.general.textContent = `The server rejected this change: ${error.message}`;
        }
    }

    showError(name, text) {
        const input = this.inputs.get(name);
        this.messages.get(name).textContent = text;
        if (text === '') input.removeAttribute('aria-invalid');
        else input.setAttribute('aria-invalid', 'true');
        if (text !== '') this.firstWrong ??= input;
    }

    submit(event) {
        event.preventDefault();
        this.app.perform(() => this.save());
    }

    async save() {
        this.firstWrong = null;
        for (const { name, label, isRequired } of fields) {
            const isMissing = isRequired && this.inputs.get(name).value.trim() === '';
            this.showError(name, isMissing ? `Enter a value for ${label}.` : '');
        }
        if (this.firstWrong) {
            this.firstWrong.focus();
            return;
        }
        const { contacts } = this.app;
        const wasNew = this.id === null;
        await this.refresh();
        // The user decides whether to create a deleted contact again.
        if (this.id === null && !wasNew) return;
        const values = this.changes();
        if (this.id === null) {
            this.id = (await contacts.create(values))._soupEntryId;
        } else if (Object.keys(values).length > 0) {
            await contacts.edit(this.id, values);
        }
        this.isDone = true;
        await this.app.count();
        this.app.go(this.address, 'Saved. The change is sent with the next sync.');
    }

    /** Returns the values that differ from those of the contact; empty ones are null. */
    changes() {
        const values = {};
        for (const [name, input] of this.inputs) {
            if (input.value !== textOf(this.values?.[name])) values[name] = input.value.trim() || null;
        }
        return values;
    }

    get isDirty() { return !this.isDone && Object.keys(this.changes()).length > 0; }

    /** Discards the text. */
    cancel() {
        this.isDone = true;
        this.app.go(this.address);
    }

    keydown(event) {
        if (event.key === 'Escape') this.app.go(this.address);
    }

    /** Moves the focus to the first wrong field, or to the first one. */
    focus() {
        (this.firstWrong ?? this.inputs.values().next().value).focus();
    }
}
