// SPDX-License-Identifier: Apache-2.0
// What a reward normaliser works with: mean and standard deviation of the rewards that are learnt from, over each
// round, and of all rounds with a decay.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <tuple>

#include "tenon/hook.hpp"

struct RewardLog {
    std::string column;
    double decay;

    static constexpr auto options =
        std::tuple{tenon::option<&RewardLog::column>("column", "next.reward", "the column of rewards"),
                   tenon::option<&RewardLog::decay>("decay", 0.999, "[0,1]", "of the running sums, for each round")};

    struct Sums {
        double count = 0;
        double sum = 0;
        double squares = 0;

        [[nodiscard]] double mean() const { return sum / count; }
        [[nodiscard]] double deviation() const { return std::sqrt(std::max(squares / count - mean() * mean(), 0.0)); }
    };
    Sums running;
    void state(tenon::Archive& archive) { archive(running); }

    [[nodiscard]] tenon::HookPlan plan() const {
        return {.columns = {column}, .metrics = {"reward_mean", "reward_std", "running_mean", "running_std"}};
    }

    void collected(const tenon::HookCall& run) {
        const tenon::HookFrames round = run.round();
        Sums now;
        round.each([&](tenon::SlotLane at) {
            const double reward = round.value(0, at);
            now = {now.count + 1, now.sum + reward, now.squares + reward * reward};
        });
        if (now.count == 0) {
            return;
        }
        running = {running.count * decay + now.count, running.sum * decay + now.sum,
                   running.squares * decay + now.squares};
        run.report(0, now.mean());
        run.report(1, now.deviation());
        run.report(2, running.mean());
        run.report(3, running.deviation());
    }
};
