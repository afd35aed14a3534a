/* SPDX-License-Identifier: Apache-2.0 */
/* "tenon.fused/1": kernels of an author's own as nodes of a graph. Optional, for components that offer "tenon.graph/1".
 *
 * A kernel is two functions on dense memory: forward makes the outputs from the inputs, backward the gradients of the
 * inputs from those of the outputs. A graph names it by the op "fused", either around a body of ordinary nodes
 * (region_begin, region_end), which says what it computes and is what the host holds it against, or without one (emit,
 * attribute outputs), where the host holds backward against differences of forward. Either is done before the first
 * run's results count; a kernel that is found wrong ends the run by name.
 *
 * Memory is the host's and dense, in the order of the shape, each element where its type wants it. Shapes are the
 * leading dimensions of the call (rows, time, lanes, members) and then the value's own sizes; an input that has some of
 * these leading dimensions is repeated along the others, and one that has none (a constant, an option, a parameter) has
 * its own sizes only. Outputs are real. */
#ifndef TENON_ABI_FUSED_H
#define TENON_ABI_FUSED_H

#include "tenon/abi/tensor.h"
#include "tenon/abi/types.h"

/* One run of a kernel. Everything is borrowed for the call. */
typedef struct tn_fused_call {
    uint32_t struct_size;
    uint32_t flags;         /* 0 */
    int32_t real;           /* TN_F32 or TN_F64: what real inputs, outputs and gradients are made of */
    uint32_t leading_count; /* how many leading dimensions */
    const int64_t* leading; /* their sizes, in the order in which they stand in shapes */
    uint64_t rows;          /* the product of these sizes; 1 without any */
    uint32_t in_count;
    uint32_t out_count;
    const tn_tensor* const* in;  /* [in_count]; TN_F32 or TN_F64, TN_I64, TN_BOOL */
    const tn_tensor* const* out; /* [out_count]; written by forward, read by backward */
    /* Null in forward. [out_count], null where no gradient flows. */
    const tn_tensor* const* out_gradient;
    /* Null in forward. [in_count], null where nobody wants it; of the shape of the input, every element to be written.
     * Of an input without leading dimensions it is the sum over the rows. */
    const tn_tensor* const* in_gradient;
} tn_fused_call;

/* tn_fused_kernel.flags */
enum {
    TN_FUSED_F32 = 1, /* it computes in float32 */
    TN_FUSED_F64 = 2, /* it computes in float64; neither of the two: in both */
    TN_FUSED_CUDA = 4 /* its memory may be a device's; no host asks for that so far */
};

typedef struct tn_fused_kernel {
    uint32_t struct_size;
    uint32_t flags;
    const char* name;
    uint32_t revision; /* another one, where other numbers come out */
    uint32_t in_count;
    uint32_t out_count; /* 1 at least */
    uint32_t reserved;

    /* Depends on its arguments alone, changes nothing but the outputs, allocates nothing. A status other than TN_OK
     * ends the run with the text given to set_error. Called while a run goes on: [lane], the lanes being the nodes of
     * the run's graphs. */
    tn_status (*forward)(void* self, const tn_fused_call* call);

    /* Likewise; null: nothing can be learnt through it. */
    tn_status (*backward)(void* self, const tn_fused_call* call);
} tn_fused_kernel;

typedef struct tn_fused_api {
    uint32_t struct_size;
    uint32_t flags; /* 0 */

    /* The kernels of the instance, each of another name: a constant array, valid as long as the instance. [control] */
    tn_status (*kernels)(void* self, const tn_fused_kernel* const** list, uint32_t* count);
} tn_fused_api;

#endif
