/* SPDX-License-Identifier: Apache-2.0 */
/* "tenon.arithmetic/1": what a transform does to a column outside of learning, as numbers. Optional for
 * transforms that are procedures. The host writes these numbers into files that other programs act with, in place of
 * calls of apply. */
#ifndef TENON_ABI_ARITHMETIC_H
#define TENON_ABI_ARITHMETIC_H

#include "tenon/abi/types.h"

enum {
    /* Each element of a row: (x - offset[i]) / scale[i], not below low and not above high, computed in double and
     * stored as the nearest number of the column's type. */
    TN_ARITHMETIC_SCALE = 1,
    /* The last rows of an episode, the oldest first, as one longer row: of each of `pieces` parts of a row, `frames` in
     * turn. Before there are so many, the places hold the first row of the episode if repeats is 1, and zeros if 0. */
    TN_ARITHMETIC_STACK = 2
};

/* Filled in by describe. What it points to is the instance's, and stays until the instance's next call. */
typedef struct tn_arithmetic {
    uint32_t struct_size; /* set by the host before the call */
    int32_t kind;
    uint64_t count; /* of a scale: elements of a row, and of the next two */
    const double* offset;
    const double* scale;
    double low;
    double high;
    uint64_t frames; /* this and the next two: of a stack */
    uint64_t pieces;
    uint64_t repeats;
} tn_arithmetic;

typedef struct tn_arithmetic_api {
    uint32_t struct_size;
    uint32_t flags; /* 0 */

    /* What apply does with the column of that key (its key before the transform), with what the instance has learnt.
     * Called after its describe. TN_NOT_FOUND if it leaves the column as it is, TN_UNIMPLEMENTED if numbers cannot say
     * what it does. [control] */
    tn_status (*describe)(void* self, tn_str key, tn_arithmetic* out);
} tn_arithmetic_api;

#endif
