/* SPDX-License-Identifier: Apache-2.0 */
/* Devices: memory that the CPU does not read, and kernels that work on it. The host owns the device, its one stream and
 * every wait; a plugin asks for memory and kernels once, and then only enqueues. */
#ifndef TENON_ABI_DEVICE_H
#define TENON_ABI_DEVICE_H

#include "tenon/abi/types.h"

/* A device type in addition to those of types.h: kernels are functions of the plugin that run on the CPU, for tests. */
enum { TN_DEVICE_EMULATED = 1000 };

/* Where the first kernel that found something wrong says so: a status, with atomicCAS from 0, and the row or lane. The
 * host reads it after each batch. */
typedef struct tn_fault {
    uint32_t status;
    uint32_t where;
} tn_fault;

/* A kernel for TN_DEVICE_EMULATED. `run` runs all blocks; argument i is at arguments[i]. */
typedef struct tn_emulated_kernel {
    const char* name;
    void (*run)(const uint32_t* grid, const uint32_t* block, void* const* arguments);
} tn_emulated_kernel;

/* The image that load takes for TN_DEVICE_EMULATED. */
typedef struct tn_emulated_image {
    uint32_t struct_size;
    uint32_t count;
    const tn_emulated_kernel* kernels;
} tn_emulated_image;

/* A device, valid as long as the instance that it was given to. Functions return TN_OK, TN_OUT_OF_MEMORY or
 * TN_UNAVAILABLE; the host has the sentence already. None may be called inside an enqueue_ function. */
typedef struct tn_device {
    uint32_t struct_size;
    int32_t device_type; /* TN_DEVICE_CUDA, TN_DEVICE_EMULATED */
    int32_t device_id;
    uint32_t arch;  /* 90: sm_90; 0 if emulated */
    uint32_t units; /* multiprocessors          */
    uint32_t reserved;
    void* context; /* the CUcontext; null if emulated */
    void* ctx;     /* passed back unchanged           */

    /* Zeroed memory, aligned to 256 bytes. [control] */
    tn_status (*alloc)(void* ctx, uint64_t bytes, void** memory);
    /* Frees what alloc returned; null is allowed. [control] */
    void (*free)(void* ctx, void* memory);
    /* Copies after all work that was enqueued, and waits. Allowed while opening, saving and loading. [control] */
    tn_status (*read)(void* ctx, void* host, const void* memory, uint64_t bytes);
    tn_status (*write)(void* ctx, void* memory, const void* host, uint64_t bytes);
    /* A module of kernels: for CUDA a fatbin, cubin or PTX, otherwise a tn_emulated_image. It stays loaded. [control]
     */
    tn_status (*load)(void* ctx, const void* image, void** module);
    tn_status (*kernel)(void* ctx, void* module, const char* name, void** kernel);
} tn_device;

/* A stream, valid during the call that passes it. */
typedef struct tn_stream {
    uint32_t struct_size;
    uint32_t flags; /* 0 */
    const tn_device* device;
    void* handle;    /* the CUstream, never the default one; null if emulated */
    tn_fault* fault; /* on the device                                         */
    /* Enqueues a kernel. grid and block have three sizes each. [control] */
    tn_status (*launch)(const struct tn_stream* stream, void* kernel, const uint32_t* grid, const uint32_t* block,
                        void* const* arguments);
} tn_stream;

#endif
