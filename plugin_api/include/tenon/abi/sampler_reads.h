/* SPDX-License-Identifier: Apache-2.0 */
/* "tenon.sampler_reads/1": columns of the buffer that a sampler looks at in order to choose rows, such as a reward, the
 * number of a task, or what an objective has stored. Optional for samplers. Others see only which transitions there are
 * and where episodes end. */
#ifndef TENON_ABI_SAMPLER_READS_H
#define TENON_ABI_SAMPLER_READS_H

#include "tenon/abi/tensor.h"
#include "tenon/abi/types.h"

/* A column as the buffer stores it. Everything is stored under the time at which its step begins, so no key begins with
 * "next.": the reward of a transition is "reward" at its slot. */
typedef struct tn_sampler_read {
    uint32_t struct_size;
    uint32_t elements; /* how many numbers a row of the column must have; 0: any number */
    tn_str key;
} tn_sampler_read;

/* Filled in by describe. Everything pointed to stays valid as long as the instance. */
typedef struct tn_sampler_reads_info {
    uint32_t struct_size; /* set by the host before the call */
    uint32_t read_count;
    const tn_sampler_read* const* reads; /* null if read_count is 0 */
} tn_sampler_reads_info;

typedef struct tn_sampler_reads_api {
    uint32_t struct_size;
    uint32_t flags; /* 0 */

    /* Says what sample looks at. The answer depends only on the options. Called once, before look. [control] */
    tn_status (*describe)(void* self, tn_sampler_reads_info* info);

    /* Hands over the columns, in the order of the info, before each call of sample. Their memory is the host's, of the
     * shape [slot][lane] and then that of the column's row, not to be written, and valid until the next call of sample
     * returns. Rows of transitions that the buffer view does not hold have any bytes. Allocates nothing once warm.
     * [control] */
    tn_status (*look)(void* self, const tn_column* const* columns, uint32_t count);
} tn_sampler_reads_api;

#endif
