// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

// The work of SoupKit's store in a first and in a repeated sync, as a good C programmer would write it for one kind of
// record: the yardstick of the benchmarks.
//
// It does, for a page of a server's response:
//   * find the records and the indexed members in one walk over the bytes;
//   * leave out members that the store keeps itself, and add the stamps of a sync;
//   * look each record up by its external id, see that there is at most one, leave it alone when it has local changes;
//   * insert it, or write only the columns that differ, or nothing when the row holds these bytes already;
//   * all of it by statements prepared once, in one transaction a page.
//
// It does not: check that what it steps over is JSON or UTF-8 (strings and brackets are walked properly, numbers and
// words are taken as they are), follow nested paths or arrays, resolve escapes in keys, tell anybody that rows changed.
#ifndef CBASELINE_H
#define CBASELINE_H

#include <stddef.h>
#include <stdint.h>

typedef enum { CB_TEXT, CB_REAL } cb_kind;

// A member of a record that has a column of its own.
typedef struct {
    const char *key;      // the name of the member, at the top of a record
    const char *column;   // the name of its column
    cb_kind kind;
    const char *stamped;  // the constant value of a member that is stamped on every record, else NULL
} cb_column;

typedef struct {
    int64_t inserted, updated, unchanged, skipped;
} cb_counts;

typedef struct cb_store cb_store;

// Opens `path` and runs `setup` (pragmas and table definitions). columns[0] is the external id, at most 8 columns.
// `dirty` is the position of the column whose text 'true' means that a row has local changes.
// `stamps` are members as text, without braces: "a":1,"b":2. Everything pointed to must live as long as the store.
// NULL when it cannot be opened or prepared.
cb_store *cb_open(const char *path, const char *setup, const char *table, const cb_column *columns, int column_count,
                  int dirty, const char *stamps);

// Writes a page in one transaction and adds to `counts`. 0 when it worked; else nothing of the page is written.
int cb_write_page(cb_store *store, const uint8_t *bytes, size_t length, cb_counts *counts);

// The first half of that work alone: reads the records of a page and splices the stamps, keeps nothing.
// Returns how many bytes it wrote, -1 when it is not a page.
int64_t cb_read_page(const uint8_t *bytes, size_t length, const cb_column *columns, int column_count,
                     const char *stamps);

// What went wrong last.
const char *cb_error(const cb_store *store);

// Runs a statement of whatever kind, such as a checkpoint. 0 when it worked.
int cb_run(cb_store *store, const char *sql);

// Lets go of the file. 0 when it worked.
int cb_close(cb_store *store);

// A row whose columns somebody has worked out already: the plain way to write it, and what a plain reader reads.

typedef struct {
    const uint8_t *text, *id, *name, *flag;
    int text_length, id_length, name_length, flag_length;
    double revenue;
} cb_row;

typedef struct cb_plain cb_plain;

// Opens `path` and runs `setup`. `upsert` takes text, time, id, name, revenue and flag as ?1 to ?6; NULL for none.
// `select` takes a key as ?1 when it takes one, and gives a text first. NULL when it cannot be opened or prepared.
cb_plain *cb_plain_open(const char *path, const char *setup, const char *upsert, const char *select);

// Writes rows in one transaction. 0 when it worked.
int cb_plain_write(cb_plain *store, const cb_row *rows, size_t count);

// Runs the select to its end and copies every text, one behind another, into memory that is used again.
// Returns how many rows it read, -1 when it failed; `bytes` gets the length of all texts.
int64_t cb_plain_read(cb_plain *store, const char *key, int key_length, size_t *bytes);

// Lets go of the file. 0 when it worked.
int cb_plain_close(cb_plain *store);

#endif
