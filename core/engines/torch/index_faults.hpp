// SPDX-License-Identifier: Apache-2.0
// Indices that are out of range on a device. libtorch's kernels would end all work of the device, and checking before
// would wait for it. So checks are collected and read later.
#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

namespace tenon::reference {

// While an object lives, the checks of its thread are collected in it.
class IndexFaults {
public:
    IndexFaults();
    IndexFaults(const IndexFaults&) = delete;
    IndexFaults& operator=(const IndexFaults&) = delete;
    ~IndexFaults();

    std::vector<at::Tensor> found;  // true: an index was out of range
};

// For an operation that checks indices itself. On a device: the nearest valid indices.
at::Tensor in_range(const at::Tensor& index, std::int64_t size);
// For an operation that does not check them. Throws unless the check is collected.
at::Tensor checked(const at::Tensor& index, std::int64_t size);

}  // namespace tenon::reference
