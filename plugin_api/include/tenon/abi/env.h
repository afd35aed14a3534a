/* SPDX-License-Identifier: Apache-2.0 */
/* "tenon.env/1": environments that step many lanes per call and write directly into the host's slabs.
 *
 * Order of calls: create, describe, bind, reset of all lanes, then any number of steps. Columns have the shape
 * [slot][lane][...]. With o, a, r, d for observation, action, reward and the two done flags, a step at slot s
 *
 *     reads a[s]; writes r[s], terminated[s], truncated[s] and, at next = the slot after s, o[next].
 *
 * When a lane is done (terminated or truncated), the env begins the next episode by itself: it writes the final
 * observation to the column "next.<key>"[s] and the first observation of the new episode to o[next]. The host never
 * reads other rows of "next.<key>". Reward, flags and "next.<key>" of every row belong to the transition that starts at
 * s.
 *
 * "terminated", "truncated" and a reward of one float are those of the lane. A group of agents (tn_spec.group) may have
 * rewards of its own under its prefix, "agents.reward", and two columns of one bool (TN_SPEC_BINARY) for each agent:
 *
 *     agents.present     (TN_ROLE_OBSERVATION) the agents that take part in the slot. The env ignores the action of an
 *                        absent agent, and nobody learns from its rows, whose numbers must be finite. An agent that is
 *                        absent in the next slot has left with this step, which has written its last observation
 *                        to that slot. It begins again, as a new agent, in the slot where it is present again.
 *     agents.terminated  (TN_ROLE_END, belongs to s like the reward) the agents whose life ends with the step, so that
 *                        nothing follows for them. Those that leave without it are truncated.
 *
 * An episode ends for all agents when the flags of the lane say so. Other reserved keys are reserved below a group too.
 *
 * An env has no columns with these keys, nor below them (such as "goal.x"), because they have a meaning or are reserved
 * for one: terminated, truncated, done, is_init, next, mask, weight, priority, steps, present, stored, batch,
 * group, goal.
 *
 * An action mask is an observation "<action>_mask" (TN_SPEC_BINARY, TN_BOOL) for a categorical action of one element.
 * It has one element per category, which says whether the category may be taken in that state. At least one must be
 * allowed, except where an episode has terminated. */
#ifndef TENON_ABI_ENV_H
#define TENON_ABI_ENV_H

#include "tenon/abi/spec.h"
#include "tenon/abi/tensor.h"
#include "tenon/abi/types.h"

/* Whether the same seeds and actions give the same bytes. */
enum {
    TN_DETERMINISM_NONE = 0, /* it reads clocks, the network or hardware                      */
    TN_DETERMINISM_BITS = 1  /* same build, same seeds, same actions: same bytes, lane by lane */
};

/* In tn_env_info.flags. */
enum {
    /* The host passes all lanes to each call of step, so that the env can begin all of them before it waits for the
     * first: also those with a status in lane_status, which are to be left out. It passes fewer only where it repeats a
     * step for lanes that were lost, and a wrapper passes fewer where the others need no further step. */
    TN_ENV_ALL_LANES = 1
};

/* In tn_env_step.flags. */
enum {
    /* The host draws the ends of episodes, so a step that ends one leaves the beginning of the next to the host, by
     * needs_reset. An env may ignore this and begin the next episode by itself. */
    TN_STEP_LEAVE_ENDS = 1
};

/* Filled in by describe. Everything pointed to stays valid as long as the instance. */
typedef struct tn_env_info {
    uint32_t struct_size; /* set by the host before the call */
    int32_t determinism;
    const tn_spec* const* specs; /* observations, actions, rewards and extras, in any order, keys all different */
    uint32_t spec_count;
    uint32_t reserved;
    int64_t episode_limit; /* truncated becomes 1 after this many steps at the latest; 0: no limit */
    uint32_t flags;        /* TN_ENV_...; set by the host to 0 */
    uint32_t reserved_2;
} tn_env_info;

/* Filled in by the host for bind. Valid until destroy or the next bind. */
typedef struct tn_env_buffers {
    uint32_t struct_size;
    uint32_t flags; /* 0 */
    uint32_t slots;
    uint32_t lanes;
    /* One column per spec under its key; "terminated" and "truncated" (TN_BOOL, [slot][lane]); "next.<key>" per
     * observation. */
    const tn_column* const* columns;
    uint64_t column_count;
    /* [lanes], 0 before the first call. If an env cannot continue a lane, it writes a status here, leaves the lane's
     * rows unchanged, passes a sentence to set_error and returns TN_OK. The host then parks the lane and reports it.
     * TN_LOST is different: the step is discarded and the lane's episode ends with the step before. The host resets the
     * lane, without a seed, and repeats the step. */
    uint8_t* lane_status;
    /* [lanes]. If a step ends an episode and does not begin the next one, it writes 1 here, the final observation to
     * "next.<key>" and the same observation at next. The host then calls reset for the lane, without seeds, and sets
     * the byte to 0, before anything else reads the lane. Null if the host does not offer this. */
    uint8_t* needs_reset;
} tn_env_buffers;

typedef struct tn_env_step {
    uint32_t struct_size;
    uint32_t slot;      /* where the actions are and the rewards go */
    uint32_t next_slot; /* where the next observations go           */
    uint32_t first;     /* the lanes first .. first + count - 1     */
    uint32_t count;
    uint32_t flags; /* TN_STEP_... */
} tn_env_step;

typedef struct tn_env_api {
    uint32_t struct_size;
    uint32_t flags; /* 0 */

    /* Says what the instance reads and writes. The answer depends only on the options. [control] */
    tn_status (*describe)(void* self, tn_env_info* info);

    /* Passes the addresses of the columns. Strides of slot and lane may differ from a dense layout; the inner
     * dimensions are dense. Called again when the host moves the columns; running episodes continue.
     * TN_INVALID_ARGUMENT. [control] */
    tn_status (*bind)(void* self, const tn_env_buffers* buffers);

    /* Begins new episodes in the lanes whose byte in mask is 1 (null: in all lanes) and writes their first observations
     * at slot. If seeds is not null, seeds[lane] reseeds the lane's generator; otherwise the generator continues. Both
     * arrays have one element per lane. A lane that cannot begin gets a status in lane_status. [control] */
    tn_status (*reset)(void* self, uint32_t slot, const uint8_t* mask, const uint64_t* seeds);

    /* Steps a range of lanes, as described above. Several threads may step non-overlapping ranges of one instance at
     * the same time. What a step does to a lane depends on that lane alone. Allocates nothing and takes no lock once
     * warm. A status other than TN_OK fails the whole range. [lane] */
    tn_status (*step)(void* self, const tn_env_step* step);
} tn_env_api;

#endif
