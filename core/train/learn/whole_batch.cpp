// SPDX-License-Identifier: Apache-2.0
#include "train/learn/whole_batch.hpp"

#include <utility>

namespace tenon {

Result<WholeBatch> WholeBatch::make(const BuiltProgram& built, std::string_view reader, std::uint64_t seed,
                                    std::uint32_t most_steps, Executor& executor, Learner& learner,
                                    const Storage& storage) {
    WholeBatch out;
    std::vector<Want> wants;
    for (const Port& port : built.inputs) {
        wants.push_back({port.key, std::string(reader)});
    }
    Result<Rollout> rollout = Rollout::make(storage, wants, most_steps);
    if (!rollout) {
        return std::move(rollout).error();
    }
    out.rollout_.emplace(std::move(*rollout));
    ProgramSpec spec = built.spec(seed);
    spec.varying = built.varies ? Varying{.size = &Sizes::time, .most = most_steps} : Varying{};
    Result<std::unique_ptr<Program>> program = executor.forward(spec, learner);
    if (!program) {
        return brought_in(std::move(program).error(), built.place).error();
    }
    out.program_ = std::move(*program);
    out.place_ = built.place;
    out.sizes_ = {.rows = 0, .time = most_steps, .lanes = storage.lanes()};
    for (const Port& port : built.outputs) {
        const StorageColumn* column = storage.find(port.key);
        out.outputs_.push_back(column == nullptr ? nullptr : column->view.data);
    }
    out.inputs_.resize(built.inputs.size());
    out.metrics_.resize(built.graph.metrics.size());
    out.controls_.resize(built.graph.controls.size());
    return out;
}

Status WholeBatch::run(std::uint32_t steps, const RunNumbers& numbers, std::uint64_t counter, GiveUp* give_up) {
    sizes_.time = steps;
    rollout_->assemble(0, steps);
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
        inputs_[i] = rollout_->views()[i].data;
    }
    Call call = make_call(sizes_, inputs_, numbers, counter);
    call.outputs = outputs_;
    call.metrics = metrics_;
    call.controls = controls_;
    call.give_up = give_up;
    return brought_in(program_->run(call), place_);
}

}  // namespace tenon
