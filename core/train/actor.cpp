// SPDX-License-Identifier: Apache-2.0
#include "train/actor.hpp"

#include <algorithm>
#include <utility>

namespace tenon {

Result<Actor> Actor::make(const BuiltProgram& built, std::uint64_t seed, Executor& executor, Learner& learner,
                          const Storage& storage, const Composite& specs) {
    Actor actor;
    Result<std::unique_ptr<Program>> program = executor.forward(built.spec(seed), learner);
    if (!program) {
        return brought_in(std::move(program).error(), built.place).error();
    }
    actor.program_ = std::move(*program);
    actor.place_ = built.place;
    for (const PortSpec& port : built.inputs) {
        const StorageColumn* column = storage.find(port.key);
        if (column == nullptr) {
            return input_problem("acting reads the column '" + port.key + "', which is known only after the step");
        }
        actor.inputs_.push_back(column->view);
    }
    for (const PortSpec& port : built.outputs) {
        const StorageColumn* column = storage.find(port.key);
        actor.outputs_.push_back(column == nullptr ? View{} : column->view);
        actor.is_later_.push_back(std::ranges::find(built.remembered, port.key) != built.remembered.end());
    }
    actor.input_rows_.resize(actor.inputs_.size());
    actor.output_rows_.resize(actor.outputs_.size());
    actor.metrics_.resize(built.graph.metrics.size());
    actor.controls_.resize(built.graph.controls.size());
    actor.check_ = ActionCheck(specs, storage);
    return actor;
}

Status Actor::act(const Storage& storage, const RunNumbers& numbers, std::uint64_t counter) {
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
        input_rows_[i] = row_at(inputs_[i], storage.head(), 0);
    }
    for (std::size_t i = 0; i < outputs_.size(); ++i) {
        const std::uint32_t slot = is_later_[i] ? storage.slot_after(storage.head()) : storage.head();
        output_rows_[i] = outputs_[i].data == nullptr ? nullptr : row_at(outputs_[i], slot, 0);
    }
    Call call = make_call({.rows = 0, .time = 0, .lanes = storage.lanes()}, input_rows_, numbers, counter);
    call.outputs = output_rows_;
    call.metrics = metrics_;
    call.controls = controls_;
    Status acted = brought_in(program_->run(call), place_);
    if (!acted) {
        return acted;
    }
    const std::string fault = check_.fault(storage);
    return fault.empty() ? Status() : plugin_problem("the acting policy is wrong: " + fault, place_);
}

}  // namespace tenon
