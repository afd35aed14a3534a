// SPDX-License-Identifier: Apache-2.0
// The trunk of Decision Transformer: what it computes in acting, from its memory, is what it computes for the last
// place of a window of the same steps. Places that are not present change nothing.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "assembly.hpp"
#include "support/catch.hpp"

namespace decision_test {

using namespace tenon;
using namespace tenon::test;
using Catch::Matchers::ContainsSubstring;

namespace {

constexpr std::int64_t kContext = 4;
constexpr std::int64_t kWidth = 6;
constexpr std::int64_t kSteps = 9;
constexpr std::int64_t kLanes = 2;

NetworkUse trunk() {
    return {.role = "net",
            .component = "transformer/decision",
            .options = {{"context", kContext},
                        {"width", kWidth},
                        {"heads", std::int64_t{2}},
                        {"layers", std::int64_t{2}},
                        {"inner", std::int64_t{8}},
                        {"return_scale", 0.5}}};
}

graph::Column action_column(bool discrete) {
    return discrete ? categorical_column("action", 3) : bounded_column("action", {-1, -1}, {1, 1});
}

std::int64_t action_width(bool discrete) {
    return discrete ? 3 : 2;
}

Plan acting_plan(bool discrete) {
    graph::Column previous = action_column(discrete);
    previous.spec.key = "previous_action";
    const std::int64_t width = action_width(discrete);
    return {.columns = {real_column("observation", {3}), real_column("target_return"), action_column(discrete),
                        previous, flag_column("is_init"), real_column("weight", {kWidth}), real_column("net.step"),
                        real_column("net.returns", {kContext, 1}), real_column("net.observations", {kContext, 3}),
                        real_column("net.actions", {kContext - 1, width})},
            .networks = {trunk()},
            .objective = "test/WeighsFeatures",
            .options = {},
            .leading = {graph::kTime, graph::kLanes}};
}

Plan windows_plan(bool discrete, std::int64_t places = kContext) {
    const std::vector<graph::Column> columns = {real_column("observation", {3}), action_column(discrete),
                                                real_column("return_to_go")};
    Plan plan{.columns = columns, .networks = {trunk()}, .objective = "test/OfWindows", .options = {}};
    for (const graph::Column& column : columns) {
        plan.columns.push_back(window_column(column, places));
    }
    plan.columns.push_back(flag_column("window.present", {places}));
    plan.columns.push_back(real_column("weight"));
    return plan;
}

// Episodes of one lane begin at these steps.
bool begins(std::int64_t step, std::int64_t lane) {
    return step == 0 || (lane == 1 && step == 3);
}

// One row of acting's columns.
std::vector<double> row(const FilledBatch& acting, const std::string& key, std::int64_t step, std::int64_t lane) {
    const std::vector<double>& all = acting[key];
    const auto width = static_cast<std::ptrdiff_t>(all.size()) / (kSteps * kLanes);
    const auto first = all.begin() + (step * kLanes + lane) * width;
    return {first, first + width};
}

// Windows that end at each step of acting. The action of a step is what the next step remembers as the one before.
FilledBatch windows_of(const FilledBatch& acting, const Plan& plan, double absent) {
    FilledBatch out(plan.columns, {.rows = kSteps * kLanes, .time = 0, .lanes = 0}, 11);
    std::vector<double> observations, returns, actions, present;
    const auto add = [](std::vector<double>& to, const std::vector<double>& row) {
        to.insert(to.end(), row.begin(), row.end());
    };
    for (std::int64_t step = 0; step < kSteps; ++step) {
        for (std::int64_t lane = 0; lane < kLanes; ++lane) {
            std::int64_t first = step;
            while (!begins(first, lane)) {
                --first;
            }
            for (std::int64_t at = step - kContext + 1; at <= step; ++at) {
                const bool is_present = at >= first;
                present.push_back(is_present ? 1 : 0);
                const std::int64_t seen = std::max<std::int64_t>(at, 0);
                add(observations, is_present ? row(acting, "observation", seen, lane) : std::vector<double>(3, absent));
                add(returns, is_present ? row(acting, "target_return", seen, lane) : std::vector<double>(1, absent));
                const std::int64_t next = std::min(seen + 1, kSteps - 1);
                add(actions, row(acting, "previous_action", next, lane));
            }
        }
    }
    out.set("window.observation", observations);
    out.set("window.return_to_go", returns);
    out.set("window.action", actions);
    out.set("window.present", present);
    return out;
}

}  // namespace

TEST_CASE("what Decision Transformer remembers in acting is the window that it learns from") {
    const bool discrete = GENERATE(false, true);
    CAPTURE(discrete);
    const Plan acting_columns = acting_plan(discrete);
    FilledBatch acting(acting_columns.columns, {.rows = 0, .time = kSteps, .lanes = kLanes}, 7);
    std::vector<double> is_init;
    for (std::int64_t step = 0; step < kSteps; ++step) {
        for (std::int64_t lane = 0; lane < kLanes; ++lane) {
            is_init.push_back(begins(step, lane) ? 1 : 0);
        }
    }
    acting.set("is_init", is_init);
    Assembly acts(acting_columns);
    const std::vector<double> stepped = acts.forward("prepare", acting).at("out");
    REQUIRE(stepped.size() == kSteps * kLanes * kWidth);

    const Plan plan = windows_plan(discrete);
    for (const double absent : {0.0, 100.0}) {
        CAPTURE(absent);
        Assembly learns(plan);
        const std::vector<double> whole = learns.forward("prepare", windows_of(acting, plan, absent)).at("out");
        REQUIRE(whole.size() == stepped.size() * kContext);
        for (std::size_t i = 0; i < stepped.size(); ++i) {
            const std::size_t at = i / kWidth;
            const double last = whole[(at * kContext + kContext - 1) * kWidth + i % kWidth];
            INFO("row " << at);
            REQUIRE(std::abs(last - stepped[i]) <= 1e-12 * std::max(1.0, std::abs(last)));
        }
    }
}

TEST_CASE("a window of another length than the context is refused, and both are named") {
    Assembly assembly(windows_plan(false, 6));
    const Problems problems = assembly.try_forward("prepare", {graph::kRows});
    REQUIRE(problems.size() == 1);
    CHECK_THAT(problems.front().sentence,
               ContainsSubstring("its context is 4 steps, but the batch has windows of 6; they must be equal"));
}

}  // namespace decision_test
