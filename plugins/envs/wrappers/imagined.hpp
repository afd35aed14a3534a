// SPDX-License-Identifier: Apache-2.0
// A world model in place of the env. Episodes begin in states of the env, and the result of each step is what a policy
// such as model/dream writes next to its action. The env itself is reset but never stepped, unless `real` is true, as
// in evaluations. So any policy and any objective can use a model as an env.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "tenon/options.hpp"
#include "tenon/wrapper.hpp"

struct Imagined {
    bool real = false;
    std::int64_t horizon = 200;
    std::vector<std::string> columns;
    std::vector<std::size_t> sizes = {};
    std::size_t action = 0;  // the number of imagined.state; those of the reward and of the chance to go on follow

    static constexpr auto options = std::tuple{
        tenon::option<&Imagined::real>("real", false, "", "steps the env and ignores what the model imagines"),
        tenon::option<&Imagined::horizon>("horizon", 200, "[0,inf)", "imagined steps of an episode; 0: no limit"),
        tenon::option<&Imagined::columns>("columns", {"observation"}, "",
                                          "the observations that the model predicts, in its order; others are left "
                                          "out")};

    struct Lane {
        std::int64_t steps = 0;
    };

    tenon::EnvSpec spec(tenon::EnvSpec inner) {
        if (inner.actions.size() != 1 || !inner.rewards.empty() || !inner.has_reward()) {
            throw tenon::InvalidArgument("it takes the place of envs with one action and one reward, not of groups");
        }
        std::vector<tenon::Spec> kept;
        std::int64_t size = 0;
        sizes.clear();
        for (const std::string& key : columns) {
            const auto found = std::ranges::find(inner.observations, key, &tenon::Spec::key);
            if (found == inner.observations.end()) {
                throw tenon::InvalidArgument("columns names '" + key + "', which is no observation of the env");
            }
            if (found->dtype != TN_F32 || found->shape.size() != 1) {
                throw tenon::InvalidArgument("'" + key + "' is no row of float32 numbers, which is what it imagines");
            }
            sizes.push_back(static_cast<std::size_t>(found->elements()));
            size += found->elements();
            kept.push_back(tenon::unbounded(key, found->shape));
        }
        inner.observations = std::move(kept);
        inner.extras.clear();
        action = inner.actions.size();
        inner.actions.push_back(tenon::unbounded("imagined.state", {size}));
        inner.actions.push_back(tenon::unbounded("imagined.reward"));
        inner.actions.push_back(tenon::unbounded("imagined.continues"));
        return inner;
    }

    static void begin(Lane& lane) { lane.steps = 0; }
    [[nodiscard]] bool act(const tenon::WrapperRow& /*row*/) const { return real; }

    void step(Lane& lane, const tenon::WrapperRow& row) const {
        if (real) {
            return;
        }
        std::span<const float> state = row.action<float>(action);
        for (std::size_t i = 0; i < sizes.size(); ++i) {
            std::ranges::copy(state.first(sizes[i]), row.observation<float>(i).begin());
            state = state.subspan(sizes[i]);
        }
        row.total() = static_cast<double>(row.action<float>(action + 1)[0]);
        if (row.action<float>(action + 2)[0] < 0.5F) {
            row.terminate();
        } else if (++lane.steps == horizon) {
            row.truncate();
        }
    }
};
