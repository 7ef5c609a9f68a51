// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import { isObject, parse } from './json.js';

const systemFields = new Set([
    '_soupEntryId', '_soupLastModifiedDate', '_soupCreatedDate', '__local__', '__locally_created__',
    '__locally_updated__', '__locally_deleted__', '__sync_id__', '__last_error__',
]);

/** Returns whether SoupKit, and not the record, defines a member of an entry. */
export function isSystemField(name) { return systemFields.has(name); }

/** Returns the local change of an entry: created, updated, deleted, changed, or null if there is none. */
export function changeOf(entry) {
    const has = (flag) => entry[flag] === true || entry[flag] === 'true' || entry[flag] === 1;
    if (has('__locally_deleted__')) return 'deleted';
    if (has('__locally_created__')) return 'created';
    if (has('__locally_updated__')) return 'updated';
    return has('__local__') ? 'changed' : null;
}

/**
 * Returns the error of the last push: `{code, message, fields}`; null if there is none.
 *
 * @param value the value of `__last_error__`: a text with JSON, of SoupKit or of the mobile SDKs, or another text
 */
export function errorOf(value) {
    if (value === null || value === undefined || value === '') return null;
    let json = value;
    if (typeof value === 'string') {
        try { json = parse(value); } catch { return { code: 'UNKNOWN', message: value, fields: [] }; }
    }
    const error = Array.isArray(json) ? json[0] : json;
    if (!isObject(error)) return { code: 'UNKNOWN', message: String(value), fields: [] };
    const first = (...keys) => keys.map((key) => error[key]).find((text) => typeof text === 'string');
    const code = first('errorCode', 'statusCode', 'error') ?? 'UNKNOWN';
    const fields = Array.isArray(error.fields) ? error.fields.filter((name) => typeof name === 'string') : [];
    return { code, message: first('message', 'error_description') ?? String(code), fields };
}

/** Returns a name for a record: its name, the name of a person, its subject or title, or its ID. */
export function titleOf(record) {
    if (!isObject(record)) return '';
    const text = (key) => typeof record[key] === 'string' ? record[key] : '';
    const person = text('LastName') && `${text('FirstName')} ${text('LastName')}`.trim();
    const others = ['Subject', 'Title', 'CaseNumber', 'Id', 'id', 'key'].map(text);
    return [text('Name'), text('name'), person, ...others].find(Boolean) ?? '';
}

/** Returns the value at a path of an index; inside of an array, the values of its elements. */
export function valueAt(record, path) {
    if (isObject(record) && Object.hasOwn(record, path)) return record[path];
    return path.split('.').reduce((value, key) => {
        if (Array.isArray(value)) {
            const list = value.map((item) => isObject(item) ? item[key] : undefined).filter((item) => item !== undefined);
            return list.length ? list : undefined;
        }
        return isObject(value) ? value[key] : undefined;
    }, record);
}
