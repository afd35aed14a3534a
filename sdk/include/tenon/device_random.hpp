// SPDX-License-Identifier: Apache-2.0
// The generator of a lane in a kernel: the numbers of tenon::Rng (random.hpp) to the bit, without normal ones. nvcc
// does not compile the functions of abi/random.h for a GPU, so they are here once more.
#pragma once

#include <cstdint>

#include "tenon/abi/device_sampler.h"
#include "tenon/abi/random.h"
#include "tenon/emulated.hpp"
#include "tenon/version.hpp"

namespace tenon {
inline namespace TENON_SDK {

__device__ inline tn_random_block philox(tn_key key, std::uint64_t counter) {
    std::uint32_t c0 = static_cast<std::uint32_t>(counter), c1 = static_cast<std::uint32_t>(counter >> 32);
    std::uint32_t c2 = static_cast<std::uint32_t>(key.stream), c3 = static_cast<std::uint32_t>(key.stream >> 32);
    std::uint32_t k0 = static_cast<std::uint32_t>(key.seed), k1 = static_cast<std::uint32_t>(key.seed >> 32);
    for (int round = 0; round < 10; ++round) {
        const std::uint64_t p0 = static_cast<std::uint64_t>(0xD2511F53U) * c0;
        const std::uint64_t p1 = static_cast<std::uint64_t>(0xCD9E8D57U) * c2;
        const std::uint32_t n0 = static_cast<std::uint32_t>(p1 >> 32) ^ c1 ^ k0;
        const std::uint32_t n2 = static_cast<std::uint32_t>(p0 >> 32) ^ c3 ^ k1;
        c1 = static_cast<std::uint32_t>(p1);
        c3 = static_cast<std::uint32_t>(p0);
        c0 = n0;
        c2 = n2;
        k0 += 0x9E3779B9U;
        k1 += 0xBB67AE85U;
    }
    return {{c0, c1, c2, c3}};
}

__device__ inline std::uint64_t join_words(std::uint32_t high, std::uint32_t low) {
    return static_cast<std::uint64_t>(high) << 32 | low;
}
__device__ inline double uniform_of(std::uint32_t high, std::uint32_t low) {
    return static_cast<double>(join_words(high, low) >> 11) * (1.0 / 9007199254740992.0);
}

struct DeviceRandom {
    tn_key key;
    std::uint64_t counter;

    __device__ std::uint64_t bits() {
        const tn_random_block block = philox(key, counter++);
        return join_words(block.word[0], block.word[1]);
    }
    __device__ double uniform() {
        const tn_random_block block = philox(key, counter++);
        return uniform_of(block.word[0], block.word[1]);
    }
    __device__ double uniform(double low, double high) { return low + (high - low) * uniform(); }
    template <class Numbers>
    __device__ void uniform(double low, double high, Numbers&& out) {
        for (double& one : out) {
            one = uniform(low, high);
        }
    }
    __device__ std::uint64_t below(std::uint64_t n) { return __umul64hi(bits(), n); }
    __device__ bool chance(double probability) { return uniform() < probability; }

    // A generator for each number, such as that of a row (Rng::branch).
    __device__ DeviceRandom branch(std::uint64_t number) const {
        const tn_random_block block = philox(key, number);
        return {{join_words(block.word[0], block.word[1]), join_words(block.word[2], block.word[3])}, 0};
    }
};

// The generator that a sampler gets for a batch on the CPU.
__device__ inline DeviceRandom batch_random(const tn_sample_numbers& numbers) {
    return DeviceRandom{numbers.key, 0}.branch(numbers.counter);
}

}  // namespace TENON_SDK
}  // namespace tenon
