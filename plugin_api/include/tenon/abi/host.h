/* SPDX-License-Identifier: Apache-2.0 */
/* The services of the host for a plugin. */
#ifndef TENON_ABI_HOST_H
#define TENON_ABI_HOST_H

#include "tenon/abi/random.h"
#include "tenon/abi/types.h"

enum { TN_LOG_DEBUG = 1, TN_LOG_INFO = 2, TN_LOG_WARNING = 3, TN_LOG_ERROR = 4 };

/* The host owns this table; plugins may use it from init until deinit returns. A later call, for example from a
 * forgotten thread or a static destructor, is harmless: errors and log lines are dropped, and parallel_for runs the
 * body on the calling thread. Pass ctx back unchanged. */
typedef struct tn_host {
    uint32_t struct_size;
    uint16_t abi_major;
    uint16_t abi_minor;
    void* ctx;

    /* Stores the sentence that explains the status the caller is about to return. The host copies it at once and keeps
     * the latest one per thread. It repairs text that is not UTF-8 and cuts text above 4 KiB. [any] */
    void (*set_error)(void* ctx, tn_status status, tn_str text);

    /* Writes one line to the run's log. A plugin never writes to stdout or stderr itself. Do not call it in a step: it
     * may take a lock and allocate. [any] */
    void (*log)(void* ctx, int32_t level, tn_str text);

    /* Fills out[0 .. count-1] with standard normal numbers. Element i depends only on key and counter + i, so the
     * numbers do not depend on how they are split into calls. Never fails for count > 0 and a non-null out. [any] */
    void (*normal)(void* ctx, tn_key key, uint64_t counter, double* out, uint64_t count);

    /* Calls body(arg, first, count) for disjoint ranges that cover [0, n), on the host's threads, and returns when all
     * calls have returned. The length of every range but the last is a multiple of grain. The ranges depend only on n
     * and grain, not on the number of threads. A call from inside a body, or while the host runs its pool (any [lane]
     * call), runs serially. body must not throw. [any] */
    void (*parallel_for)(void* ctx, uint64_t n, uint64_t grain, void (*body)(void* arg, uint64_t first, uint64_t count),
                         void* arg);

    /* Returns bytes of memory aligned to alignment (a power of two, at most 4096), or null. It must be freed with free
     * of the same host. Meant for data that lives longer than a call; data of the steady loop is in the host's slabs.
     * [any] */
    void* (*alloc)(void* ctx, uint64_t bytes, uint64_t alignment);

    /* Frees what alloc returned; null is allowed. [any] */
    void (*free)(void* ctx, void* memory);
} tn_host;

#endif
