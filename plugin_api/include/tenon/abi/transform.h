/* SPDX-License-Identifier: Apache-2.0 */
/* "tenon.transform/1": a procedure between an env and whoever reads its columns. It changes specs first, when the run
 * is wired, and columns later, lane range by lane range. Order of calls: create, describe, bind, then apply and invert.
 */
#ifndef TENON_ABI_TRANSFORM_H
#define TENON_ABI_TRANSFORM_H

#include "tenon/abi/spec.h"
#include "tenon/abi/tensor.h"
#include "tenon/abi/types.h"

/* Filled in by describe. Everything pointed to stays valid as long as the instance. */
typedef struct tn_transform_info {
    uint32_t struct_size; /* set by the host before the call */
    uint32_t spec_count;
    /* All columns as they are after the transform: those it leaves alone are repeated as they came. A column whose key,
     * dtype and shape stay the same is changed in place; any other gets memory of its own, and so does an action of
     * whose spec anything changes: what the policy gave stays as it is. */
    const tn_spec* const* specs;
} tn_transform_info;

typedef struct tn_transform_buffers {
    uint32_t struct_size;
    uint32_t flags; /* 0 */
    uint32_t slots;
    uint32_t lanes;
    /* As the inner env sees them, then as the outside sees them, both with "terminated", "truncated" and "next.<key>".
     */
    const tn_column* const* inner;
    uint64_t inner_count;
    const tn_column* const* outer;
    uint64_t outer_count;
} tn_transform_buffers;

enum {
    /* mask tells the lanes whose episode has just begun: their first observation stands at next_slot. State that
     * belongs to an episode starts anew. Comes after the step that ended the episode before. */
    TN_TRANSFORM_RESET = 1,
    /* A step has been taken: reward and flags stand at slot, the new observation at next_slot, or, in lanes that are
     * done, in "next.<key>" at slot. mask is null. A transform may end an episode by setting truncated at slot: the
     * host keeps the new observations as the final ones, has the env begin the lane's next episode, and says so with a
     * reset. */
    TN_TRANSFORM_STEP = 2
};

typedef struct tn_transform_call {
    uint32_t struct_size;
    int32_t event;
    uint32_t slot;
    uint32_t next_slot;
    uint32_t first;
    uint32_t count;
    const uint8_t* mask; /* [lanes], indexed by lane, or null */
} tn_transform_call;

typedef struct tn_transform_api {
    uint32_t struct_size;
    uint32_t flags; /* 0 */

    /* Says what the columns look like after the transform. TN_INVALID_ARGUMENT, with a sentence that names the column,
     * where it cannot work on what comes in. [control] */
    tn_status (*describe)(void* self, const tn_spec* const* specs, uint32_t count, tn_transform_info* info);

    /* Tells where the columns are; valid until destroy or the next bind. [control] */
    tn_status (*bind)(void* self, const tn_transform_buffers* buffers);

    /* Carries the columns that an event wrote from the inner to the outer side. [lane] */
    tn_status (*apply)(void* self, const tn_transform_call* call);

    /* Carries the actions of slot from the outer to the inner side; null where it leaves actions alone. [lane] */
    tn_status (*invert)(void* self, const tn_transform_call* call);
} tn_transform_api;

#endif
