// SPDX-License-Identifier: Apache-2.0
// Saved state of env and transforms: per component its name and the bytes that it wrote for each run of live lanes,
// with their number, so that one that reads too little or too much is found out.
#include <algorithm>

#include "data/state_bytes.hpp"
#include "data/state_stream.hpp"
#include "env/lanes_state.hpp"

namespace tenon {
namespace {

template <class Api>
Status save_component(const Callee<Api>& component, const Storage& storage, StateSink& sink) {
    sink.text(component.name);
    sink.number<std::uint8_t>(component.state != nullptr ? 1 : 0);
    if (component.state == nullptr) {
        return {};
    }
    return each_live_run(
        storage.parked().data(), 0, storage.lanes(), [&](std::uint32_t first, std::uint32_t n) -> Status {
            StateBytes bytes;
            const tn_writer writer = bytes.writer();
            if (Status status = component.call("save", component.state->save, first, n, &writer); !status) {
                return status;
            }
            sink.number<std::uint64_t>(bytes.data.size());
            sink.bytes(bytes.data.data(), bytes.data.size());
            return {};
        });
}

template <class Api>
Status load_component(const Callee<Api>& component, const Storage& storage, StateSource& source) {
    const std::string name = source.text();
    const bool had_state = source.number<std::uint8_t>() != 0;
    if (source.failed()) {
        return source.status(component.name);
    }
    if (name != component.name || had_state != (component.state != nullptr)) {
        return input_problem("the saved state is of " + name + (had_state ? "" : " (which saves none)") + " where " +
                             component.name + (component.state != nullptr ? "" : " (which saves none)") +
                             " stands in this run");
    }
    if (component.state == nullptr) {
        return {};
    }
    return each_live_run(
        storage.parked().data(), 0, storage.lanes(), [&](std::uint32_t first, std::uint32_t n) -> Status {
            StateBytes bytes;
            if (!source.blob(bytes.data)) {
                return source.status(component.name);
            }
            const tn_reader reader = bytes.reader();
            if (Status status = component.call("load", component.state->load, first, n, &reader); !status) {
                return status;
            }
            if (bytes.at != bytes.data.size()) {
                return component.problem("it read " + std::to_string(bytes.at) + " of the " +
                                         std::to_string(bytes.data.size()) + " bytes that it had saved");
            }
            return {};
        });
}

}  // namespace

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
    if (Status status = save_component(state.env, *state.storage, sink); !status) {
        return status;
    }
    for (const Callee<tn_transform_api>& transform : state.transforms) {
        if (Status status = save_component(transform, *state.storage, sink); !status) {
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
        return source.failed() ? source.status(state.env.name)
                               : input_problem("the saved env has " + std::to_string(count) +
                                               " transforms, this run has " + std::to_string(state.transforms.size()));
    }
    std::copy(state.storage->parked().begin(), state.storage->parked().end(), state.lane_status.begin());
    if (Status status = load_component(state.env, *state.storage, source); !status) {
        return status;
    }
    for (const Callee<tn_transform_api>& transform : state.transforms) {
        if (Status status = load_component(transform, *state.storage, source); !status) {
            return status;
        }
    }
    return {};
}

}  // namespace tenon
