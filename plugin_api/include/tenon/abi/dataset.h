/* SPDX-License-Identifier: Apache-2.0 */
/* "tenon.dataset/1": recorded episodes in a file format of its own, which buffer.init and `tenon data` then read, and
 * `tenon data convert` writes. An instance serves one dataset. Order of calls: create, claims; then open and read, or
 * begin, append and finish. None of them is called while a run steps. All options of the component have defaults. */
#ifndef TENON_ABI_DATASET_H
#define TENON_ABI_DATASET_H

#include "tenon/abi/spec.h"
#include "tenon/abi/types.h"

/* Flags of an episode. Neither terminated nor truncated: the recording stops before the end, which the host treats as
 * truncated. */
enum {
    TN_EPISODE_TERMINATED = 1, /* its last transition is; the others are not */
    TN_EPISODE_TRUNCATED = 2,
    TN_EPISODE_SEEDED = 4 /* its seed is known */
};

typedef struct tn_episode {
    uint32_t struct_size;
    uint32_t flags;
    uint64_t length; /* transitions, at least 1 */
    uint64_t seed;   /* with which the env was reset; 0 unless TN_EPISODE_SEEDED */
} tn_episode;

/* What a dataset says about itself: "env" and "CartPole-v1". A reader ignores keys that it does not know. */
typedef struct tn_fact {
    uint32_t struct_size;
    uint32_t flags; /* 0 */
    tn_str key;
    tn_str value;
} tn_fact;

/* Filled in by open. Everything pointed to stays valid as long as the instance. */
typedef struct tn_dataset_info {
    uint32_t struct_size; /* set by the host before the call */
    uint32_t column_count;
    const tn_spec* const* columns; /* observations, actions and rewards; of roles and keys as an env has them */
    const tn_episode* const* episodes;
    uint64_t episode_count;
    const tn_fact* const* facts;
    uint32_t fact_count;
    uint32_t left_out_count;
    const tn_str* left_out; /* a sentence for each part of the dataset that is not among the columns, and why */
} tn_dataset_info;

/* The columns of a dataset to be written. Borrowed for the duration of the call. */
typedef struct tn_dataset_plan {
    uint32_t struct_size;
    uint32_t column_count;
    const tn_spec* const* columns;
    const tn_fact* const* facts;
    uint32_t fact_count;
    uint32_t reserved;
    tn_str path;
    tn_str target; /* where the host puts the dataset when it is complete; a format may name it by its place */
} tn_dataset_plan;

typedef struct tn_dataset_api {
    uint32_t struct_size;
    uint32_t flags; /* 0 */

    /* Writes 1 to *yes if the file or folder looks like a dataset of this format, otherwise 0. It reads no more than it
     * needs for that, and needs no library that the machine may lack. [control] */
    tn_status (*claims)(void* self, tn_str path, uint8_t* yes);

    /* Opens a dataset. TN_NOT_FOUND, TN_INVALID_ARGUMENT and TN_DATA_LOSS with a sentence that names the file;
     * TN_UNAVAILABLE if this machine lacks what the format needs. [control] */
    tn_status (*open)(void* self, tn_str path, tn_dataset_info* info);

    /* Writes the rows of a column of one episode to `rows`, dense and in the column's dtype: length + 1 rows of an
     * observation, of which the last one is that after the last transition, and length rows of other columns.
     * [control] */
    tn_status (*read)(void* self, uint64_t episode, uint32_t column, void* rows);

    /* Begins a new dataset; the folder of `path` exists, and nothing is at `path`. TN_INVALID_ARGUMENT if the format
     * cannot hold these columns. Null, as append and finish then are: the format is only read. [control] */
    tn_status (*begin)(void* self, const tn_dataset_plan* plan);

    /* Adds an episode: rows[i] are the rows of column i, as many as read gives. [control] */
    tn_status (*append)(void* self, const tn_episode* episode, const void* const* rows);

    /* Completes the dataset. Without it, what was written need not be readable. [control] */
    tn_status (*finish)(void* self);
} tn_dataset_api;

#endif
