/* SPDX-License-Identifier: Apache-2.0 */
/* "tenon.state/1": saving and restoring an instance, so that a resumed run equals one that never stopped. */
#ifndef TENON_ABI_STATE_H
#define TENON_ABI_STATE_H

#include "tenon/abi/types.h"

/* The destination of saved bytes. The host owns it; valid during the call. */
typedef struct tn_writer {
    uint32_t struct_size;
    uint32_t flags; /* 0 */
    void* ctx;
    /* Takes all size bytes or fails; the caller returns the failure. */
    tn_status (*write)(void* ctx, const void* bytes, uint64_t size);
} tn_writer;

/* The source of saved bytes. The host owns it; valid during the call. */
typedef struct tn_reader {
    uint32_t struct_size;
    uint32_t flags; /* 0 */
    void* ctx;
    /* Writes 1 .. size bytes to bytes and their number to *got; 0 at the end. It may return fewer bytes than asked
     * for. */
    tn_status (*read)(void* ctx, void* bytes, uint64_t size, uint64_t* got);
} tn_reader;

typedef struct tn_state_api {
    uint32_t struct_size;
    uint32_t flags; /* 0 */

    /* Writes everything that later calls depend on for lanes [first, first + count), such as counters of generators,
     * clocks and hidden state, but not the contents of the host's columns. Equal state gives equal bytes. Kinds without
     * lanes are called with 0, 0. Returns TN_INTERNAL or what write returned. [control] */
    tn_status (*save)(void* self, uint32_t first, uint32_t count, const tn_writer* writer);

    /* Reads what save wrote for the same range, in an instance made with the same options. Called after bind and
     * instead of reset. On failure the instance is unusable until reset. Returns TN_DATA_LOSS or what read returned.
     * [control] */
    tn_status (*load)(void* self, uint32_t first, uint32_t count, const tn_reader* reader);
} tn_state_api;

#endif
