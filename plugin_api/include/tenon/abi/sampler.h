/* SPDX-License-Identifier: Apache-2.0 */
/* "tenon.sampler/1": which rows of a buffer a batch is made of. Data never leaves the host: storage is one ring per
 * lane, [slot][lane], a row is a pair of slot and lane, and a sampler returns pairs. Order of calls: create, plan, then
 * sample and, after an update on the rows of the last sample, prioritise. */
#ifndef TENON_ABI_SAMPLER_H
#define TENON_ABI_SAMPLER_H

#include "tenon/abi/random.h"
#include "tenon/abi/tensor.h"
#include "tenon/abi/types.h"

/* What is in the buffer. The transition that starts at a slot is complete: its "next." half can be gathered. A lane
 * loses transitions to newer ones that take their slots, or all of them for good. */
typedef struct tn_buffer_view {
    uint32_t struct_size;
    uint32_t slots; /* of the ring                                                                         */
    uint32_t lanes;
    uint32_t reserved;
    const uint32_t* first; /* [lanes] the slot of the oldest transition; the others follow it, wrapping at slots  */
    const uint32_t* count; /* [lanes] how many transitions the lane holds                                         */
    uint64_t total;        /* the sum of count                                                                    */
    uint64_t appended;     /* steps of all lanes together since the beginning: what a lane got since the call in which
                              this was n are its newest appended - n transitions, as far as it holds so many        */
    const uint8_t* terminated; /* [slots][lanes] how the transition that starts there ended its episode, 1 or 0;    */
    const uint8_t* truncated;  /* of transitions that are held                                                      */
} tn_buffer_view;

/* One line of a gather plan: storage column `source` at the pairs of index array `array` becomes batch column `target`.
 * A source "next.x" that is not stored is x one slot later, or the stored final value where the row is done. */
typedef struct tn_gather {
    uint32_t struct_size;
    uint32_t array; /* number of the index array, 0 .. array_count - 1 */
    tn_str source;  /* "*": every column that a reader of the batch asks for and no other line provides, under its own
                       name; "next.*": the same of columns under "next.", before "*" */
    tn_str target;  /* as source where empty */
    uint32_t count; /* how many arrays from `array` on, each at a place of its own in rows that have one more size,
                       count, before their own; 0 and 1: one, without such a size */
    uint32_t reserved;
} tn_gather;

/* A column that the sampler makes itself, a weight for example: one row per row of the batch. */
typedef struct tn_sampler_column {
    uint32_t struct_size;
    int32_t dtype;
    tn_str key;
} tn_sampler_column;

/* Filled in by plan. Everything pointed to stays valid as long as the instance. */
typedef struct tn_sampler_info {
    uint32_t struct_size; /* set by the host before the call */
    uint32_t array_count;
    const tn_gather* const* gathers;
    uint32_t gather_count;
    uint32_t column_count;
    const tn_sampler_column* const* columns;
    uint32_t time; /* 0: rows. Otherwise every row is a sequence of so many steps, and wherever something is one a row,
                      pairs, elements of columns and priorities, it is [time][rows]                                  */
    uint32_t reserved;
} tn_sampler_info;

typedef struct tn_sample_call {
    uint32_t struct_size;
    uint32_t rows; /* how many rows the batch has; of sequences how many of them */
    const tn_buffer_view* view;
    tn_key key;
    uint64_t counter;       /* the number of this call: draws are functions of key and counter                     */
    uint32_t* const* slots; /* [array_count][rows] to be written: the slot of every row                            */
    uint32_t* const* lanes; /* [array_count][rows] to be written: the lane of every row                            */
    void* const* columns;   /* [column_count] to be written: rows elements of the column's dtype                   */
    const double* options;  /* [option_count] every option of create as it is now, in the same order; one that is no
                               number is 0. Those that the schema calls live move by [schedule]                    */
    uint64_t option_count;
} tn_sample_call;

/* What an update made of the rows of the last sample: how much there is to learn from each. */
typedef struct tn_priority_call {
    uint32_t struct_size;
    uint32_t rows;            /* of sequences all their steps                 */
    const uint32_t* slots;    /* [rows] those of index array 0                */
    const uint32_t* lanes;    /* [rows]                                       */
    const double* priorities; /* [rows] finite and not negative               */
} tn_priority_call;

typedef struct tn_sampler_api {
    uint32_t struct_size;
    uint32_t flags; /* 0 */

    /* Says how batches are put together. The answer depends on the options only. [control] */
    tn_status (*plan)(void* self, tn_sampler_info* info);

    /* Chooses the rows of one batch. TN_FAILED_PRECONDITION where the buffer holds too little. Allocates nothing once
     * warm. [control] */
    tn_status (*sample)(void* self, const tn_sample_call* call);

    /* Takes the priorities that the objective has written for the rows of the last sample; they may name a transition
     * twice, and one that has been overwritten since. Null, or outside of struct_size: nobody wants them, and they are
     * not computed. Allocates nothing once warm. [control] */
    tn_status (*prioritise)(void* self, const tn_priority_call* call);
} tn_sampler_api;

#endif
