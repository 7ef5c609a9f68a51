// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#ifndef CBASELINE_PAGE_H
#define CBASELINE_PAGE_H

#include "CBaseline.h"

enum { CB_MAX_COLUMNS = 8, CB_MAX_DROPPED = 16 };

// A value in the page. For strings without the quotes.
typedef struct {
    const uint8_t *start, *end;
    enum { CB_MISSING = 0, CB_STRING, CB_ESCAPED_STRING, CB_OTHER } kind;
} cb_value;

// A record in the page: from its opening to behind its closing brace.
typedef struct {
    const uint8_t *start, *end;
    cb_value values[CB_MAX_COLUMNS];
    // The members to leave out, from the opening quote of the key to behind the value, in order.
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

// Behind the opening bracket of the array "records", NULL when there is none.
const uint8_t *cb_find_records(const uint8_t *bytes, const uint8_t *end);

// Reads the next record of the array. Returns where to go on, NULL at the end of the array or when it is not one;
// `*failed` tells which.
const uint8_t *cb_next_record(const uint8_t *at, const uint8_t *end, const cb_shape *shape, cb_record *record,
                              int *failed);

// Writes the record without the dropped members, with the stamps at its end. Returns the length; `output` must have
// room for the record and the stamps.
size_t cb_splice(const cb_record *record, const char *stamps, size_t stamps_length, uint8_t *output);

// Resolves the escapes of a string. Returns the length; `output` must have room for the string as it is.
size_t cb_unescape(const cb_value *value, uint8_t *output);

#endif
