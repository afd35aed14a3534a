/* SPDX-License-Identifier: Apache-2.0 */
/* "tenon.policy/1": policies written as procedures: scripted, random, or an external program. Policies with parameters
 * are graphs (graph.h). Order of calls: create, describe, bind, then act. */
#ifndef TENON_ABI_POLICY_H
#define TENON_ABI_POLICY_H

#include "tenon/abi/random.h"
#include "tenon/abi/spec.h"
#include "tenon/abi/tensor.h"
#include "tenon/abi/types.h"

enum {
    TN_ACT_SAMPLE = 1, /* as in training: draw if the policy is stochastic */
    TN_ACT_MODE = 2    /* the best action; random only to break ties     */
};

typedef struct tn_policy_buffers {
    uint32_t struct_size;
    uint32_t flags; /* 0 */
    uint32_t slots;
    uint32_t lanes;
    /* Observations, actions and states, [slot][lane][...]; "is_init" (TN_BOOL, [slot][lane]): 1 where an episode
     * begins. There a policy must reset the state that it keeps for the lane between calls. */
    const tn_column* const* columns;
    uint64_t column_count;
} tn_policy_buffers;

typedef struct tn_policy_call {
    uint32_t struct_size;
    int32_t mode;  /* TN_ACT_SAMPLE or TN_ACT_MODE */
    uint32_t slot; /* read observations and write actions here */
    uint32_t first;
    uint32_t count;
    uint32_t flags;   /* 0 */
    tn_key key;       /* the policy's stream                                      */
    uint64_t counter; /* the number of this step. Draws are functions of key, counter and lane: they do not depend on
                         the split into ranges and need not be saved */
} tn_policy_call;

typedef struct tn_policy_api {
    uint32_t struct_size;
    uint32_t flags; /* 0 */

    /* Checks the env's columns. TN_INVALID_ARGUMENT, with a sentence that names the column, if the policy cannot act on
     * them. The specs are valid during the call. [control] */
    tn_status (*describe)(void* self, const tn_spec* const* specs, uint32_t count);

    /* Passes the addresses of the columns, which stay valid until destroy or the next bind. [control] */
    tn_status (*bind)(void* self, const tn_policy_buffers* buffers);

    /* Writes the actions of a range of lanes. Several threads may call it for non-overlapping ranges of one instance at
     * the same time. Allocates nothing once warm. The state that it keeps for a lane between calls depends on that lane
     * alone; "tenon.state/1" (state.h) saves it. [lane] */
    tn_status (*act)(void* self, const tn_policy_call* call);
} tn_policy_api;

#endif
