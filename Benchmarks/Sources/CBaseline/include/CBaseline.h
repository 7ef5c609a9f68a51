// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

// The work of SoupKit's store in a first and in a repeated sync, hand-written in C for one kind of record: the baseline
// of the benchmarks.
//
// For a page of a server's response, it
//   * finds the records and the indexed members in one pass over the bytes;
//   * removes members that the store writes itself, and adds the stamps of a sync;
//   * looks up each record by its external ID, checks that there is at most one, and skips it if it has local changes;
//   * inserts it, or writes only the columns that differ, or nothing if the row already contains these bytes;
//   * uses statements that are prepared once, and one transaction per page.
//
// It does not validate the JSON or UTF-8 that it skips (it parses strings and brackets, but copies numbers and words
// unchanged), support nested paths or arrays, resolve escapes in keys, or notify observers of changed rows.
#ifndef CBASELINE_H
#define CBASELINE_H

#include <stddef.h>
#include <stdint.h>

typedef enum { CB_TEXT, CB_REAL } cb_kind;

// A member of a record that has its own column.
typedef struct {
    const char *key;      // the name of the member, at the top of a record
    const char *column;   // the name of its column
    cb_kind kind;
    const char *stamped;  // the constant value of a member that is stamped on every record, or NULL
} cb_column;

typedef struct {
    int64_t inserted, updated, unchanged, skipped;
} cb_counts;

typedef struct cb_store cb_store;

// Opens `path` and runs `setup` (pragmas and table definitions). columns[0] is the external ID; at most 8 columns.
// `dirty` is the index of the column whose text 'true' means that a row has local changes.
// `stamps` are members as text, without braces: "a":1,"b":2. All pointers must be valid as long as the store exists.
// Returns NULL if the store cannot be opened or prepared.
cb_store *cb_open(const char *path, const char *setup, const char *table, const cb_column *columns, int column_count,
                  int dirty, const char *stamps);

// Writes a page in one transaction and adds to `counts`. Returns 0 on success; otherwise nothing is written.
int cb_write_page(cb_store *store, const uint8_t *bytes, size_t length, cb_counts *counts);

// Only the first part of that work: reads the records of a page and splices the stamps, without storing them.
// Returns the number of written bytes; -1 if the bytes are not a page.
int64_t cb_read_page(const uint8_t *bytes, size_t length, const cb_column *columns, int column_count,
                     const char *stamps);

// Returns the message of the last error.
const char *cb_error(const cb_store *store);

// Runs any statement, such as a checkpoint. Returns 0 on success.
int cb_run(cb_store *store, const char *sql);

// Closes the file. Returns 0 on success.
int cb_close(cb_store *store);

// A row with prepared columns, for the plain functions.

typedef struct {
    const uint8_t *text, *id, *name, *flag;
    int text_length, id_length, name_length, flag_length;
    double revenue;
} cb_row;

typedef struct cb_plain cb_plain;

// Opens `path` and runs `setup`. `upsert` takes text, time, id, name, revenue and flag as ?1 to ?6; NULL for none.
// `select` may take a key as ?1, and returns a text in its first column. Returns NULL if the store cannot be opened or
// prepared.
cb_plain *cb_plain_open(const char *path, const char *setup, const char *upsert, const char *select);

// Writes rows in one transaction. Returns 0 on success.
int cb_plain_write(cb_plain *store, const cb_row *rows, size_t count);

// Runs the select to its end and copies every text, one after the other, into a buffer that is reused.
// Returns the number of rows; -1 if it failed. Sets `bytes` to the length of all texts.
int64_t cb_plain_read(cb_plain *store, const char *key, int key_length, size_t *bytes);

// Closes the file. Returns 0 on success.
int cb_plain_close(cb_plain *store);

#endif
