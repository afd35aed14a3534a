// SPDX-License-Identifier: Apache-2.0
// A buffer without a manifest: steps of a corridor of one's own, prioritised replay, and a table that learns from it.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <random>
#include <tenon/core.hpp>
#include <type_traits>
#include <vector>

constexpr std::int64_t kLanes = 4;
constexpr std::int64_t kGoal = 6;

[[noreturn]] void leave(const tenon::Problems& problems) {
    for (const tenon::Problem& problem : problems) {
        std::cerr << tenon::render(problem);
    }
    std::exit(static_cast<int>(problems.front().fault));
}

template <class T>
T must(tenon::Result<T> result) {
    if (!result) {
        leave({result.error()});
    }
    if constexpr (!std::is_void_v<T>) {
        return std::move(*result);
    }
}

// A random walk in every lane: right or left, and back to the begin from the goal, which gives 1.
struct Corridor {
    std::array<std::int64_t, kLanes> place{};
    std::mt19937 random{1};

    tenon::Batch walk(std::int64_t time) {
        tenon::Batch steps({kLanes, time});
        const auto column = [&](const char* key, tenon::DType dtype) { return must(steps.add(key, dtype, {})); };
        auto* const from = column("observation", tenon::DType::kI64).as<std::int64_t>();
        auto* const to = column("next.observation", tenon::DType::kI64).as<std::int64_t>();
        auto* const action = column("action", tenon::DType::kI64).as<std::int64_t>();
        auto* const reward = column("next.reward", tenon::DType::kF32).as<float>();
        auto* const end = column("next.terminated", tenon::DType::kBool).as<std::uint8_t>();
        column("next.truncated", tenon::DType::kBool);
        for (std::int64_t i = 0; i < kLanes * time; ++i) {
            std::int64_t& at = place[static_cast<std::size_t>(i / time)];
            from[i] = at;
            action[i] = static_cast<std::int64_t>(random() % 2);
            to[i] = std::max<std::int64_t>(at + (action[i] == 1 ? 1 : -1), 0);
            end[i] = to[i] == kGoal ? 1 : 0;
            reward[i] = end[i];
            at = end[i] != 0 ? 0 : to[i];
        }
        return steps;
    }
};

int main() {
    tenon::Problems problems;
    const auto buffer = tenon::ReplayBuffer::make({.sampler = "replay/prioritised", .capacity = 10'000}, problems);
    if (!buffer) {
        leave(problems);
    }
    Corridor corridor;
    double q[kGoal + 1][2] = {};
    for (int round = 0; round < 200; ++round) {
        must(buffer->extend(corridor.walk(20)));
        const tenon::Batch rows = must(buffer->sample(64));
        const auto* const from = rows.find("observation")->as<std::int64_t>();
        const auto* const to = rows.find("next.observation")->as<std::int64_t>();
        const auto* const action = rows.find("action")->as<std::int64_t>();
        const auto* const reward = rows.find("next.reward")->as<float>();
        std::vector<double> errors;
        for (int i = 0; i < 64; ++i) {  // the goal's own values stay 0
            const double next_value = std::max(q[to[i]][0], q[to[i]][1]);
            double& value = q[from[i]][action[i]];
            const double error = reward[i] + 0.9 * next_value - value;
            value += 0.5 * error;
            errors.push_back(std::abs(error));
        }
        must(buffer->prioritise(errors));
    }
    std::cout << to_string(must(buffer->in_order(0, 50)));
    std::printf("%g at the begin, where 0.9^5 is right\n", q[0][1]);
}
