/* SPDX-License-Identifier: Apache-2.0 */
/* What the host does for a plugin. */
#ifndef TENON_ABI_HOST_H
#define TENON_ABI_HOST_H

#include "tenon/abi/random.h"
#include "tenon/abi/types.h"

enum { TN_LOG_DEBUG = 1, TN_LOG_INFO = 2, TN_LOG_WARNING = 3, TN_LOG_ERROR = 4 };

/* The host owns this table; it is to be used from init until deinit returns. A later call, from a thread that was
 * forgotten or a static destructor, does no harm: nothing is said or logged, and what was to run on the host's threads
 * runs where it is called. Pass ctx back as it is. */
typedef struct tn_host {
    uint32_t struct_size;
    uint16_t abi_major;
    uint16_t abi_minor;
    void* ctx;

    /* Leaves the sentence that explains the status the caller is about to return. Copied at once, one per thread, the
     * latest counts. Text that is not UTF-8 is repaired, text above 4 KiB is cut. [any] */
    void (*set_error)(void* ctx, tn_status status, tn_str text);

    /* One line for the run's log. A plugin never writes to stdout or stderr itself. Not for calls in a step: it may
     * take a lock and allocate. [any] */
    void (*log)(void* ctx, int32_t level, tn_str text);

    /* Fills out[0 .. count-1] with standard normal numbers: element i is a function of key and counter + i alone, so
     * any cut into calls gives the same numbers. Never fails for count > 0 and a non-null out. [any] */
    void (*normal)(void* ctx, tn_key key, uint64_t counter, double* out, uint64_t count);

    /* Calls body(arg, first, count) for disjoint ranges that cover [0, n), each a multiple of grain long but the last,
     * on the host's threads, and returns when all have returned. The cut depends on n and grain only, never on the
     * number of threads. Called from inside a body, or while the host itself runs its pool (any [lane] call), it runs
     * serially. body must not throw. [any] */
    void (*parallel_for)(void* ctx, uint64_t n, uint64_t grain, void (*body)(void* arg, uint64_t first, uint64_t count),
                         void* arg);

    /* bytes of memory aligned to alignment (a power of two, at most 4096), or null. Freed by free of the same host. For
     * blobs that live longer than a call; hot data lives in the host's slabs. [any] */
    void* (*alloc)(void* ctx, uint64_t bytes, uint64_t alignment);

    /* Frees what alloc returned; null is allowed. [any] */
    void (*free)(void* ctx, void* memory);
} tn_host;

#endif
