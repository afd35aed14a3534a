// SPDX-License-Identifier: Apache-2.0
#include "train/collect/actor.hpp"

#include <bit>
#include <cstring>
#include <numeric>

#include "experience/env/row_values.hpp"

namespace tenon {

Result<Actor> Actor::make(const BuiltProgram& built, std::uint64_t seed, Executor& executor, Learner& learner,
                          const Storage& storage, const Composite& specs, LaneShare share) {
    Actor actor(storage.lanes());
    actor.program_ = TENON_TRY(brought_in(executor.forward(built.spec(seed), learner), built.place));
    actor.place_ = built.place;
    actor.share_ = share;
    // Without a promise of the executor, each row is where it is in a call for all lanes.
    const std::uint32_t equal = executor.equal_rows();
    actor.rows_ = equal > 0 ? std::min(share.all, equal) : share.all;
    actor.from_ = equal > 0 ? 0 : share.first;
    actor.every_lane_.resize(storage.lanes());
    std::iota(actor.every_lane_.begin(), actor.every_lane_.end(), 0U);
    const auto is_kept = [&](const Port& port) {
        return storage.find(port.key) == nullptr &&
               std::ranges::find(built.remembered, port.key) != built.remembered.end();
    };
    for (const Port& port : built.outputs) {
        TENON_TRY(is_kept(port) ? actor.memories_.add(port) : Status());
    }
    const auto rows_of = [&](const Port& port, const void* memory) {
        const StorageColumn* const column = storage.find(port.key);
        return Rows{.key = port.key,
                    .bytes = row_bytes(port),
                    .view = column == nullptr ? View{} : column->view,
                    .memory = static_cast<std::byte*>(const_cast<void*>(memory))};
    };
    for (const Port& port : built.inputs) {
        actor.inputs_.push_back(rows_of(port, actor.memories_.now(port.key)));
        if (actor.inputs_.back().of_lane(storage, 0) == nullptr) {
            return input_problem("acting reads the column '" + port.key + "', which is known only after the step");
        }
    }
    for (const Port& port : built.outputs) {
        actor.outputs_.push_back(rows_of(port, actor.memories_.later(port.key)));
        const auto input = std::ranges::find(actor.inputs_, port.key, &Rows::key);
        if (is_kept(port) && input != actor.inputs_.end()) {
            actor.turns_.emplace_back(input - actor.inputs_.begin(), actor.outputs_.size() - 1);
        }
        actor.outputs_.back().is_later = storage.find(port.key) != nullptr &&
                                         std::ranges::find(built.remembered, port.key) != built.remembered.end();
    }
    actor.input_rows_.resize(actor.inputs_.size());
    actor.output_rows_.resize(actor.outputs_.size());
    actor.metrics_.resize(built.graph.metrics.size());
    actor.controls_.resize(built.graph.controls.size());
    actor.check_ = ActionCheck(specs, storage);
    return actor;
}

Result<Actor> Actor::make_on_device(const BuiltProgram& built, std::uint64_t seed, Executor& executor, Learner& learner,
                                    const DeviceRing& ring, LaneShare share) {
    Actor actor(0);
    actor.share_ = share;
    ProgramSpec spec = built.spec(seed);
    spec.residence = Residence::kDevice;
    actor.program_ = TENON_TRY(brought_in(executor.forward(spec, learner), built.place));
    actor.ring_ = &ring;
    actor.place_ = built.place;
    for (const Port& port : built.inputs) {
        actor.input_rows_.push_back(ring.present(port.key));
        if (actor.input_rows_.back() == nullptr) {
            return plugin_problem("acting reads the column '" + port.key + "', which is not on " + ring.device()->name);
        }
    }
    for (const Port& port : built.outputs) {
        actor.output_rows_.push_back(ring.present(port.key));
    }
    actor.metrics_.resize(built.graph.metrics.size());
    actor.controls_.resize(built.graph.controls.size());
    return actor;
}

Status Actor::act_on_device(std::uint32_t lanes, const RunNumbers& numbers, std::uint64_t counter) {
    return run(numbers, counter, lanes);
}

Status Actor::act(const Storage& storage, const RunNumbers& numbers, std::uint64_t counter, std::uint32_t lanes) {
    if (rows_ > lanes) {
        TENON_TRY(make_copies(storage, rows_));
        return act_by_copies(storage, numbers, counter, every_lane_, rows_);
    }
    const auto first = [&](const Rows& rows) { return rows.of_lane(storage, 0); };
    std::ranges::transform(inputs_, input_rows_.begin(), first);
    std::ranges::transform(outputs_, output_rows_.begin(), first);
    TENON_TRY(run(numbers, counter, lanes));
    advance_memories();
    const std::string wrong = fault(storage, lanes);
    return wrong.empty() ? Status() : plugin_problem("the acting policy has an error: " + wrong, place_);
}

// The number of rows is rounded up to a power of two, because each number has its own compiled form.
Status Actor::act(const Storage& storage, const RunNumbers& numbers, std::uint64_t counter,
                  std::span<const std::uint32_t> lanes) {
    TENON_TRY(make_copies(storage, storage.lanes()));
    const auto count = static_cast<std::uint32_t>(lanes.size());
    return act_by_copies(storage, numbers, counter, lanes, std::min(std::bit_ceil(count), storage.lanes()));
}

Status Actor::act_by_copies(const Storage& storage, const RunNumbers& numbers, std::uint64_t counter,
                            std::span<const std::uint32_t> lanes, std::uint32_t rows) {
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
        auto* to = static_cast<std::byte*>(inputs_[i].copies.data());
        input_rows_[i] = to;
        to += from_ * inputs_[i].bytes;
        for (const std::uint32_t lane : lanes) {
            std::memcpy(to, inputs_[i].of_lane(storage, lane), inputs_[i].bytes);
            to += inputs_[i].bytes;
        }
    }
    const auto is_read = [&](const Rows& each) { return each.of_lane(storage, 0) != nullptr; };
    std::ranges::transform(outputs_, output_rows_.begin(),
                           [&](const Rows& each) { return is_read(each) ? each.copies.data() : nullptr; });
    TENON_TRY(run(numbers, counter, rows));
    for (const Rows& each : outputs_) {
        const auto* from = static_cast<const std::byte*>(each.copies.data()) + from_ * each.bytes;
        for (std::size_t i = 0; i < lanes.size() && is_read(each); ++i) {
            std::memcpy(each.of_lane(storage, lanes[i]), from + i * each.bytes, each.bytes);
        }
    }
    memories_.advance(lanes);
    const std::string wrong = fault(storage, storage.lanes());
    return wrong.empty() ? Status() : plugin_problem("the acting policy has an error: " + wrong, place_);
}

