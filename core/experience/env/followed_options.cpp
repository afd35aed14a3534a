// SPDX-License-Identifier: Apache-2.0
#include "experience/env/followed_options.hpp"

namespace tenon {

Status FollowedOptions::begin(const EnvStack& env, const std::vector<LiveOption>& options,
                              const std::vector<double>& first) {
    for (const LiveOption& option : options) {
        const Callee<tn_env_api>& layer = env.layers()[option.layer];
        if (layer.live == nullptr) {
            return layer.problem(
                "its note says that options can change while a run goes on, and it has no interface 'tenon.live/1' for "
                "that");
        }
    }
    options_.clear();
    for (const LiveOption& option : options) {
        options_.push_back({option, std::nullopt});
    }
    first_ = first;
    present_ = first_;
    return {};
}

void FollowedOptions::forget() {
    for (Followed& option : options_) {
        option.given.reset();
    }
}

Status FollowedOptions::tell_changed(const EnvStack& env) {
    for (auto& [option, given] : options_) {
        const double now = present_[option.value];
        if (given == now) {
            continue;
        }
        const Callee<tn_env_api>& layer = env.layers()[option.layer];
        TENON_TRY(layer.call("set", layer.live->set, option.option, now));
        given = now;
    }
    return {};
}

}  // namespace tenon
