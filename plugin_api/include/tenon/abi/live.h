/* SPDX-License-Identifier: Apache-2.0 */
/* "tenon.live/1": options that [schedule] changes while a run goes on. Optional for wrappers. Graphs read their live
 * options as nodes and need no such interface. */
#ifndef TENON_ABI_LIVE_H
#define TENON_ABI_LIVE_H

#include "tenon/abi/types.h"

typedef struct tn_live_api {
    uint32_t struct_size;
    uint32_t flags; /* 0 */

    /* Changes an option that the note marks as live. option: its index in the schema. value: within its range. Called
     * between two steps or before a reset, and again with the same value after a state was loaded. Allocates nothing.
     * TN_NOT_FOUND, TN_INVALID_ARGUMENT. [control] */
    tn_status (*set)(void* self, uint32_t option, double value);
} tn_live_api;

#endif
