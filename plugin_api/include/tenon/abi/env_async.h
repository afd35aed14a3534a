/* SPDX-License-Identifier: Apache-2.0 */
/* "tenon.env.async/1": an env whose steps may end later, and not all at the same time: lanes that step in other
 * processes, in threads of the env, on other machines. Optional for envs, in addition to "tenon.env/1",
 * for runs with collector.kind = "pool", where lanes that are ready make their next step while others still make
 * theirs.
 *
 * A step has two halves. submit takes the actions of some lanes and returns at once: their steps are under way. poll
 * says which of them have ended and writes their rows. Those lanes may then be submitted again. A step writes the same
 * bytes for a lane as step of "tenon.env/1": rewards, flags, the final observation and the first one of the next
 * episode, needs_reset, lane_status. Only the order of the lanes is open.
 *
 * While a lane is under way the host calls neither reset nor step nor the functions of other interfaces for it; it may
 * call them for other lanes. It calls bind, and saves or loads, only while no lane is under way. It may destroy the
 * instance at any time: steps that are under way are then given up. */
#ifndef TENON_ABI_ENV_ASYNC_H
#define TENON_ABI_ENV_ASYNC_H

#include "tenon/abi/types.h"

/* Filled in by describe. */
typedef struct tn_env_async_info {
    uint32_t struct_size; /* set by the host before the call */
    uint32_t at_once;     /* the number of lanes that step at the same time at most, such as that of its processes;
                             others that are under way wait for them. 0: all of them */
} tn_env_async_info;

typedef struct tn_env_submit {
    uint32_t struct_size;
    uint32_t slot;         /* where the actions are                                          */
    const uint32_t* lanes; /* [count] in ascending order; each is running and not under way. */
    uint32_t count;        /* Valid during the call, as the actions are                      */
    uint32_t flags;        /* TN_STEP_... (env.h)                                            */
} tn_env_submit;

typedef struct tn_env_poll {
    uint32_t struct_size;
    uint32_t slot;         /* where the rewards and flags go      */
    uint32_t next_slot;    /* where the next observations go      */
    uint32_t least;        /* the number of lanes to wait for ... */
    uint32_t milliseconds; /* ... but no longer than this; 0: not at all                                            */
    uint32_t count;        /* written by the env: the number of lanes in `lanes`. May be more than `least`          */
    uint32_t* lanes;       /* written by the env, in any order; has room for all lanes of the instance               */
} tn_env_poll;

typedef struct tn_env_async_api {
    uint32_t struct_size;
    uint32_t flags; /* 0 */

    /* Says how the steps are made. The answer depends only on the options. TN_UNAVAILABLE: with these options the steps
     * of all lanes end together, and the two other functions are not called; the sentence passed to set_error says
     * why. [control] */
    tn_status (*describe)(void* self, tn_env_async_info* info);

    /* Begins a step of each of these lanes with the actions at the slot, which it copies: the host overwrites them
     * later. Does not wait for any lane. Allocates nothing once warm. A status other than TN_OK fails all of them; none
     * is then under way. [control] */
    tn_status (*submit)(void* self, const tn_env_submit* call);

    /* Waits until at least `least` of the lanes under way have ended their step, or the time is over, and reports all
     * lanes that have ended it. Writes the rows of these lanes, and no others, at the slots of this call, whatever the
     * slot of submit was. A lane that failed is reported, too, with a status in lane_status; its rows are not written.
     * With TN_LOST its episode ends with the step before, and the host resets the lane, without a seed, and does not
     * repeat the step. With another status the host parks the lane. Each submitted lane is reported once. If `least` is
     * more than the lanes under way, the call waits for all of them. Allocates nothing once warm. A status other than
     * TN_OK fails all lanes under way. [control] */
    tn_status (*poll)(void* self, tn_env_poll* call);
} tn_env_async_api;

#endif
