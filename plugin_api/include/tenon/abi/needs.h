/* SPDX-License-Identifier: Apache-2.0 */
/* "tenon.needs/1": what a plugin uses of the machine beyond its own file, for `tenon doctor`: libraries and programs
 * that it opens when they are first used. Optional for all kinds. One component speaks for the whole plugin. */
#ifndef TENON_ABI_NEEDS_H
#define TENON_ABI_NEEDS_H

#include "tenon/abi/host.h"
#include "tenon/abi/types.h"

/* One library, program or package. The texts are borrowed for the duration of the call that passes it. */
typedef struct tn_need {
    uint32_t struct_size;
    uint32_t flags; /* 0 */
    tn_str name;    /* "libhdf5" */
    tn_str use;     /* what needs it: "datasets of Minari and D4RL" */
    tn_str found;   /* where it is, and which version; empty: it is missing */
    tn_str missing; /* why it cannot be used, as a sentence; empty if it was found */
    tn_str bring;   /* one line for a shell that brings it: "apt-get install -y libhdf5-103-1" */
} tn_need;

typedef struct tn_needs_api {
    uint32_t struct_size;
    uint32_t flags; /* 0 */

    /* Looks for everything as the plugin itself does when it needs it, and calls say for each. What is missing is no
     * failure. Needs no instance. May start processes and open libraries, and may take seconds.
     * TN_OUT_OF_MEMORY, TN_INTERNAL. [control] */
    tn_status (*look)(const tn_host* host, void* to, void (*say)(void* to, const tn_need* need));
} tn_needs_api;

#endif