void Actor::advance_memories() {
    memories_.advance();
    for (const auto& [input, output] : turns_) {
        std::swap(inputs_[input].memory, outputs_[output].memory);
    }
}

// Unused rows have the values of lane 0, which are valid.
Status Actor::make_copies(const Storage& storage, std::uint32_t rows) {
    for (std::vector<Rows>* const ports : {&inputs_, &outputs_}) {
        for (Rows& port : *ports) {
            if (port.copies.size() > 0) {
                continue;
            }
            port.copies = TENON_TRY(Slab::make(port.bytes * rows));
            for (std::uint32_t row = 0; row < rows && ports == &inputs_; ++row) {
                std::memcpy(port.copies.as<std::byte>() + row * port.bytes, port.of_lane(storage, 0), port.bytes);
            }
        }
    }
    return {};
}

Status Actor::run(const RunNumbers& numbers, std::uint64_t counter, std::uint32_t lanes) {
    const Call call{.sizes = {.rows = 0, .time = 0, .lanes = lanes},
                    .inputs = input_rows_,
                    .outputs = output_rows_,
                    .numbers = numbers,
                    .random = {.counter = counter, .first_row = share_.first - from_},
                    .results = {.metrics = metrics_, .controls = controls_},
                    .fault = ring_ == nullptr ? nullptr : &ring_->fault(DeviceRing::Source::kActing)->status,
                    .watch = watch_};
    computed_ = TENON_TRY(brought_in(program_->run(call), place_));
    return {};
}

std::string Actor::fault(const Storage& storage, std::uint32_t lanes) const {
    if (std::string of_action = check_.fault(storage, lanes); !of_action.empty()) {
        return of_action;
    }
    for (const Rows& rows : outputs_) {
        const std::uint32_t slot = rows.slot(storage);
        if (rows.view.data == nullptr || is_finite(rows.view, slot, 0, lanes)) {
            continue;
        }
        for (std::uint32_t lane = 0; lane < lanes; ++lane) {
            if (storage.parked()[lane] == 0 && !is_finite(rows.view, slot, lane, 1)) {
                return "its column '" + rows.key + "' is " + not_finite(rows.view, slot, lane) + " in lane " +
                       std::to_string(lane);
            }
        }
    }
    return "";
}

}  // namespace tenon
