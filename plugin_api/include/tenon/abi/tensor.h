/* SPDX-License-Identifier: Apache-2.0 */
/* Views of memory: a tensor, and a named tensor. */
#ifndef TENON_ABI_TENSOR_H
#define TENON_ABI_TENSOR_H

#include "tenon/abi/types.h"

/* A borrowed view with the fields of a DLPack tensor. Its creator owns data, shape and strides. It is valid during the
 * call that passes it, unless that call promises more. data is aligned to 64 bytes if the host allocated it. */
typedef struct tn_tensor {
    uint32_t struct_size;
    int32_t dtype; /* TN_F32 ... TN_BOOL, never TN_REAL */
    void* data;    /* may be null if a dimension is 0   */
    uint32_t rank;
    int32_t device_type;
    int32_t device_id;
    uint32_t reserved;
    const int64_t* shape;   /* [rank] */
    const int64_t* strides; /* [rank], in elements, never null where rank > 0 */
} tn_tensor;

/* A tensor under a key. Keys are dotted paths: "observation", "next.observation", "agents.reward". Time t is at the
 * root, t+1 under "next.". The host's rollout columns have the shape [slot][lane] followed by the spec's own shape. */
typedef struct tn_column {
    uint32_t struct_size;
    uint32_t flags; /* 0 */
    tn_str key;
    tn_tensor tensor;
} tn_column;

#endif
