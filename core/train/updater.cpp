// SPDX-License-Identifier: Apache-2.0
#include "train/updater.hpp"

#include <utility>

#include "random/key.hpp"

namespace tenon {

Result<Updater> Updater::make(const BuiltProgram& built, std::string_view reader, std::vector<StagePlan> stages,
                              std::uint64_t seed, std::uint32_t rows, Executor& executor, Learner& learner,
                              Sampler& sampler, const Storage& storage) {
    Updater out;
    std::vector<Want> wants;
    for (const PortSpec& port : built.inputs) {
        wants.push_back({port.key, std::string(reader)});
    }
    Result<GatherPlan> plan = GatherPlan::make(storage, sampler.plan(), wants);
    if (!plan) {
        return std::move(plan).error();
    }
    out.plan_.emplace(std::move(*plan));
    for (const BatchPort& port : out.plan_->ports()) {
        Result<Slab> memory = Slab::make(port.row_bytes * rows);
        if (!memory) {
            return std::move(memory).error();
        }
        out.memory_.push_back(std::move(*memory));
        out.columns_.push_back(out.memory_.back().data());
        out.inputs_.push_back(out.memory_.back().data());
    }
    const std::size_t stage_count = stages.size();
    Result<std::unique_ptr<Program>> program = executor.update(built.spec(seed), std::move(stages), learner);
    if (!program) {
        return brought_in(std::move(program).error(), built.place).error();
    }
    out.program_ = std::move(*program);
    out.place_ = built.place;
    out.sampler_ = &sampler;
    out.key_ = make_key(seed, "buffer/sample");
    out.rows_ = rows;
    out.outputs_.resize(built.outputs.size());
    out.losses_.resize(built.graph.losses.size());
    out.metrics_.resize(built.graph.metrics.size());
    out.gradient_norms_.resize(stage_count);
    out.controls_.resize(built.graph.controls.size());
    return out;
}

Status Updater::update(const Storage& storage, const RunNumbers& numbers, std::uint64_t counter) {
    if (Status chosen = sampler_->sample(storage, rows_, key_, counter); !chosen) {
        return chosen;
    }
    plan_->gather(sampler_->sampled(), 0, rows_, columns_.data());
    return brought_in(program_->run(Call{.sizes = {.rows = rows_, .time = 0, .lanes = 0},
                                         .inputs = inputs_,
                                         .outputs = outputs_,
                                         .live = numbers.live,
                                         .frames = numbers.frames,
                                         .updates = numbers.updates,
                                         .progress = numbers.progress,
                                         .counter = counter,
                                         .first_row = 0,
                                         .losses = losses_,
                                         .metrics = metrics_,
                                         .gradient_norms = gradient_norms_,
                                         .controls = controls_}),
                      place_);
}

}  // namespace tenon
