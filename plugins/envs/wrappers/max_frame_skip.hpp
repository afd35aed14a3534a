// SPDX-License-Identifier: Apache-2.0
// frame_skip, whose observations are the maximum of the last two, element by element. Games of the Atari 2600 need
// this: they draw some things in every other frame only.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <tuple>
#include <vector>

#include "tenon/options.hpp"
#include "tenon/wrapper.hpp"

struct MaxFrameSkip {
    std::int64_t steps;
    std::vector<tenon::Spec> seen;

    static constexpr auto options = std::tuple{
        tenon::option<&MaxFrameSkip::steps>("steps", 4, "[1,1000]", "steps of the inner env for each action"),
    };

    struct Lane {
        std::vector<std::vector<std::byte>> before;  // the observations before the latest ones
        void state(tenon::Archive& /*archive*/) {}   // nothing outlives a step
    };

    tenon::EnvSpec spec(tenon::EnvSpec inner) {
        seen = inner.observations;
        return inner;
    }

    void step(Lane& lane, const tenon::WrapperRow& row) const {
        lane.before.resize(seen.size());
        for (std::size_t i = 0; i < seen.size(); ++i) {
            const bool is_number = seen[i].kind == TN_SPEC_UNBOUNDED || seen[i].kind == TN_SPEC_BOUNDED;
            if (is_number && row.steps() > 1 && (row.done() || row.steps() == steps)) {
                tenon::with_dtype(seen[i].dtype, [&](auto zero) {
                    take_maximum(row.observation<decltype(zero)>(i), lane.before[i].data());
                });
            }
            const std::span<std::byte> now = row.observation_bytes(i);
            lane.before[i].assign(now.begin(), now.end());
        }
    }

private:
    template <class E>
    static void take_maximum(std::span<E> now, const std::byte* before) {
        for (E& x : now) {
            E other{};
            std::memcpy(&other, before, sizeof other);
            x = std::max(x, other);
            before += sizeof other;
        }
    }
};
