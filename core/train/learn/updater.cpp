// SPDX-License-Identifier: Apache-2.0
#include "train/learn/updater.hpp"

#include <algorithm>
#include <utility>

#include "compute/exec/rows.hpp"

namespace tenon {

Result<Updater> Updater::make(const BuiltProgram& built, std::string_view reader, std::vector<StagePlan> stages,
                              std::uint64_t seed, std::uint32_t rows, Executor& executor, Learner& learner,
                              std::span<const RowSource> sources, std::span<const RowSource> prefetched) {
    Gathered gathered = TENON_TRY(Gathered::make(built.inputs, reader, rows, sources));
    Updater out(std::move(gathered));
    if (!prefetched.empty()) {
        out.prefetched_.emplace(TENON_TRY(Gathered::make(built.inputs, reader, rows, prefetched)));
    }
    out.inputs_.assign(out.gathered_.columns().begin(), out.gathered_.columns().end());
    const std::size_t stage_count = stages.size();
    ProgramSpec spec = built.spec(seed);
    spec.on_device = out.gathered_.is_on_device();
    spec.writes_on_device = spec.on_device && sources.front().prioritises_on_device;
    spec.varying = built.varies ? Varying{.size = &Sizes::rows, .most = rows} : Varying{};
    Result<std::unique_ptr<Program>> program = executor.update(spec, std::move(stages), learner);
    if (!program) {
        return brought_in(std::move(program).error(), built.place).error();
    }
    out.program_ = std::move(*program);
    out.place_ = built.place;
    out.leaves_out_ = built.leaves_out;
    out.outputs_.resize(built.outputs.size());
    out.prioritises_ = !built.outputs.empty();  // the only output of an update is the priority
    out.prioritises_on_device_ = out.prioritises_ && spec.writes_on_device;
    out.priority_memory_.resize(out.prioritises_ && !out.prioritises_on_device_ ? rows : 0);
    out.losses_.resize(built.graph.losses.size());
    out.metrics_.resize(built.graph.metrics.size());
    out.gradient_norms_.resize(stage_count);
    const auto& controls = built.graph.controls;
    out.controls_.resize(controls.size());
    out.stop_ =
        static_cast<std::size_t>(std::ranges::find(controls, kStopEpochs, &graph::Named::name) - controls.begin());
    return out;
}

Status Updater::reserve(std::uint32_t rows) {
    Status room = gathered_.reserve(rows);
    inputs_.assign(gathered_.columns().begin(), gathered_.columns().end());
    return room;
}

Result<std::span<void* const>> Updater::gather(const ChosenRows& rows) {
    const Timed timed(profile_, gathering_);
    TENON_TRY(gathered_.gather(rows));
    if (prioritises_on_device_) {
        outputs_.front() = rows.parts.front().on_device->priorities;
    }
    return gathered_.columns();
}

void Updater::measure(Profile* profile) {
    profile_ = profile;
    gathering_ = profile != nullptr ? profile->span(Work::kGathering) : 0;
}

Status Updater::run(const ChosenRows& rows, const RunNumbers& numbers, std::uint64_t counter, StepPart part,
                    GiveUp* give_up) {
    TENON_TRY(gather(rows));
    return run_gathered(rows.sizes, numbers, counter, part, give_up);
}

void Updater::take_prefetched() {
    std::swap(gathered_, *prefetched_);
    std::ranges::copy(gathered_.columns(), inputs_.begin());
}

Status Updater::run_gathered(const Sizes& sizes, const RunNumbers& numbers, std::uint64_t counter, StepPart part,
                             GiveUp* give_up) {
    left_out_.reset();
    Status done = compute(inputs_, sizes, numbers, counter, part, leaves_out_ ? &left_out_ : nullptr, give_up);
    if (left_out_) {
        left_out_ = brought_in(std::move(*left_out_), place_).error();
    }
    return done;
}

Call Updater::call_of(std::span<const void* const> inputs, const Sizes& sizes, const RunNumbers& numbers,
                      std::uint64_t counter, StepPart part) {
    if (prioritises_ && !prioritises_on_device_) {
        priority_memory_.resize(std::max(priority_memory_.size(), row_count(sizes)));
        outputs_.front() = priority_memory_.data();
    }
    Call call = make_call(sizes, inputs, numbers, counter);
    call.outputs = outputs_;
    call.part = part;
    call.losses = losses_;
    call.metrics = metrics_;
    call.gradient_norms = gradient_norms_;
    call.controls = controls_;
    call.profile = profile_;
    return call;
}

Result<std::vector<Spent>> Updater::profile(std::span<const void* const> inputs, const Sizes& sizes,
                                            const RunNumbers& numbers, StepPart part) {
    return program_->profile(call_of(inputs, sizes, numbers, 0, part));
}

Status Updater::compute(std::span<const void* const> inputs, const Sizes& sizes, const RunNumbers& numbers,
                        std::uint64_t counter, StepPart part, std::optional<Problem>* not_finite, GiveUp* give_up) {
    Call call = call_of(inputs, sizes, numbers, counter, part);
    call.not_finite = not_finite;
    call.give_up = give_up;
    later_ = false;
    call.later = may_tell_later_ ? &later_ : nullptr;
    Status done = program_->run(call);
    if (done && prioritises_ && !prioritises_on_device_) {
        priorities_ = std::span(priority_memory_).first(row_count(sizes));
    }
    return brought_in(std::move(done), place_);
}

Status Updater::settle(const std::function<void()>& told) {
    Call call{};
    call.losses = losses_;
    call.metrics = metrics_;
    call.gradient_norms = gradient_norms_;
    return brought_in(program_->settle(call, told), place_);
}

}  // namespace tenon
