// SPDX-License-Identifier: Apache-2.0
// Gathers a minibatch of given rows and runs the update program on it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "base/profile/profile.hpp"
#include "compute/exec/program.hpp"
#include "train/learn/gathered.hpp"
#include "train/plan/programs.hpp"

namespace tenon {

class Updater {
public:
    // Minibatches have at most `rows` rows, which come from these sources. The built program must outlive it.
    // prefetched: the same sources with transforms of their own, for prefetch; empty: prefetch is not called.
    static Result<Updater> make(const BuiltProgram& built, std::string_view reader, std::vector<StagePlan> stages,
                                std::uint64_t seed, std::uint32_t rows, Executor& executor, Learner& learner,
                                std::span<const RowSource> sources, std::span<const RowSource> prefetched = {});

    // The columns that the program reads, and the gathered memory of each. Valid until the next call.
    [[nodiscard]] std::span<const Port> ports() const { return gathered_.ports(); }
    Result<std::span<void* const>> gather(const ChosenRows& rows);
    // [any thread, while another one computes] Gathers rows into separate memory; take_prefetched makes it the columns.
    Status prefetch(const ChosenRows& rows) { return prefetched_->gather(rows); }
    void take_prefetched();
    // Makes room for larger minibatches, as Gathered::reserve.
    Status reserve(std::uint32_t rows);

    // Runs on these rows. Of the call, numbers, random, part and give_up are read.
    Status run(const ChosenRows& rows, Call call);
    // The same on the rows that have been gathered last, of which the call has the sizes.
    Status run_gathered(Call call);
    // The same on the call's inputs, one per port; all results are reported at once.
    Status compute(Call call);
    // The profile of the program (Computed::profile) on the call's inputs.
    Result<std::vector<Spent>> profile(Call call);

    // From now on results of run() may be reported by settle(), after the run or up to kMostLater runs later. Then
    // is_told() is false after a run, and `told` is called for each update when its results are those of the last run.
    void tell_later() { leeway_ = leeway_ == Leeway::kNone ? Leeway::kLater : leeway_; }
    [[nodiscard]] bool is_told() const { return !computed_->is_later(); }
    Status settle(const std::function<void()>& told);
    [[nodiscard]] std::size_t unsettled() const { return unsettled_ == nullptr ? 0 : unsettled_->unsettled(); }

    // From now on, the profile (null: none) gets the time of gathering and of the program.
    void measure(Profile* profile);

    // Of the last run.
    [[nodiscard]] std::string_view computed_by() const { return computed_->computed_by(); }
    [[nodiscard]] Enqueued enqueued() const { return computed_->enqueued(); }
    [[nodiscard]] std::span<const double> losses() const { return losses_; }
    [[nodiscard]] std::span<const double> metrics() const { return metrics_; }
    [[nodiscard]] std::span<const double> gradient_norms() const { return gradient_norms_; }
    [[nodiscard]] std::span<const double> priorities() const { return priorities_; }  // one per row; empty: not written
    // Whether the priorities are on a device, in the memory of the rows' sampler, instead of priorities().
    [[nodiscard]] bool prioritises_on_device() const { return prioritises_on_device_; }
    [[nodiscard]] bool stops_epochs() const { return stop_ < controls_.size() && controls_[stop_] != 0; }
    // Why it skipped its rows; its other results are then meaningless.
    [[nodiscard]] const std::optional<Problem>& left_out() const { return left_out_; }

private:
    explicit Updater(Gathered gathered) : gathered_(std::move(gathered)) {}
    void complete(Call& call);
    [[nodiscard]] Results results() {
        return {.losses = losses_, .metrics = metrics_, .gradient_norms = gradient_norms_, .controls = controls_};
    }

    std::unique_ptr<Program> program_;
    Computed* computed_ = nullptr;   // of the last run
    Computed* unsettled_ = nullptr;  // of the last run whose results are reported later
    Place place_;
    Gathered gathered_;
    std::optional<Gathered> prefetched_;  // of the next minibatch
    std::vector<const void*> inputs_;
    std::vector<void*> outputs_;
    bool prioritises_ = false;
    bool prioritises_on_device_ = false;
    std::vector<double> priority_memory_;
    std::span<const double> priorities_;
    std::vector<double> losses_;
    std::vector<double> metrics_;
    std::vector<double> gradient_norms_;
    std::vector<double> controls_;
    Leeway leeway_ = Leeway::kNone;
    std::optional<Problem> left_out_;
    Profile* profile_ = nullptr;
    std::size_t gathering_ = 0;  // a span of the profile
    std::size_t stop_ = 0;       // index of the control that ends a batch's epochs; past the end if there is none
};

}  // namespace tenon
