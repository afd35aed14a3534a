/* SPDX-License-Identifier: Apache-2.0 */
/* "tenon.wrapper/1": an env around another env, which it steps: frame skip, no-op reset, macro actions, time limits.
 *
 * A component of the kind "wrapper" offers "tenon.env/1" as well, and is an env to whoever holds it: the host, or the
 * next wrapper outwards. Order of calls: create, attach, then as for every env.
 *
 *     describe  asks the inner env to describe itself, and returns its columns with the wrapper's changes.
 *     bind      binds the inner env. A column that the wrapper leaves alone is passed on as it is, without a copy. A
 *               column of the inner env that has no such counterpart, or that must not be overwritten, gets memory of
 *               the wrapper's own, for which one slot is enough (a slot stride of 0). lane_status and needs_reset are
 *               passed on: envs and wrappers share the host's arrays.
 *     reset     resets the inner env, and may then step it before anybody sees the first observation.
 *     step      steps the inner env any number of times, in ranges within the range of the call, and writes the rows
 *               that belong to the whole of these steps.
 *
 * Every function of the inner env is called under the rules of env.h: from a call of the same function or, for step,
 * from reset. reset of the inner env must not be called from step, because other threads may be stepping other lanes:
 * a wrapper that ends an episode which the inner env would continue sets needs_reset (env.h).
 *
 * A wrapper around an env with TN_ENV_ALL_LANES has the same flag. It passes the flags of a step on to the inner env.
 *
 * If lane_status of a lane is not 0 after a call of the inner env, the wrapper leaves the lane's rows alone and does
 * not step the lane before its next reset. A status of the inner env other than TN_OK is returned as it is.
 *
 * The wrapper saves only its own state ("tenon.state/1"). The host saves the inner env separately. */
#ifndef TENON_ABI_WRAPPER_H
#define TENON_ABI_WRAPPER_H

#include "tenon/abi/env.h"
#include "tenon/abi/types.h"

/* The inner env. The functions are the host's own, so that a crash or an endless loop inside is blamed on the inner
 * env and not on the wrapper. Valid until destroy. */
typedef struct tn_wrapper_inner {
    uint32_t struct_size;
    uint32_t flags; /* 0 */
    void* self;     /* the first argument of all functions */
    const tn_env_api* env;

    /* The function table of another interface of the inner env, such as "tenon.state/1", or null if it has none. Call
     * its functions with self. [any] */
    const void* (*get_interface)(void* self, const char* id);
} tn_wrapper_inner;

typedef struct tn_wrapper_api {
    uint32_t struct_size;
    uint32_t flags; /* 0 */

    /* Passes the inner env, which has as many lanes as the wrapper and stays valid until destroy. Called once, before
     * every other function. TN_INVALID_ARGUMENT. [control] */
    tn_status (*attach)(void* self, const tn_wrapper_inner* inner);
} tn_wrapper_api;

#endif
