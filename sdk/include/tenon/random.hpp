// SPDX-License-Identifier: Apache-2.0
// The author's random generator: Philox4x32-10 (abi/random.h) with a counter. Its whole state is a key and a counter,
// and it gives the same numbers on every machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "tenon/abi/host.h"
#include "tenon/abi/random.h"
#include "tenon/version.hpp"

namespace tenon {
inline namespace TENON_SDK {

class Rng {
public:
    struct State {
        tn_key key;
        std::uint64_t counter;
    };

    explicit Rng(const tn_host& host, tn_key key = {}, std::uint64_t counter = 0)
        : host_(&host), key_(key), counter_(counter) {}

    // User-defined, so that a type with a generator in it is not saved as plain bytes.
    Rng(const Rng& other) : Rng(*other.host_, other.key_, other.counter_) {}
    // NOLINTNEXTLINE(bugprone-unhandled-self-assignment): numbers and a borrowed pointer, nothing to free first
    Rng& operator=(const Rng& other) {
        host_ = other.host_;
        set_state(other.state());
        return *this;
    }

    // A separate generator for every step and lane, which needs no state between steps.
    static Rng of(const tn_host& host, tn_key key, std::uint64_t step, std::uint64_t lane) {
        const tn_random_block block = tn_philox(key, step);
        return Rng(host, {join(block.word[0], block.word[1]), join(block.word[2], block.word[3]) + lane});
    }

    // A generator for each number, such as that of a row: its draws do not depend on how many others are made. It does
    // not change this one.
    [[nodiscard]] Rng branch(std::uint64_t number) const {
        const tn_random_block block = tn_philox(key_, number);
        return Rng(*host_, {join(block.word[0], block.word[1]), join(block.word[2], block.word[3])});
    }

    // In [0, 1), 53 bits.
    double uniform() {
        const tn_random_block block = next();
        return tn_uniform(block.word[0], block.word[1]);
    }

    // In [low, high); exactly low if both are equal.
    double uniform(double low, double high) { return low + (high - low) * uniform(); }

    // The same numbers as single calls give, but faster: the generator computes four at once.
    void uniform(double low, double high, std::span<double> out) {
        for (; out.size() >= kAtOnce; out = out.subspan(kAtOnce)) {
            uniforms(low, high - low, out.data());
        }
        for (double& one : out) {
            one = uniform(low, high);
        }
    }

    // In [0, 1), two per block where uniform() takes one: different numbers, and the fastest.
    void uniform_pairs(std::span<double> out) {
        for (; out.size() >= 2 * kAtOnce; out = out.subspan(2 * kAtOnce)) {
            const Blocks blocks = next_blocks();
#pragma GCC unroll 4
            for (std::size_t i = 0; i < kAtOnce; ++i) {
                out[2 * i] = tn_uniform(blocks.word[0][i], blocks.word[1][i]);
                out[2 * i + 1] = tn_uniform(blocks.word[2][i], blocks.word[3][i]);
            }
        }
        for (; !out.empty(); out = out.subspan(out.size() > 1 ? 2 : 1)) {
            const tn_random_block block = next();
            out[0] = tn_uniform(block.word[0], block.word[1]);
            if (out.size() > 1) {
                out[1] = tn_uniform(block.word[2], block.word[3]);
            }
        }
    }

    // In 0 .. n-1 for n > 0, with a bias below n / 2^64.
    std::uint64_t below(std::uint64_t n) {
        __extension__ using Product = unsigned __int128;
        return static_cast<std::uint64_t>(static_cast<Product>(bits()) * n >> 64);
    }

    // True with the given probability.
    bool chance(double probability) { return uniform() < probability; }

    // 64 random bits.
    std::uint64_t bits() {
        const tn_random_block block = next();
        return join(block.word[0], block.word[1]);
    }

    // Standard normal, by the same method as in the host. Many at once are faster than single calls.
    double normal() {
        double value = 0;
        normal(std::span(&value, 1));
        return value;
    }
    void normal(std::span<double> out) {
        if (!out.empty()) {
            host_->normal(host_->ctx, {key_.seed, key_.stream ^ kNormals}, counter_, out.data(), out.size());
            counter_ += out.size();
        }
    }

    [[nodiscard]] State state() const { return {key_, counter_}; }
    void set_state(const State& state) {
        key_ = state.key;
        counter_ = state.counter;
    }

private:
    static constexpr std::size_t kAtOnce = 4;

    struct Blocks {
        std::uint32_t word[4][kAtOnce];
    };

    // tn_philox of the next counters, interleaved by rounds so that the multiplications are independent.
    Blocks next_blocks() {
        Blocks blocks;
        auto& word = blocks.word;
        for (std::size_t i = 0; i < kAtOnce; ++i, ++counter_) {
            word[0][i] = static_cast<std::uint32_t>(counter_);
            word[1][i] = static_cast<std::uint32_t>(counter_ >> 32);
            word[2][i] = static_cast<std::uint32_t>(key_.stream);
            word[3][i] = static_cast<std::uint32_t>(key_.stream >> 32);
        }
        auto k0 = static_cast<std::uint32_t>(key_.seed);
        auto k1 = static_cast<std::uint32_t>(key_.seed >> 32);
        for (int round = 0; round < 10; ++round, k0 += 0x9E3779B9U, k1 += 0xBB67AE85U) {
#pragma GCC unroll 4
            for (std::size_t i = 0; i < kAtOnce; ++i) {
                const std::uint64_t p0 = std::uint64_t{0xD2511F53U} * word[0][i];
                const std::uint64_t p1 = std::uint64_t{0xCD9E8D57U} * word[2][i];
                word[0][i] = static_cast<std::uint32_t>(p1 >> 32) ^ word[1][i] ^ k0;
                word[2][i] = static_cast<std::uint32_t>(p0 >> 32) ^ word[3][i] ^ k1;
                word[1][i] = static_cast<std::uint32_t>(p1);
                word[3][i] = static_cast<std::uint32_t>(p0);
            }
        }
        return blocks;
    }

    void uniforms(double low, double width, double* out) {
        const Blocks blocks = next_blocks();
#pragma GCC unroll 4
        for (std::size_t i = 0; i < kAtOnce; ++i) {
            out[i] = low + width * tn_uniform(blocks.word[0][i], blocks.word[1][i]);
        }
    }

    tn_random_block next() { return tn_philox(key_, counter_++); }
    static std::uint64_t join(std::uint32_t high, std::uint32_t low) { return std::uint64_t{high} << 32 | low; }

    // The host counts normal numbers, not blocks: a separate range of counters keeps them from sharing blocks with
    // other draws.
    static constexpr std::uint64_t kNormals = std::uint64_t{1} << 63;

    const tn_host* host_;
    tn_key key_;
    std::uint64_t counter_;
};

}  // namespace TENON_SDK
}  // namespace tenon
