// SPDX-License-Identifier: Apache-2.0
// Makes a task harder when most episodes succeed, and easier when few do: moves a live option, for example of a
// wrapper, by one step after every `episodes` episodes. An episode succeeds if a column has at least a certain value at
// its last step.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <tuple>

#include "tenon/hook.hpp"

struct Curriculum {
    std::string option;
    double from;
    double to;
    double step;
    std::string column;
    double at_least;
    std::int64_t episodes;
    double harder_above;
    double easier_below;

    static constexpr auto options = std::tuple{
        tenon::required<&Curriculum::option>("option", "", "the path of the option that it moves"),
        tenon::required<&Curriculum::from>("from", "", "the option's value of the easiest task, with which it begins"),
        tenon::required<&Curriculum::to>("to", "", "its value of the hardest task"),
        tenon::required<&Curriculum::step>("step", "(0,inf)", "how far it moves at a time"),
        tenon::option<&Curriculum::column>("column", "next.terminated", "the column that says whether one succeeded"),
        tenon::option<&Curriculum::at_least>("at_least", 1.0, "its value, or more, at the last step of a success"),
        tenon::option<&Curriculum::episodes>("episodes", 100, "[1,1e9]", "over how many episodes a share is taken"),
        tenon::option<&Curriculum::harder_above>("harder_above", 0.8, "[0,1]", "a share above which it moves to `to`"),
        tenon::option<&Curriculum::easier_below>("easier_below", 0.0, "[0,1]", "and below which back to `from`")};

    std::int64_t ended = 0;
    std::int64_t succeeded = 0;
    void state(tenon::Archive& archive) { archive(ended, succeeded); }

    [[nodiscard]] tenon::HookPlan plan() const {
        return {.columns = {column}, .metrics = {"success_rate"}, .moves = {option}};
    }

    void started(const tenon::HookCall& run) const { run.move(0, from); }

    void collected(const tenon::HookCall& run) {
        const tenon::HookFrames round = run.round();
        round.each([&](tenon::SlotLane at) {
            if (!round.ends_episode(at)) {
                return;
            }
            ++ended;
            succeeded += round.value(0, at) >= at_least ? 1 : 0;
            if (ended == episodes) {
                judge(run, static_cast<double>(succeeded) / static_cast<double>(ended));
                ended = succeeded = 0;
            }
        });
    }

private:
    void judge(const tenon::HookCall& run, double share) const {
        const double towards = share > harder_above ? 1 : share < easier_below ? -1 : 0;
        const double moved = run.option(0) + towards * (to > from ? step : -step);
        run.move(0, std::clamp(moved, std::min(from, to), std::max(from, to)));
        run.report(0, share);
    }
};
