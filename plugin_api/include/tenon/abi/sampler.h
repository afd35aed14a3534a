/* SPDX-License-Identifier: Apache-2.0 */
/* "tenon.sampler/1": which rows of a buffer form a batch. Data never leaves the host. The storage is one ring buffer
 * per lane, [slot][lane]; a row is a pair of slot and lane, and a sampler returns such pairs. Order of calls: create,
 * plan, then sample and, after an update on the rows of the last sample, prioritise. */
#ifndef TENON_ABI_SAMPLER_H
#define TENON_ABI_SAMPLER_H

#include "tenon/abi/random.h"
#include "tenon/abi/tensor.h"
#include "tenon/abi/types.h"

/* What is in the buffer. Every transition in it is complete: its "next." half can be gathered. A lane loses transitions
 * when newer ones overwrite their slots or are about to, the oldest first and at most one for each step appended, or
 * loses all of them for good. */
typedef struct tn_buffer_view {
    uint32_t struct_size;
    uint32_t slots; /* of the ring                                                                         */
    uint32_t lanes;
    uint32_t reserved;
    const uint32_t* first; /* [lanes] the slot of the oldest transition; the others follow, wrapping around at slots */
    const uint32_t* count; /* [lanes] how many transitions the lane holds                                         */
    uint64_t total;        /* the sum of count                                                                    */
    uint64_t appended;     /* steps of all lanes together since the beginning. With n the value at the last call, the
                              newest appended - n transitions of a lane are new to it, as far as it holds them */
    const uint8_t* terminated; /* [slots][lanes] how the transition that starts there ended its episode, 1 or 0; */
    const uint8_t* truncated;  /* valid for transitions that are held                                         */
} tn_buffer_view;

/* tn_gather.flags */
enum {
    TN_GATHER_KEEP_SIZE = 1 /* rows have the additional leading size also if count is 0 or 1, where it is 1 */
};

/* One line of a gather plan: the batch column `target` holds the storage column `source` at the pairs of index array
 * `array`. A source "next.x" that is not stored is x one slot later, or the stored final value where the row is
 * done. */
typedef struct tn_gather {
    uint32_t struct_size;
    uint32_t array; /* index of the index array, 0 .. array_count - 1 */
    tn_str source;  /* "*": every column that a reader of the batch asks for and no other line provides, under its
                       own name. "next.*": the same for columns under "next."; it takes precedence over "*" */
    tn_str target;  /* empty: the same as source */
    uint32_t count; /* how many index arrays to use, starting at `array`. Above 1, rows get an additional leading
                       size, count, with one place per array; 0 and 1: one array, without that size */
    uint32_t flags; /* of TN_GATHER_*; 0: none */
} tn_gather;

/* A column that the sampler computes itself, for example a weight: one element per row of the batch, or several. */
typedef struct tn_sampler_column {
    uint32_t struct_size;
    int32_t dtype;
    tn_str key;
    uint32_t size; /* 0: one element per row, and rows have no size. Otherwise rows have this size, and memory is
                      [rows][size] */
    uint32_t reserved;
} tn_sampler_column;

/* Filled in by plan. Everything pointed to stays valid as long as the instance. */
typedef struct tn_sampler_info {
    uint32_t struct_size; /* set by the host before the call */
    uint32_t array_count;
    const tn_gather* const* gathers;
    uint32_t gather_count;
    uint32_t column_count;
    const tn_sampler_column* const* columns;
    uint32_t time; /* 0: rows are transitions. Otherwise every row is a sequence of this many steps, and everything
                      with one element per row (pairs, elements of columns, priorities) is [time][rows] */
    uint32_t reserved;
} tn_sampler_info;

typedef struct tn_sample_call {
    uint32_t struct_size;
    uint32_t rows; /* the number of rows of the batch, or of sequences */
    const tn_buffer_view* view;
    tn_key key;
    uint64_t counter;       /* the number of this call: draws are functions of key and counter                     */
    uint32_t* const* slots; /* [array_count][rows] to be written: the slot of every row                            */
    uint32_t* const* lanes; /* [array_count][rows] to be written: the lane of every row                            */
    void* const* columns;   /* [column_count] to be written: rows * max(size, 1) elements of the column's dtype */
    const double* options;  /* [option_count] the present value of every option of create, in the same order; 0 for
                               an option that is not a number. [schedule] may change live options */
    uint64_t option_count;
} tn_sample_call;

/* The priorities that an update computed for the rows of the last sample. */
typedef struct tn_priority_call {
    uint32_t struct_size;
    uint32_t rows;            /* for sequences: all their steps               */
    const uint32_t* slots;    /* [rows] those of index array 0                */
    const uint32_t* lanes;    /* [rows]                                       */
    const double* priorities; /* [rows] finite and not negative               */
    uint32_t burn_in;         /* steps at the start of each sequence whose losses did not count; 0 for transitions */
    uint32_t reserved;
} tn_priority_call;

typedef struct tn_sampler_api {
    uint32_t struct_size;
    uint32_t flags; /* 0 */

    /* Says how batches are assembled. The answer depends only on the options. [control] */
    tn_status (*plan)(void* self, tn_sampler_info* info);

    /* Chooses the rows of one batch. TN_FAILED_PRECONDITION if the buffer holds too few transitions. Allocates nothing
     * once warm. [control] */
    tn_status (*sample)(void* self, const tn_sample_call* call);

    /* Takes the priorities that the objective has written for the rows of the last sample. A transition may occur
     * twice, and it may have been overwritten since. Null, or outside of struct_size: the sampler does not use
     * priorities, and the host does not compute them. Allocates nothing once warm. [control] */
    tn_status (*prioritise)(void* self, const tn_priority_call* call);
} tn_sampler_api;

#endif
