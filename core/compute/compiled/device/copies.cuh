// SPDX-License-Identifier: Apache-2.0
// Values in another type or at another place.
#pragma once

#include <cstdint>

#include "compute/compiled/device/places.cuh"

namespace tenon::compiled::device {

template <class To, class From>
__device__ inline To converted(From x) {
    if constexpr (sizeof(To) == 1) {
        return x != 0 ? 1 : 0;
    } else {
        return static_cast<To>(x);
    }
}

template <class To>
__device__ inline To imported(const ImportWork& work, std::int64_t i) {
    switch (work.stored) {
        case Stored::kF32:
            return converted<To>(static_cast<const float*>(work.from)[i]);
        case Stored::kF64:
            return converted<To>(static_cast<const double*>(work.from)[i]);
        case Stored::kI64:
            return converted<To>(static_cast<const std::int64_t*>(work.from)[i]);
        case Stored::kI32:
            return converted<To>(static_cast<const std::int32_t*>(work.from)[i]);
        default:
            return converted<To>(static_cast<const std::uint8_t*>(work.from)[i]);
    }
}

template <class T>
__device__ inline void copy(const CopyItem& item, std::int64_t i) {
    static_cast<T*>(item.to)[i] =
        item.from.at == nullptr ? T{0} : static_cast<const T*>(item.from.at)[offset_of(item.from, i)];
}

}  // namespace tenon::compiled::device

extern "C" __global__ void tenon_import(tenon::compiled::device::ImportWork work) {
    using namespace tenon::compiled::device;
    for (std::int64_t i = first_of_thread(); i < work.count; i += all_threads()) {
        if (work.wanted == Wanted::kReal) {
            static_cast<float*>(work.to)[i] = imported<float>(work, i);
        } else if (work.wanted == Wanted::kInt) {
            static_cast<std::int64_t*>(work.to)[i] = imported<std::int64_t>(work, i);
        } else {
            static_cast<std::uint8_t*>(work.to)[i] = imported<std::uint8_t>(work, i);
        }
    }
}

extern "C" __global__ void tenon_put(tenon::compiled::device::PutWork work) {
    using namespace tenon::compiled::device;
    for (std::int64_t i = first_of_thread(); i < work.count; i += all_threads()) {
        work.to[i] = work.words[i];
    }
}

extern "C" __global__ void tenon_copy(tenon::compiled::device::CopyWork work) {
    using namespace tenon::compiled::device;
    for (std::uint32_t n = 0; n < work.count; ++n) {
        const CopyItem& item = work.items[n];
        for (std::int64_t i = first_of_thread(); i < item.count; i += all_threads()) {
            if (item.adds != 0) {
                static_cast<float*>(item.to)[i] += static_cast<const float*>(item.from.at)[offset_of(item.from, i)];
            } else if (item.bytes == 4) {
                copy<std::uint32_t>(item, i);
            } else if (item.bytes == 8) {
                copy<std::uint64_t>(item, i);
            } else {
                copy<std::uint8_t>(item, i);
            }
        }
    }
}
