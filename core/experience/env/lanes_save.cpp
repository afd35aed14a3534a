// SPDX-License-Identifier: Apache-2.0
// Saves the state of env, wrappers and transforms, in this order, for the lanes that are still running.
#include <algorithm>

#include "experience/env/lanes_state.hpp"
#include "experience/replay/saved_state.hpp"

namespace tenon {
namespace {

// The ranges of lanes that still run: of all lanes, or of this one.
std::vector<LaneRange> ranges_of(const Storage& storage, std::optional<std::uint32_t> lane) {
    if (!lane) {
        return live_ranges(storage.parked());
    }
    return storage.parked()[*lane] != 0 ? std::vector<LaneRange>()
                                        : std::vector<LaneRange>{{.first = *lane, .count = 1}};
}

}  // namespace

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

Status Lanes::save(const tn_writer& writer, std::optional<std::uint32_t> lane) const {
    const State& state = *state_;
    if (state.storage == nullptr) {
        return input_problem(name() + " was saved before it was bound to a storage");
    }
    StateSink sink(writer);
    sink.number<std::uint64_t>(state.env.layers().size() - 1);
    sink.number<std::uint64_t>(state.transforms.size());
    const std::vector<LaneRange> live = ranges_of(*state.storage, lane);
    for (const Callee<tn_env_api>& layer : state.env.layers()) {
        TENON_TRY(save_state(layer, live, sink));
    }
    for (const Callee<tn_transform_api>& transform : state.transforms) {
        TENON_TRY(save_state(transform, live, sink));
    }
    return sink.status("the env");
}

Status Lanes::load(const tn_reader& reader, std::optional<std::uint32_t> lane) {
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
    TENON_TRY(agrees(state.env.layers().size() - 1, "wrappers"));
    TENON_TRY(agrees(state.transforms.size(), "transforms"));
    std::copy(state.storage->parked().begin(), state.storage->parked().end(), state.faults.status.begin());
    state.options.forget();
    const std::vector<LaneRange> live = ranges_of(*state.storage, lane);
    for (const Callee<tn_env_api>& layer : state.env.layers()) {
        TENON_TRY(load_state(layer, live, source));
    }
    for (const Callee<tn_transform_api>& transform : state.transforms) {
        TENON_TRY(load_state(transform, live, source));
    }
    return {};
}

}  // namespace tenon
