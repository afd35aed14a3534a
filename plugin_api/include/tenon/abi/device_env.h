/* SPDX-License-Identifier: Apache-2.0 */
/* "tenon.device_env/1": an env whose lanes are on a device and are stepped there, all in one launch. It offers
 * "tenon.env/1" too, whose describe holds for both; bind, reset and step of that interface are not called. Order of
 * calls: create, describe, open, then enqueue_reset of all lanes (or load of a saved state), then enqueue_step and
 * enqueue_reset. Work is enqueued on the stream of the call, in order; the plugin does not wait, allocate or use
 * another stream in an enqueue_ function. A lane that is done begins its next episode in the kernel, and none is
 * parked: what a kernel finds wrong, such as an action that does not exist, goes to the stream's fault with the lane.
 *
 * State and pictures of lanes are those of state.h and render.h, which then read the device. The bytes of a saved state
 * are the same as on the CPU, so that a run can change its device. */
#ifndef TENON_ABI_DEVICE_ENV_H
#define TENON_ABI_DEVICE_ENV_H

#include "tenon/abi/device.h"

typedef struct tn_device_env_room {
    uint32_t struct_size;
    uint32_t lanes;
    const tn_device* device;
} tn_device_env_room;

/* Columns on the device, dense: [lanes] and then the shape of the spec. The arrays of pointers are on the host. The
 * pointers stay the same until destroy. */
typedef struct tn_device_env_call {
    uint32_t struct_size;
    uint32_t flags; /* 0 */
    uint32_t first; /* the lanes first .. first + count - 1 */
    uint32_t count;
    const tn_stream* stream;
    void* const*
        columns; /* [column_count] in the order of tn_env_info.specs. Actions are read; all others are written */
    void* const* finals; /* [column_count] "next.<key>" of an observation, written by a step that ends an episode; null
                            for other columns */
    uint64_t column_count;
    uint8_t* terminated; /* [lanes] 0 or 1, written by step */
    uint8_t* truncated;  /* [lanes] 0 or 1, written by step */
} tn_device_env_call;

typedef struct tn_device_env_api {
    uint32_t struct_size;
    uint32_t flags; /* 0 */

    /* Loads kernels and allocates, once. TN_UNAVAILABLE if there are no kernels for the device. [control] */
    tn_status (*open)(void* self, const tn_device_env_room* room);

    /* Enqueues the beginning of new episodes in the lanes whose byte in mask is 1 (null: in all lanes), and writes
     * their first observations. If seeds is not null, seeds[lane] reseeds the lane's generator as in tn_env_api.reset.
     * Both arrays are on the device and have one element for each lane. [control] */
    tn_status (*enqueue_reset)(void* self, const tn_device_env_call* call, const uint8_t* mask, const uint64_t* seeds);

    /* Enqueues one step of the lanes. [control] */
    tn_status (*enqueue_step)(void* self, const tn_device_env_call* call);
} tn_device_env_api;

#endif
