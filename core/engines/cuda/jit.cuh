// SPDX-License-Identifier: Apache-2.0
// The beginning of the text of every kernel that is compiled at run time.
#pragma once

#include "engines/cuda/run.cuh"

namespace tenon::compiled::device {

// An address of the device.
struct At {
    std::uint64_t number;
    template <class T>
    __device__ operator T*() const {
        return reinterpret_cast<T*>(number);
    }
    __device__ At operator+(std::uint64_t bytes) const { return {number + bytes}; }
};

}  // namespace tenon::compiled::device
