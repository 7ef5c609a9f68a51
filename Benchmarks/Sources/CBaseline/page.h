// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#ifndef CBASELINE_PAGE_H
#define CBASELINE_PAGE_H

#include "CBaseline.h"

enum { CB_MAX_COLUMNS = 8, CB_MAX_DROPPED = 16 };

// A value in the page; strings without their quotes.
typedef struct {
    const uint8_t *start, *end;
    enum { CB_MISSING = 0, CB_STRING, CB_ESCAPED_STRING, CB_OTHER } kind;
} cb_value;

// A record in the page, from its opening brace up to and including its closing brace.
typedef struct {
    const uint8_t *start, *end;
    cb_value values[CB_MAX_COLUMNS];
    // The members to remove, from the opening quote of the key to the end of the value, in order.
    struct { const uint8_t *start, *end; } dropped[CB_MAX_DROPPED];
    int dropped_count;
    int is_empty;
} cb_record;

typedef struct {
    const cb_column *columns;
    int column_count;
    size_t key_lengths[CB_MAX_COLUMNS];
} cb_shape;

cb_shape cb_shape_of(const cb_column *columns, int column_count);

// Returns the position after the opening bracket of the array "records"; NULL if there is none.
const uint8_t *cb_find_records(const uint8_t *bytes, const uint8_t *end);

// Reads the next record of the array. Returns the position after it; NULL at the end of the array, or if the bytes are
// not an array, which sets `*failed`.
const uint8_t *cb_next_record(const uint8_t *at, const uint8_t *end, const cb_shape *shape, cb_record *record,
                              int *failed);

// Writes the record without the dropped members and with the stamps at its end. Returns the length; `output` must have
// space for the record and the stamps.
size_t cb_splice(const cb_record *record, const char *stamps, size_t stamps_length, uint8_t *output);

// Resolves the escapes of a string. Returns the length; `output` must have space for the unresolved string.
size_t cb_unescape(const cb_value *value, uint8_t *output);

#endif
