/* SPDX-License-Identifier: Apache-2.0 */
/* "tenon.planner/1", of a policy ("tenon.policy/1"): it plans by stepping copies of the env. Order of calls: create,
 * attach, then those of the policy. */
#ifndef TENON_ABI_PLANNER_H
#define TENON_ABI_PLANNER_H

#include "tenon/abi/tensor.h"
#include "tenon/abi/types.h"

/* A copy of each lane of the policy's env, with its wrappers and transforms. The host owns everything in it; valid
 * until destroy. A copy is made of saved state ("tenon.state/1"), generators included: what chance brings to a copy, it
 * will bring to the lane that takes the same actions. The functions may be called during act only. */
typedef struct tn_env_copies {
    uint32_t struct_size;
    uint32_t lanes;
    uint32_t slots;
    uint32_t reserved;
    /* The columns of the copies, [slots][lanes][...], as policies see them: observations, actions, rewards; and
     * "terminated" and "truncated" (TN_BOOL, [slots][lanes]). */
    const tn_column* const* columns;
    uint64_t column_count;
    void* ctx;
    /* Every copy becomes what its lane is now, and *slot has what it observes. The next step reads the actions at
     * *slot. [control] */
    tn_status (*take)(void* ctx, uint32_t* slot);
    /* Steps all copies with the actions at *slot, and writes rewards and flags there. *slot is then the slot after it,
     * which has the observations that follow: those of a new episode in a copy that has ended. [control] */
    tn_status (*step)(void* ctx, uint32_t* slot);
    /* Computes the function `guide` of a network of the run from the observations of all copies, at the slot that the
     * last take or step gave. Its outputs are columns of that slot, by their names: "prior", "value". Null: no network
     * has such a function. [control] */
    tn_status (*guide)(void* ctx);
} tn_env_copies;

typedef struct tn_planner_api {
    uint32_t struct_size;
    uint32_t flags; /* 0 */

    /* Passes the copies. act of such a policy is called with all lanes at once. [control] */
    void (*attach)(void* self, const tn_env_copies* copies);
} tn_planner_api;

#endif
