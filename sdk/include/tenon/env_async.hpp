// SPDX-License-Identifier: Apache-2.0
// The lanes of an env of batches whose steps may end later (env.hpp): which are pending, and which have arrived.
#pragma once

#include <algorithm>
#include <chrono>
#include <concepts>
#include <cstdint>
#include <span>
#include <thread>
#include <vector>

#include "tenon/abi/env_async.h"
#include "tenon/env_rows.hpp"
#include "tenon/version.hpp"

namespace tenon {
inline namespace TENON_SDK {

template <class T>
concept AsyncEnv = requires(T& env, EnvRows rows, std::uint32_t lane) {
    { env.submit(rows) } -> std::same_as<void>;
    { env.is_ready(lane) } -> std::same_as<bool>;
    { env.receive(rows) } -> std::same_as<void>;
};

class LanesUnderWay {
public:
    explicit LanesUnderWay(std::uint32_t lanes) : under_way_(lanes), named_(lanes) {}

    // The lanes of the call as a mask, for EnvRows.
    const std::uint8_t* named(std::span<const std::uint32_t> lanes) {
        std::ranges::fill(named_, std::uint8_t{0});
        for (const std::uint32_t lane : lanes) {
            named_[lane] = 1;
        }
        return named_.data();
    }

    void begin(std::span<const std::uint32_t> lanes) {
        for (const std::uint32_t lane : lanes) {
            under_way_[lane] = 1;
        }
        count_ += static_cast<std::uint32_t>(lanes.size());
    }

    // Waits as long as the call says, and writes the lanes that are ready to it.
    template <class Ready>
    void await(tn_env_poll& call, Ready is_ready) {
        using namespace std::chrono;
        constexpr microseconds kLongestNap(500);
        const auto until = steady_clock::now() + milliseconds(call.milliseconds);
        const std::uint32_t wanted = std::min(call.least, count_);
        for (microseconds nap(20); true; nap = std::min(2 * nap, kLongestNap)) {
            call.count = 0;
            for (std::uint32_t lane = 0; lane < under_way_.size(); ++lane) {
                if (under_way_[lane] != 0 && is_ready(lane)) {
                    call.lanes[call.count++] = lane;
                }
            }
            if (call.count >= wanted || steady_clock::now() >= until) {
                break;
            }
            std::this_thread::sleep_for(nap);
        }
        for (std::uint32_t i = 0; i < call.count; ++i) {
            under_way_[call.lanes[i]] = 0;
        }
        count_ -= call.count;
    }

private:
    std::vector<std::uint8_t> under_way_;  // [lane]
    std::vector<std::uint8_t> named_;      // [lane] of the present call
    std::uint32_t count_ = 0;              // of pending lanes
};

}  // namespace TENON_SDK
}  // namespace tenon
