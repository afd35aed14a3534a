// SPDX-License-Identifier: Apache-2.0
// Options of wrappers that schedules change, by their "tenon.live/1".
#include <utility>

#include "experience/env/lanes_state.hpp"

namespace tenon {

Status Lanes::read_options(const std::vector<LiveOption>& options, const std::vector<double>& first) {
    for (const LiveOption& option : options) {
        const Callee<tn_env_api>& layer = state_->env.layers()[option.layer];
        if (layer.live == nullptr) {
            return layer.problem("its note says that options can change while a run goes on, and it has no interface " +
                                 std::string("'tenon.live/1' for that"));
        }
    }
    state_->options.clear();
    for (const LiveOption& option : options) {
        state_->options.push_back({option, std::nullopt});
    }
    state_->first_live = first;
    state_->live = state_->first_live;
    return {};
}

void Lanes::follow_values(std::span<const double> present) {
    state_->live = present;
}

Status Lanes::State::move_options() {
    for (auto& [option, given] : options) {
        const double now = live[option.value];
        if (given == now) {
            continue;
        }
        const Callee<tn_env_api>& layer = env.layers()[option.layer];
        if (Status status = layer.call("set", layer.live->set, option.option, now); !status) {
            return status;
        }
        given = now;
    }
    return {};
}

}  // namespace tenon
