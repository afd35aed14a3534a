// SPDX-License-Identifier: Apache-2.0
// Indices that are out of range on a device: its kernels would end all of its work, and to look first would wait for
// it.
#pragma once

#include <ATen/ATen.h>

#include <vector>

namespace tenon::reference {

// While one lives, the checks of its thread are left here.
class IndexFaults {
public:
    IndexFaults();
    IndexFaults(const IndexFaults&) = delete;
    IndexFaults& operator=(const IndexFaults&) = delete;
    ~IndexFaults();

    std::vector<at::Tensor> found;  // true: an index was out of range
};

// Of an operation that checks indices itself. On a device: the nearest ones that are not negative and below the size.
at::Tensor in_range(const at::Tensor& index, std::int64_t size);
// Of one that does not: throws, where it does not leave the check.
at::Tensor checked(const at::Tensor& index, std::int64_t size);

}  // namespace tenon::reference
