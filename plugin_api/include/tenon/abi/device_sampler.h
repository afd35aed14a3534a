/* SPDX-License-Identifier: Apache-2.0 */
/* "tenon.device_sampler/1": a sampler that chooses rows on a device. It offers "tenon.sampler/1" too, whose plan holds
 * for both. Order of calls: create, plan, open, then enqueue_sample and enqueue_prioritise in turns. Work is enqueued
 * on the stream of the call, in order; the plugin does not wait, allocate or use another stream in an enqueue_
 * function. What a kernel finds wrong goes to the stream's fault. State is saved and loaded as on the CPU (state.h),
 * also before open. */
#ifndef TENON_ABI_DEVICE_SAMPLER_H
#define TENON_ABI_DEVICE_SAMPLER_H

#include "tenon/abi/device.h"
#include "tenon/abi/random.h"

/* What changes with every batch, on the device and always at the same place. */
typedef struct tn_sample_numbers {
    uint64_t counter;  /* as in tn_sample_call */
    uint64_t total;    /* as in tn_buffer_view */
    uint64_t appended; /* as in tn_buffer_view */
    tn_key key;
} tn_sample_numbers;

/* What a sampler has to make room for. */
typedef struct tn_device_room {
    uint32_t struct_size;
    uint32_t slots; /* of the ring */
    uint32_t lanes;
    uint32_t rows; /* the most of a batch, steps of sequences included */
    const tn_device* device;
} tn_device_room;

/* One batch. All pointers but stream and columns are the device's; they stay the same until the next open. Arrays are
 * as in tn_sample_call and tn_buffer_view. */
typedef struct tn_device_sample_call {
    uint32_t struct_size;
    uint32_t rows;
    const tn_stream* stream;
    const tn_sample_numbers* numbers;
    const uint32_t* first;     /* [lanes]        */
    const uint32_t* count;     /* [lanes]        */
    const uint8_t* terminated; /* [slots][lanes] */
    const uint8_t* truncated;  /* [slots][lanes] */
    uint32_t* slot;            /* [array_count][rows] to be written */
    uint32_t* lane;            /* [array_count][rows] to be written */
    void* const* columns;      /* [column_count], on the host, of columns on the device */
    const double* options;     /* [option_count] */
    uint64_t option_count;
} tn_device_sample_call;

/* Priorities of the rows of the last sample, finite and not negative: anything else is a fault of that row. */
typedef struct tn_device_priority_call {
    uint32_t struct_size;
    uint32_t rows;
    const tn_stream* stream;
    const uint32_t* slot;     /* [rows] of index array 0 */
    const uint32_t* lane;     /* [rows]                  */
    const double* priorities; /* [rows]                  */
    uint32_t burn_in;         /* as in tn_priority_call  */
    uint32_t reserved;
} tn_device_priority_call;

typedef struct tn_device_sampler_api {
    uint32_t struct_size;
    uint32_t flags; /* 0 */

    /* Loads kernels and allocates what a buffer of that size needs. Called again for more rows, which keeps the
     * state, or for a buffer of another size, which discards it. TN_UNAVAILABLE if there are no kernels for the device.
     * [control] */
    tn_status (*open)(void* self, const tn_device_room* room);

    /* Enqueues the choice of one batch; the buffer holds at least one transition. [control] */
    tn_status (*enqueue_sample)(void* self, const tn_device_sample_call* call);

    /* Null, or outside of struct_size: the sampler does not use priorities. [control] */
    tn_status (*enqueue_prioritise)(void* self, const tn_device_priority_call* call);
} tn_device_sampler_api;

#endif
