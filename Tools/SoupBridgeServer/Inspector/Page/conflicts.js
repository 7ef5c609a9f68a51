// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import { comparison } from './compare.js';
import { confirmed, showDialog } from './dialogs.js';
import { button, element, fill } from './elements.js';
import { markRow } from './entries.js';
import { counted, excerpt } from './format.js';
import { isObject, parse, write } from './json.js';
import { Panel } from './panel.js';
import { isSystemField, titleOf } from './records.js';
import { table } from './table.js';

const reasons = {
    CONFLICT: 'The record was changed locally and on the server.',
    NEWER_ON_SERVER: 'The server has a newer version, so the sync up did not send the local change.',
    DELETED_ON_SERVER: 'The record was deleted on the server, so the sync up did not send the local change.',
    PARENT_DELETED_ON_SERVER: 'The parent of the record no longer exists on the server.',
};

/** Returns why the local change of a record is not sent, in a sentence. */
function reasonOf({ code, local, remote, fields }) {
    if (code !== 'CONFLICT') return reasons[code] ?? 'The local change is not sent.';
    if (!remote) return 'The record was changed locally and deleted on the server.';
    if (!local) return 'The record was deleted locally and changed on the server.';
    if (fields.length === 0) return reasons.CONFLICT;
    return `The same ${fields.length === 1 ? 'field was' : 'fields were'} changed locally and on the server, to `
        + 'different values.';
}

/** The open conflicts, and one of them with its three versions. */
export class ConflictsView {
    title = 'Conflicts';
    #rows = null;

    constructor(app) {
        this.app = app;
        this.panel = new Panel(app);
        this.root = element('section.view', { 'aria-label': 'Conflicts' }, this.panel.root);
    }

    async show(place) {
        const { soup, id } = place;
        if (!this.#rows || id === undefined && !this.panel.isOpen) await this.#read();
        // The user went on while the list was read.
        if (this.app.place !== place) return;
        if (id === undefined) this.panel.close();
        else this.#open(soup, id);
    }

    async refresh() {
        await this.#read();
        const { soup, id } = this.app.place;
        if (id !== undefined) this.#open(soup, id);
    }

    async #read() {
        try {
            this.#rows = await this.app.bridge.conflicts('list');
        } catch (error) {
            this.#rows = null;
            fill(this.panel.list, element('p.banner.danger', { role: 'alert' }, error.message));
            return;
        }
        this.app.setConflicts(this.#rows.length);
        const { soup, id } = this.app.place;
        fill(this.panel.list, element('div.pager-row', {}, element('span.range', {},
            this.#rows.length ? counted(this.#rows.length, 'open conflict') : 'No open conflicts')),
        this.#rows.length > 0 && table({
            caption: 'Open conflicts', rows: this.#rows,
            open: (row) => this.app.go({ view: 'conflicts', soup: row.soupName, id: row.entryId }),
            isSelected: (row) => row.soupName === soup && row.entryId === id,
            columns: [
                { title: 'Entry', class: 'id', cell: (row) => `${row.soupName} ${row.entryId}` },
                { title: 'Record', class: 'value-cell', cell: (row) =>
                    excerpt(titleOf(row.local ?? row.remote ?? row.base), 60) },
                { title: 'Reason', cell: (row) => element('span.tag.danger', {}, row.code) },
                { title: 'Fields', class: 'value-cell', cell: (row) =>
                    row.fields.length ? excerpt(row.fields.join(', '), 60) : element('span.absent', {}, 'the record') },
            ],
        }));
    }

    #open(soup, id) {
        markRow(this.panel.list, (one) => one.textContent === `${soup} ${id}`);
        const conflict = this.#rows?.find((row) => row.soupName === soup && row.entryId === id);
        if (!conflict) {
            this.panel.open(`Entry ${id} of ${soup}`, [], element('p.hint', {}, 'The entry is in no conflict any more.'));
            return;
        }
        const { base, local, remote, fields, code } = conflict;
        this.panel.open(`Entry ${id} of ${soup}`, element('span.tag.danger', {}, code),
            element('p', {}, reasonOf(conflict)),
            conflict.id && element('p.hint', {}, 'ID ', element('code', {}, conflict.id)),
            this.app.overview.isWritable
                ? element('div.buttons', { role: 'group', 'aria-label': 'Resolve the conflict' },
                    button('button.primary', () => this.#resolve(conflict, 'local'), {},
                        local ? 'Keep local' : 'Keep the local deletion'),
                    button('button', () => this.#takeServer(conflict), {},
                        remote ? 'Take server' : 'Take the deletion of the server'),
                    button('button', () => this.#edit(conflict), {}, 'Edit merged …'))
                : element('p.hint', {}, 'The inspector is read-only. Start “soup inspect --write” to resolve conflicts.'),
            comparison({
                caption: 'Base, local and server version', conflicts: new Set(fields),
                versions: [
                    { title: 'Base (synced)', record: base, absent: 'The synced version is not known' },
                    { title: 'Local', record: local, absent: 'deleted locally' },
                    { title: 'Server', record: remote, absent: 'deleted on the server' },
                ],
            }));
    }

    async #takeServer(conflict) {
        const text = conflict.remote
            ? 'The local values of the fields in conflict are replaced with those of the server.'
            : 'The local record is removed.';
        if (await confirmed('Take the version of the server?', text, 'Take server')) await this.#resolve(conflict, 'remote');
    }

    #edit(conflict) {
        const { local, remote, fields } = conflict;
        // The members are written over the local version: only those in conflict need a decision.
        const part = (record) => {
            if (!isObject(record)) return {};
            const names = fields.length ? fields : Object.keys(record).filter((name) => !isSystemField(name));
            return Object.fromEntries(names.filter((name) => Object.hasOwn(record, name)).map((name) => [name, record[name]]));
        };
        const fault = element('p.fault', { role: 'alert', id: 'merged-fault' });
        const box = element('textarea.code', {
            rows: '10', spellcheck: 'false', 'aria-describedby': 'merged-fault', 'aria-label': 'Merged members as JSON',
            autofocus: true, oninput: () => { read(); },
        });
        const set = (record) => { box.value = write(part(record), 2); read(); };
        const read = () => {
            try {
                const record = parse(box.value);
                if (!isObject(record)) throw new SyntaxError('The merged version must be a JSON object.');
                fault.textContent = '';
                box.removeAttribute('aria-invalid');
                return record;
            } catch (error) {
                fault.textContent = error.message;
                box.setAttribute('aria-invalid', 'true');
                return null;
            }
        };
        const save = async () => {
            const record = read();
            if (!record) {
                box.focus();
                return;
            }
            dialog.close();
            await this.#resolve(conflict, 'merged', record);
        };
        const dialog = showDialog('Edit the merged version', '.editor',
            element('p', {}, 'These members are written over the local version. Members that are not listed are merged '
                + 'without a conflict.'),
            element('div.buttons', {}, button('button.small', () => set(local ?? {}), { disabled: !local }, 'Local values'),
                button('button.small', () => set(remote ?? {}), { disabled: !remote }, 'Server values')),
            box, fault, element('div.buttons', {}, button('button.primary', save, {}, 'Save merged'),
                button('button', () => dialog.close(), {}, 'Cancel')));
        box.addEventListener('keydown', (event) => {
            if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) save();
        });
        set(local ?? remote);
    }

    async #resolve({ soupName, entryId }, as, record) {
        if (!await this.app.write('resolve', { soupName, entryId, as, ...record ? { record } : {} })) return;
        this.app.announce('The conflict is resolved.');
        this.app.close();
        await this.app.refresh();
    }
}
