/* SPDX-License-Identifier: Apache-2.0 */
/* "tenon.common/1": what all lanes of an instance share and learn while they run, for example running statistics.
 * Optional, for transforms. It is saved separately from the lanes, so that an evaluation with its own lanes sees what
 * training has gathered. */
#ifndef TENON_ABI_COMMON_H
#define TENON_ABI_COMMON_H

#include "tenon/abi/state.h"
#include "tenon/abi/types.h"

typedef struct tn_common_api {
    uint32_t struct_size;
    uint32_t flags; /* 0 */

    /* Merges what the lanes have seen since the last call, in an order that depends on their numbers alone. The host
     * calls it after every event, when all lanes have handled the event, so that the result does not depend on the
     * timing of threads. Not called in an evaluation, which learns nothing. Allocates nothing once warm. [control] */
    tn_status (*gather)(void* self);

    /* Writes what gather has merged. Called after describe. Returns TN_INTERNAL or what write returned. [control] */
    tn_status (*save)(void* self, const tn_writer* writer);

    /* Reads what save wrote, in an instance made with the same options for the same columns; the number of lanes may
     * differ. Called after describe. Returns TN_DATA_LOSS or what read returned. [control] */
    tn_status (*load)(void* self, const tn_reader* reader);

    /* This and the next: optional, together. Where several processes have instances with a share of the lanes each, the
     * host calls them, now and then, instead of gather.
     *
     * Writes what the lanes have seen and nothing has merged, lane by lane, and changes nothing. Called after describe.
     * Returns TN_INTERNAL or what write returned. [control] */
    tn_status (*part)(void* self, const tn_writer* writer);

    /* Merges the parts of all instances, own included, in the order of the run's lanes, as gather merges those of one
     * instance with all lanes: the result does not depend on how the lanes are shared. The lanes then have seen
     * nothing. With a count of 0, before the first event, it only says that gather will not be called; from then on
     * the state of a lane ("tenon.state/1") has what the lane has seen. Returns TN_DATA_LOSS or what read returned.
     * [control] */
    tn_status (*join)(void* self, const tn_reader* const* parts, uint32_t count);
} tn_common_api;

#endif
