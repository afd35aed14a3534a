/* SPDX-License-Identifier: Apache-2.0 */
/* "tenon.state/1": saving and restoring an instance, so that a resumed run equals one that never stopped. */
#ifndef TENON_ABI_STATE_H
#define TENON_ABI_STATE_H

#include "tenon/abi/types.h"

/* Where saved bytes go. The host owns it; valid for the call. */
typedef struct tn_writer {
    uint32_t struct_size;
    uint32_t flags; /* 0 */
    void* ctx;
    /* Takes all size bytes or fails; the caller passes the failure on. */
    tn_status (*write)(void* ctx, const void* bytes, uint64_t size);
} tn_writer;

/* Where saved bytes come from. The host owns it; valid for the call. */
typedef struct tn_reader {
    uint32_t struct_size;
    uint32_t flags; /* 0 */
    void* ctx;
    /* Puts 1 .. size bytes at bytes and their number into *got; 0 at the end. It may give fewer than asked for. */
    tn_status (*read)(void* ctx, void* bytes, uint64_t size, uint64_t* got);
} tn_reader;

typedef struct tn_state_api {
    uint32_t struct_size;
    uint32_t flags; /* 0 */

    /* Writes everything that later calls depend on for lanes [first, first + count): counters of generators, clocks,
     * hidden state, but not what stands in the host's columns. Equal state gives equal bytes. Kinds without lanes are
     * called with 0, 0. TN_INTERNAL or what write returned. [control] */
    tn_status (*save)(void* self, uint32_t first, uint32_t count, const tn_writer* writer);

    /* Reads what save wrote for the same range, in an instance made with the same options, after bind and instead of
     * reset. On failure the instance is unusable until reset. TN_DATA_LOSS, or what read returned. [control] */
    tn_status (*load)(void* self, uint32_t first, uint32_t count, const tn_reader* reader);
} tn_state_api;

#endif
