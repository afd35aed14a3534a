// SPDX-License-Identifier: Apache-2.0
#include "train/learn/updater.hpp"

#include <algorithm>

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
    spec.residence = !out.gathered_.is_on_device()           ? Residence::kHost
                     : sources.front().prioritises_on_device ? Residence::kDevice
                                                             : Residence::kInputsOnDevice;
    spec.varying = built.varies ? Varying{.size = &Sizes::rows, .most = rows} : Varying{};
    out.program_ = TENON_TRY(brought_in(executor.update(spec, std::move(stages), learner), built.place));
    out.place_ = built.place;
    out.leeway_ = built.leaves_out ? Leeway::kLeaveOut : Leeway::kNone;
    out.outputs_.resize(built.outputs.size());
    out.prioritises_ = !built.outputs.empty();  // the only output of an update is the priority
    out.prioritises_on_device_ = out.prioritises_ && spec.writes_on_device();
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

Status Updater::run(const ChosenRows& rows, Call call) {
    TENON_TRY(gather(rows));
    call.sizes = rows.sizes;
    return run_gathered(call);
}

void Updater::take_prefetched() {
    std::swap(gathered_, *prefetched_);
    std::ranges::copy(gathered_.columns(), inputs_.begin());
}

Status Updater::run_gathered(Call call) {
    call.inputs = inputs_;
    call.leeway = leeway_;
    return compute(call);
}

void Updater::complete(Call& call) {
    if (prioritises_ && !prioritises_on_device_) {
        priority_memory_.resize(std::max(priority_memory_.size(), row_count(call.sizes)));
        outputs_.front() = priority_memory_.data();
    }
    call.outputs = outputs_;
    call.results = results();
    call.profile = profile_;
}

Result<std::vector<Spent>> Updater::profile(Call call) {
    complete(call);
    computed_ = TENON_TRY(program_->run(call));
    return computed_->profile(call);
}

Status Updater::compute(Call call) {
    complete(call);
    computed_ = TENON_TRY(brought_in(program_->run(call), place_));
    unsettled_ = computed_->is_later() ? computed_ : unsettled_;
    const Problem* const why = computed_->left_out();
    left_out_ = why != nullptr ? std::optional(brought_in(*why, place_)) : std::nullopt;
    if (prioritises_ && !prioritises_on_device_) {
        priorities_ = std::span(priority_memory_).first(row_count(call.sizes));
    }
    return {};
}

Status Updater::settle(const std::function<void()>& told) {
    return unsettled_ == nullptr ? Status() : brought_in(unsettled_->settle(results(), told), place_);
}

}  // namespace tenon
