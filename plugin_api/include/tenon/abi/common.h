/* SPDX-License-Identifier: Apache-2.0 */
/* "tenon.common/1": what all lanes of an instance have in common and learn while they run, running statistics for
 * example. Optional, for transforms. It is saved apart from the lanes, so that an evaluation with lanes of its own sees
 * what training has gathered. */
#ifndef TENON_ABI_COMMON_H
#define TENON_ABI_COMMON_H

#include "tenon/abi/state.h"
#include "tenon/abi/types.h"

typedef struct tn_common_api {
    uint32_t struct_size;
    uint32_t flags; /* 0 */

    /* Brings together what the lanes have seen since the last call, in an order that depends on their numbers alone.
     * Called after every event, once it has been through all lanes, so that what a lane does depends on no thread's
     * pace. Not called in an evaluation, which learns nothing. Allocates nothing once warm. [control] */
    tn_status (*gather)(void* self);

    /* Writes what gather has brought together. After describe. TN_INTERNAL or what write returned. [control] */
    tn_status (*save)(void* self, const tn_writer* writer);

    /* Reads what save wrote in an instance made with the same options for the same columns and any number of lanes.
     * After describe. TN_DATA_LOSS, or what read returned. [control] */
    tn_status (*load)(void* self, const tn_reader* reader);
} tn_common_api;

#endif
