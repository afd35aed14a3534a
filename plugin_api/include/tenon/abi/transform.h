/* SPDX-License-Identifier: Apache-2.0 */
/* "tenon.transform/1": a procedure between an env and the readers of its columns. It changes specs once, when the run
 * is wired, and later the columns, one range of lanes at a time. Order of calls: create, describe, bind, then apply and
 * invert. Where a manifest asks for it, the lanes are rows of a minibatch: apply gets a reset and a step for them, of
 * the columns that the transform names alone, without flags, and with seeds if the transform draws. */
#ifndef TENON_ABI_TRANSFORM_H
#define TENON_ABI_TRANSFORM_H

#include "tenon/abi/spec.h"
#include "tenon/abi/tensor.h"
#include "tenon/abi/types.h"

/* Filled in by describe. Everything pointed to stays valid as long as the instance. */
typedef struct tn_transform_info {
    uint32_t struct_size; /* set by the host before the call */
    uint32_t spec_count;
    /* All columns as they are after the transform, including the unchanged ones. A column whose key, dtype and shape
     * stay the same is changed in place; any other column gets its own memory. So does an action if its spec changes or
     * there is an invert, before which the inner row of one that is alike is a copy: the policy's output is kept. */
    const tn_spec* const* specs;
} tn_transform_info;

typedef struct tn_transform_buffers {
    uint32_t struct_size;
    uint32_t flags; /* 0 */
    uint32_t slots;
    uint32_t lanes;
    /* The columns as the inner env sees them, then as the outside sees them, both with "terminated", "truncated" and
     * "next.<key>". */
    const tn_column* const* inner;
    uint64_t inner_count;
    const tn_column* const* outer;
    uint64_t outer_count;
} tn_transform_buffers;

enum {
    /* mask marks the lanes whose episode has just begun; their first observation is at next_slot. The transform resets
     * its state of the episode. Comes after the step that ended the previous episode. */
    TN_TRANSFORM_RESET = 1,
    /* The env has taken a step. Reward and flags are at slot; the new observation is at next_slot or, in lanes that are
     * done, in "next.<key>" at slot. mask is null. A transform may end an episode by setting terminated or truncated at
     * slot. The host then keeps the new observations as the final ones, lets the env begin the lane's next episode, and
     * reports that with a reset. */
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
    /* [lanes], indexed by lane, or null. In a reset, seeds[lane] restarts a lane of the mask: its generator begins with
     * this seed, and nothing of earlier episodes remains. Without seeds the generators continue. */
    const uint64_t* seeds;
} tn_transform_call;

/* Flags of a transform. */
enum {
    /* What tenon.state/1 saves is the state of its generators alone. So a reset with seeds leaves nothing of earlier
     * calls, and the transform may draw for rows of a minibatch: the host seeds every row of each. */
    TN_TRANSFORM_DRAWS = 1
};

typedef struct tn_transform_api {
    uint32_t struct_size;
    uint32_t flags; /* 0 or TN_TRANSFORM_DRAWS */

    /* Returns the columns after the transform. TN_INVALID_ARGUMENT, with a sentence that names the column, if the
     * transform does not support its input. [control] */
    tn_status (*describe)(void* self, const tn_spec* const* specs, uint32_t count, tn_transform_info* info);

    /* Passes the addresses of the columns, which stay valid until destroy or the next bind. [control] */
    tn_status (*bind)(void* self, const tn_transform_buffers* buffers);

    /* Transforms the columns that an event wrote, from the inner to the outer side. [lane] */
    tn_status (*apply)(void* self, const tn_transform_call* call);

    /* Transforms the actions of slot from the outer to the inner side. Null if the transform leaves actions unchanged.
     * [lane] */
    tn_status (*invert)(void* self, const tn_transform_call* call);
} tn_transform_api;

#endif
