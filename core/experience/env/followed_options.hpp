// SPDX-License-Identifier: Apache-2.0
// Options of an env and its wrappers that schedules change during the run, by their "tenon.live/1".
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "experience/env/env_stack.hpp"
#include "experience/env/lanes.hpp"

namespace tenon {

class FollowedOptions {
public:
    // Options have the values `first` until follow gives the address of present ones, which must outlive this.
    Status begin(const EnvStack& env, const std::vector<LiveOption>& options, const std::vector<double>& first);
    void follow(std::span<const double> present) { present_ = present; }
    // Makes tell pass on all values again, because restored layers have other values.
    void forget();

    // Tells the layers the values that have changed since the last call.
    [[nodiscard]] Status tell(const EnvStack& env) { return options_.empty() ? Status() : tell_changed(env); }

private:
    struct Followed {
        LiveOption option;
        std::optional<double> given;  // the value that the layer got last
    };

    [[nodiscard]] Status tell_changed(const EnvStack& env);

    std::vector<Followed> options_;
    std::vector<double> first_;
    std::span<const double> present_;
};

}  // namespace tenon
