/* SPDX-License-Identifier: Apache-2.0 */
/* The host's columns for plugins in C: found by key when they are bound, then read and written by slot and lane. */
#ifndef TENON_COLUMNS_H
#define TENON_COLUMNS_H

#ifdef __cplusplus
#error "this header is for C; in C++ include tenon/column.hpp"
#endif

#include <stdint.h>
#include <string.h>

#include "tenon/abi/tensor.h"

/* The column with that key and element type, or null. It is valid until the next bind. */
static inline const tn_tensor* tenon_find_column(const tn_column* const* columns, uint64_t count, const char* key,
                                                 int32_t dtype) {
    const uint64_t length = strlen(key);
    for (uint64_t i = 0; i < count; ++i) {
        const tn_str* found = &columns[i]->key;
        if (found->size == length && memcmp(found->data, key, length) == 0) {
            return columns[i]->tensor.dtype == dtype ? &columns[i]->tensor : NULL;
        }
    }
    return NULL;
}

/* The start of a row of a column [slot][lane][...]: TENON_ROW(float, observation, slot, lane)[0] = 1; */
#define TENON_ROW(type, tensor, slot, lane) \
    ((type*)(tensor)->data + (slot) * (tensor)->strides[0] + (lane) * (tensor)->strides[1])

#endif
