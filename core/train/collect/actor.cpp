// SPDX-License-Identifier: Apache-2.0
#include "train/collect/actor.hpp"

#include <algorithm>
#include <utility>

#include "experience/env/row_values.hpp"

namespace tenon {

Result<Actor> Actor::make(const BuiltProgram& built, std::uint64_t seed, Executor& executor, Learner& learner,
                          const Storage& storage, const Composite& specs) {
    Actor actor(storage.lanes());
    Result<std::unique_ptr<Program>> program = executor.forward(built.spec(seed), learner);
    if (!program) {
        return brought_in(std::move(program).error(), built.place).error();
    }
    actor.program_ = std::move(*program);
    actor.place_ = built.place;
    const auto is_kept = [&](const Port& port) {
        return storage.find(port.key) == nullptr &&
               std::ranges::find(built.remembered, port.key) != built.remembered.end();
    };
    for (const Port& port : built.outputs) {
        if (Status added = is_kept(port) ? actor.memories_.add(port) : Status(); !added) {
            return std::move(added).error();
        }
    }
    for (const Port& port : built.inputs) {
        const StorageColumn* column = storage.find(port.key);
        actor.input_rows_.push_back(actor.memories_.now(port.key));
        if (column == nullptr && actor.input_rows_.back() == nullptr) {
            return input_problem("acting reads the column '" + port.key + "', which is known only after the step");
        }
        actor.inputs_.push_back(column == nullptr ? View{} : column->view);
    }
    for (const Port& port : built.outputs) {
        const StorageColumn* column = storage.find(port.key);
        actor.keys_.push_back(port.key);
        actor.outputs_.push_back(column == nullptr ? View{} : column->view);
        actor.output_rows_.push_back(actor.memories_.later(port.key));
        actor.is_later_.push_back(column != nullptr &&
                                  std::ranges::find(built.remembered, port.key) != built.remembered.end());
    }
    actor.metrics_.resize(built.graph.metrics.size());
    actor.controls_.resize(built.graph.controls.size());
    actor.check_ = ActionCheck(specs, storage);
    return actor;
}

Result<Actor> Actor::make_there(const BuiltProgram& built, std::uint64_t seed, Executor& executor, Learner& learner,
                                const DeviceRing& ring) {
    Actor actor(0);
    ProgramSpec spec = built.spec(seed);
    spec.there = true;
    Result<std::unique_ptr<Program>> program = executor.forward(spec, learner);
    if (!program) {
        return brought_in(std::move(program).error(), built.place).error();
    }
    actor.program_ = std::move(*program);
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

Status Actor::act_there(std::uint32_t lanes, const RunNumbers& numbers, std::uint64_t counter) {
    Call call = make_call({.rows = 0, .time = 0, .lanes = lanes}, input_rows_, numbers, counter);
    call.outputs = output_rows_;
    call.metrics = metrics_;
    call.controls = controls_;
    call.fault = &ring_->fault(DeviceRing::Source::kActing)->status;
    return brought_in(program_->run(call), place_);
}

Status Actor::act(const Storage& storage, const RunNumbers& numbers, std::uint64_t counter, std::uint32_t lanes) {
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
        if (inputs_[i].data != nullptr) {
            input_rows_[i] = row_at(inputs_[i], storage.head(), 0);
        }
    }
    for (std::size_t i = 0; i < outputs_.size(); ++i) {
        if (outputs_[i].data != nullptr) {
            const std::uint32_t slot = is_later_[i] ? storage.slot_after(storage.head()) : storage.head();
            output_rows_[i] = row_at(outputs_[i], slot, 0);
        }
    }
    Call call = make_call({.rows = 0, .time = 0, .lanes = lanes}, input_rows_, numbers, counter);
    call.outputs = output_rows_;
    call.metrics = metrics_;
    call.controls = controls_;
    Status acted = brought_in(program_->run(call), place_);
    if (!acted) {
        return acted;
    }
    memories_.advance();
    const std::string wrong = fault(storage, lanes);
    return wrong.empty() ? Status() : plugin_problem("the acting policy has an error: " + wrong, place_);
}

std::string Actor::fault(const Storage& storage, std::uint32_t lanes) const {
    if (std::string of_action = check_.fault(storage, lanes); !of_action.empty()) {
        return of_action;
    }
    for (std::size_t i = 0; i < outputs_.size(); ++i) {
        const std::uint32_t slot = is_later_[i] ? storage.slot_after(storage.head()) : storage.head();
        if (outputs_[i].data == nullptr || is_finite(outputs_[i], slot, 0, lanes)) {
            continue;
        }
        for (std::uint32_t lane = 0; lane < lanes; ++lane) {
            if (storage.parked()[lane] == 0 && !is_finite(outputs_[i], slot, lane, 1)) {
                return "its column '" + keys_[i] + "' is " + not_finite(outputs_[i], slot, lane) + " in lane " +
                       std::to_string(lane);
            }
        }
    }
    return "";
}

}  // namespace tenon
