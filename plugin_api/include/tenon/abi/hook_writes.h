/* SPDX-License-Identifier: Apache-2.0 */
/* "tenon.hook_writes/1", of a hook ("tenon.hook/1"): it writes parameters of networks that no objective trains, for
 * example frozen copies of one that learns. Order of calls: create, describe, attach, then those of the hook. */
#ifndef TENON_ABI_HOOK_WRITES_H
#define TENON_ABI_HOOK_WRITES_H

#include "tenon/abi/hook.h"
#include "tenon/abi/types.h"

typedef struct tn_hook_writes_api {
    uint32_t struct_size;
    uint32_t flags; /* 0 */

    /* Names the networks by their roles; *names stays valid as long as the instance. They have freeze = true in the
     * manifest. The answer depends only on the options. [control] */
    tn_status (*describe)(void* self, const tn_str** names, uint32_t* count);

    /* Passes these networks, in the same order, valid as long as the instance. The hook may write the elements of their
     * parameters during its calls; what acts or learns reads them from the next step or update on, and checkpoints have
     * them. Their gradients are not used. [control] */
    void (*attach)(void* self, const tn_hook_network* const* networks);

    /* Null, or names a network of tn_hook_info.networks for each network that describe has named, in the same order,
     * whose parameters it holds: one set, or one for each of its members. An empty name: it holds no copies. The host
     * refuses networks whose parameters differ otherwise, before the run begins. *names stays valid as long as the
     * instance. [control] */
    tn_status (*copies_of)(void* self, const tn_str** names);
} tn_hook_writes_api;

#endif
