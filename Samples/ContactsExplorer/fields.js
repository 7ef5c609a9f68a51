// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/** The fields of a contact, in the order of the form. The syncs in Config/usersyncs.json have the same fields. */
export const fields = [
    { name: 'FirstName', label: 'First name', maxLength: 40 },
    { name: 'LastName', label: 'Last name', maxLength: 80, isRequired: true },
    { name: 'Title', label: 'Title', maxLength: 128 },
    { name: 'Department', label: 'Department', maxLength: 80 },
    { name: 'Email', label: 'Email', maxLength: 80, inputMode: 'email' },
    { name: 'Phone', label: 'Business phone', maxLength: 40, inputMode: 'tel' },
    { name: 'MobilePhone', label: 'Mobile', maxLength: 40, inputMode: 'tel' },
    { name: 'Description', label: 'Description', maxLength: 32000, isLong: true },
];

const labels = new Map(fields.map(({ name, label }) => [name, label]));

export const labelOf = (field) => labels.get(field) ?? field;

export const fullName = (contact) =>
    [contact.FirstName, contact.LastName].filter(Boolean).join(' ') || 'Contact without a name';

export const initials = (contact) =>
    [contact.FirstName, contact.LastName].filter(Boolean).map((name) => [...name][0]).join('').toUpperCase() || '?';
