// SPDX-License-Identifier: Apache-2.0
// Copies values to another type or another place.
#pragma once

#include <cstdint>

#include "engines/cuda/places.cuh"

namespace tenon::compiled::device {

template <class To, class From>
__device__ inline To converted(From x) {
    if constexpr (sizeof(To) == 1) {
        return x != 0 ? 1 : 0;
    } else {
        return cast<To>(x);
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

__device__ inline void import_column(const ImportWork& work, Blocks blocks) {
    for (std::int64_t i = first_of_thread(blocks); i < work.count; i += all_threads(blocks)) {
        if (work.wanted == Wanted::kReal) {
            static_cast<float*>(work.to)[i] = imported<float>(work, i);
        } else if (work.wanted == Wanted::kInt) {
            static_cast<std::int64_t*>(work.to)[i] = imported<std::int64_t>(work, i);
        } else {
            static_cast<std::uint8_t*>(work.to)[i] = imported<std::uint8_t>(work, i);
        }
    }
}

__device__ inline void put(const PutWork& work, Blocks blocks) {
    for (std::int64_t i = first_of_thread(blocks); i < work.count; i += all_threads(blocks)) {
        *work.words[i].to = work.words[i].value;
    }
}

template <class T>
__device__ inline void copy_element(const CopyItem& item, void* to, std::int64_t i) {
    static_cast<T*>(to)[i] =
        item.from.at == nullptr ? T{0} : static_cast<const T*>(item.from.at)[offset_of(item.from, i)];
}

__device__ inline void copy_item(const CopyItem& item, std::int64_t further, std::int64_t first, std::int64_t step) {
    void* const to = static_cast<char*>(item.to) + further;
    for (std::int64_t i = first; i < item.count; i += step) {
        if (item.adds != 0) {
            static_cast<float*>(to)[i] += static_cast<const float*>(item.from.at)[offset_of(item.from, i)];
        } else if (item.widens != 0) {
            static_cast<double*>(to)[i] = static_cast<const float*>(item.from.at)[offset_of(item.from, i)];
        } else if (item.bytes == 4) {
            copy_element<std::uint32_t>(item, to, i);
        } else if (item.bytes == 8) {
            copy_element<std::uint64_t>(item, to, i);
        } else {
            copy_element<std::uint8_t>(item, to, i);
        }
    }
}

// All threads together copy the long items, one item after the other. Short items are divided among the blocks.
__device__ inline void copy(const CopyWork& work, Blocks blocks) {
    constexpr std::int64_t kLong = 8192;
    const std::int64_t further = work.place == nullptr ? 0 : static_cast<std::int64_t>(*work.place) * work.apart;
    if (work.longest > kLong) {
        for (std::uint32_t n = 0; n < work.count; ++n) {
            copy_item(work.items[n], further, first_of_thread(blocks), all_threads(blocks));
        }
        return;
    }
    for (std::uint32_t n = blocks.index; n < work.count; n += blocks.count) {
        copy_item(work.items[n], further, threadIdx.x, blockDim.x);
    }
}

}  // namespace tenon::compiled::device
