// SPDX-License-Identifier: Apache-2.0
// Saves the state of env and transforms, in this order, for the lanes that are still running.
#include <algorithm>

#include "env/lanes_state.hpp"
#include "replay/saved_state.hpp"

namespace tenon {
std::vector<std::string> Lanes::without_state() const {
    std::vector<std::string> out;
    if (state_->env.state == nullptr) {
        out.push_back(state_->env.name);
    }
    for (const Callee<tn_transform_api>& transform : state_->transforms) {
        if (transform.state == nullptr) {
            out.push_back(transform.name);
        }
    }
    return out;
}

Status Lanes::save(const tn_writer& writer) const {
    const State& state = *state_;
    if (state.storage == nullptr) {
        return input_problem(state.env.name + " was saved before it was bound to a storage");
    }
    StateSink sink(writer);
    sink.number<std::uint64_t>(state.transforms.size());
    const std::vector<LaneRange> live = live_ranges(state.storage->parked());
    if (Status status = save_state(state.env, live, sink); !status) {
        return status;
    }
    for (const Callee<tn_transform_api>& transform : state.transforms) {
        if (Status status = save_state(transform, live, sink); !status) {
            return status;
        }
    }
    return sink.status("the env");
}

Status Lanes::load(const tn_reader& reader) {
    State& state = *state_;
    if (state.storage == nullptr) {
        return input_problem(state.env.name + " was restored before it was bound to a storage");
    }
    StateSource source(reader);
    const auto count = source.number<std::uint64_t>();
    if (source.failed() || count != state.transforms.size()) {
        return source.failed()
                   ? source.status(state.env.name)
                   : input_problem("the saved env has " + std::to_string(count) + " transforms, but this run has " +
                                   std::to_string(state.transforms.size()));
    }
    std::copy(state.storage->parked().begin(), state.storage->parked().end(), state.lane_status.begin());
    const std::vector<LaneRange> live = live_ranges(state.storage->parked());
    if (Status status = load_state(state.env, live, source); !status) {
        return status;
    }
    for (const Callee<tn_transform_api>& transform : state.transforms) {
        if (Status status = load_state(transform, live, source); !status) {
            return status;
        }
    }
    return {};
}

}  // namespace tenon
