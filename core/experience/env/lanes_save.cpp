// SPDX-License-Identifier: Apache-2.0
// Saves the state of env, wrappers and transforms, in this order, for the lanes that are still running.
#include <algorithm>

#include "experience/env/lanes_state.hpp"
#include "experience/replay/saved_state.hpp"

namespace tenon {
std::vector<std::string> Lanes::without_state() const {
    std::vector<std::string> out;
    for (const Callee<tn_env_api>& layer : state_->env.layers()) {
        if (layer.state == nullptr) {
            out.push_back(layer.name);
        }
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
        return input_problem(name() + " was saved before it was bound to a storage");
    }
    StateSink sink(writer);
    sink.number<std::uint64_t>(state.env.layers().size() - 1);
    sink.number<std::uint64_t>(state.transforms.size());
    const std::vector<LaneRange> live = live_ranges(state.storage->parked());
    for (const Callee<tn_env_api>& layer : state.env.layers()) {
        if (Status status = save_state(layer, live, sink); !status) {
            return status;
        }
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
        return input_problem(name() + " was restored before it was bound to a storage");
    }
    StateSource source(reader);
    const auto agrees = [&](std::size_t here, const char* what) -> Status {
        const auto count = source.number<std::uint64_t>();
        if (source.failed() || count == here) {
            return source.failed() ? source.status(name()) : Status();
        }
        return input_problem("the saved env has " + std::to_string(count) + " " + what + ", but this run has " +
                             std::to_string(here));
    };
    if (Status status = agrees(state.env.layers().size() - 1, "wrappers"); !status) {
        return status;
    }
    if (Status status = agrees(state.transforms.size(), "transforms"); !status) {
        return status;
    }
    std::copy(state.storage->parked().begin(), state.storage->parked().end(), state.faults.status.begin());
    state.options.forget();
    const std::vector<LaneRange> live = live_ranges(state.storage->parked());
    for (const Callee<tn_env_api>& layer : state.env.layers()) {
        if (Status status = load_state(layer, live, source); !status) {
            return status;
        }
    }
    for (const Callee<tn_transform_api>& transform : state.transforms) {
        if (Status status = load_state(transform, live, source); !status) {
            return status;
        }
    }
    return {};
}

}  // namespace tenon
