/* SPDX-License-Identifier: Apache-2.0 */
/* "tenon.fused/1": an author's own kernels as nodes of a graph. Optional, for components that offer "tenon.graph/1".
 *
 * A kernel is two functions on dense memory: forward computes the outputs from the inputs, and backward computes the
 * gradients of the inputs from those of the outputs. A graph refers to it by the op "fused", in one of two ways. Around
 * a body of ordinary nodes (region_begin, region_end), the body defines the result and the host compares the kernel
 * with it. Without a body (emit, attribute outputs), the host compares backward with finite differences of forward.
 * Both checks happen before the results of the first run count. If a kernel fails its check, the run ends with an error
 * that names it.
 *
 * The host owns the memory. It is dense in the order of the shape, and each element is aligned for its type. A shape
 * consists of the leading dimensions of the call (rows, time, lanes, members), followed by the value's own sizes. An
 * input that has only some of these leading dimensions is broadcast along the others. An input that has none (a
 * constant, an option, a parameter) has only its own sizes. Outputs are real. */
#ifndef TENON_ABI_FUSED_H
#define TENON_ABI_FUSED_H

#include "tenon/abi/tensor.h"
#include "tenon/abi/types.h"

/* One run of a kernel. Everything is borrowed for the duration of the call. */
typedef struct tn_fused_call {
    uint32_t struct_size;
    uint32_t flags;         /* 0 */
    int32_t real;           /* TN_F32 or TN_F64: the type of real inputs, outputs and gradients */
    uint32_t leading_count; /* the number of leading dimensions */
    const int64_t* leading; /* their sizes, in the order in which they occur in shapes */
    uint64_t rows;          /* the product of these sizes; 1 if there are none */
    uint32_t in_count;
    uint32_t out_count;
    const tn_tensor* const* in;  /* [in_count]; TN_F32 or TN_F64, TN_I64, TN_BOOL */
    const tn_tensor* const* out; /* [out_count]; written by forward, read by backward */
    /* Null in forward. [out_count], each null if no gradient reaches that output. */
    const tn_tensor* const* out_gradient;
    /* Null in forward. [in_count], each null if the gradient of that input is not needed. It has the shape of the
     * input, and backward must write every element. For an input without leading dimensions it is the sum over the
     * rows. */
    const tn_tensor* const* in_gradient;
} tn_fused_call;

/* tn_fused_kernel.flags */
enum {
    TN_FUSED_F32 = 1, /* it computes in float32 */
    TN_FUSED_F64 = 2, /* it computes in float64; neither of the two flags: in both */
    TN_FUSED_CUDA = 4 /* its memory may be on a device; no host uses this yet */
};

typedef struct tn_fused_kernel {
    uint32_t struct_size;
    uint32_t flags;
    const char* name;
    uint32_t revision; /* to be increased whenever the results change */
    uint32_t in_count;
    uint32_t out_count; /* at least 1 */
    uint32_t reserved;

    /* Depends only on its arguments, changes only the outputs and allocates nothing. A status other than TN_OK ends the
     * run with the text given to set_error. Called during a run: [lane], where each node of the run's graphs counts as
     * a lane. */
    tn_status (*forward)(void* self, const tn_fused_call* call);

    /* The same rules hold. Null: the kernel has no gradient. */
    tn_status (*backward)(void* self, const tn_fused_call* call);
} tn_fused_kernel;

typedef struct tn_fused_api {
    uint32_t struct_size;
    uint32_t flags; /* 0 */

    /* The kernels of the instance, with distinct names: a constant array, valid as long as the instance. [control] */
    tn_status (*kernels)(void* self, const tn_fused_kernel* const** list, uint32_t* count);
} tn_fused_api;

#endif
