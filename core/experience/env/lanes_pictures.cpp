// SPDX-License-Identifier: Apache-2.0
// Pictures of an env's lanes, by the env's own "tenon.render/1".
#include <cmath>
#include <utility>

#include "experience/env/lanes_state.hpp"

namespace tenon {

Result<Lanes::Pictures> Lanes::pictures() const {
    constexpr std::uint32_t kLargest = 8192;
    const Callee<tn_env_api>& env = state_->env.drawn();
    if (env.render == nullptr) {
        return input_problem(
            env.name + " draws no pictures" + (env.lost != nullptr ? ": it runs in a separate process" : ""), env.place,
            env.lost != nullptr ? "set isolation = \"inproc\" to see it"
                                : "a native env draws by its functions picture and draw (docs/write-a-plugin/env.md)");
    }
    tn_picture_info info{};
    info.struct_size = sizeof info;
    TENON_TRY(env.call("describe", env.render->describe, &info));
    if (info.height == 0 || info.height > kLargest || info.width == 0 || info.width > kLargest ||
        !std::isfinite(info.steps_per_second) || info.steps_per_second < 0) {
        return env.problem("says that its pictures have " + std::to_string(info.height) + " times " +
                           std::to_string(info.width) + " pixels and that its world has " +
                           std::to_string(info.steps_per_second) + " steps a second");
    }
    return Pictures{info.height, info.width, info.steps_per_second};
}

Status Lanes::draw(std::uint32_t lane, std::span<std::uint8_t> pixels) const {
    const Callee<tn_env_api>& env = state_->env.drawn();
    return env.call("draw", env.render->draw, lane, pixels.data());
}

void Lanes::watch_ends(std::function<Status(std::uint32_t lane)> seen) {
    state_->step_flags = seen ? TN_STEP_LEAVE_ENDS : 0;
    state_->seen_end = std::move(seen);
}

}  // namespace tenon
