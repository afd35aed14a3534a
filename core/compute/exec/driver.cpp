// SPDX-License-Identifier: Apache-2.0
#include "compute/exec/driver.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "base/simd/finite.hpp"
#include "compute/exec/exchange.hpp"
#include "compute/exec/loss_totals.hpp"
#include "compute/exec/over_shards.hpp"
#include "compute/exec/stage_step.hpp"
#include "compute/graph/text.hpp"
#include "compute/parameters/device_copies.hpp"

namespace tenon {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

bool is_given(std::ptrdiff_t port, const Call& call) {
    return port >= 0 && call.inputs[static_cast<std::size_t>(port)] != nullptr;
}

bool is_finite(const Network& network, const Parameter& parameter, DType real) {
    return real == DType::kF64 ? simd::all_finite(network.gradient.as<double>() + parameter.offset, parameter.size)
                               : simd::all_finite(network.gradient.as<float>() + parameter.offset, parameter.size);
}

class Driver final : public Program, public Computed {
public:
    Driver(const ProgramSpec& spec, std::vector<StagePlan> stages, Learner& learner, std::unique_ptr<Phased> phased,
           PrintLine print, Pool* pool)
        : spec_(spec),
          graph_(*spec.graph),
          stages_(std::move(stages)),
          learner_(learner),
          phased_(std::move(phased)),
          print_(print),
          pool_(pool),
          ports_(stages_.empty() ? RowPorts{} : row_ports(spec_.inputs)),
          steps_(stage_steps(stages_, learner)) {
        spec_.graph = &graph_;
    }

    // Plans the variant in which every stage is due, which finds all possible problems.
    Status prepare() {
        const PhasePlan* const plan = TENON_TRY(plan_for(widest_variant(spec_, stages_)));
        return check_skip(*plan);
    }

    Result<Computed*> run(const Call& call) override {
        PhasePlan* const found = TENON_TRY(plan_for(variant_of(call)));
        if (call.profile != nullptr && found->spans.empty()) {
            name_spans(*found, *call.profile, call.exchange != nullptr);
        }
        const PhasePlan& plan = *found;
        const auto span_of = [&](std::size_t i) { return call.profile != nullptr ? plan.spans[i] : 0; };
        // a stage that is not due has no loss
        std::ranges::fill(call.results.losses, kNone);
        std::ranges::fill(call.results.gradient_norms, kNone);
        TENON_TRY(take_newest(plan));
        later_ = may_be_later(call);
        left_out_.reset();
        TENON_TRY(phased_->begin(plan, call, later_));
        skipped_ = false;
        std::size_t effect = 0;
        std::size_t place = 0;
        for (std::uint32_t phase = 0; phase < plan.phases.count; ++phase) {
            std::optional<Timed> timed(std::in_place, call.profile, span_of(phase));
            TENON_TRY(phased_->compute(phase, call));
            if (call.give_up != nullptr && call.give_up->given_up) {
                return this;
            }
            shared_.clear();
            for (; !later_ && effect < plan.effects.size() && plan.effects[effect].phase == phase; ++effect) {
                TENON_TRY(leave(plan, effect, call));
            }
            const std::size_t first = place;
            for (; place < plan.sequence.size() && plan.sequence[place].phase == phase; ++place) {
                TENON_TRY(differentiate(plan, place, call));
            }
            timed.reset();
            if (exchanges(call)) {
                TENON_TRY(step_together(plan, first, place, call));
                continue;
            }
            TENON_TRY(share(call));
            for (std::size_t i = first; i < place; ++i) {
                const Timed stepping(call.profile, span_of(plan.phases.count + i));
                TENON_TRY(step(plan, i, call));
            }
        }
        if (later_) {
            unsettled_.push_back({.plan = &plan, .stepped = call.part.last});
            TENON_TRY(phased_->keep_results());
        }
        if (!skipped_ && !call.part.is_dry()) {
            phased_->commit_states();
        }
        if (phased_->slabs() == nullptr && !call.part.is_dry() && (!stages_.empty() || plan.writes_state)) {
            changed_on_host(learner_);
        }
        return this;
    }

    Status settle(const Results& results, const std::function<void()>& told) override {
        const Call call{.outputs = results.outputs, .results = results};
        const std::vector<Unsettled> updates = std::exchange(unsettled_, {});
        if (updates.empty()) {
            return {};
        }
        TENON_TRY(phased_->fetch_results());
        for (std::size_t i = 0; i < updates.size(); ++i) {
            TENON_TRY(tell(updates[i], i, call));
            told();
        }
        return {};
    }

    [[nodiscard]] std::size_t unsettled() const override { return unsettled_.size(); }
    [[nodiscard]] bool is_later() const override { return later_; }
    [[nodiscard]] const Problem* left_out() const override { return left_out_ ? &*left_out_ : nullptr; }
    [[nodiscard]] std::string_view computed_by() const override { return phased_->computed_by(); }
    [[nodiscard]] Enqueued enqueued() const override { return phased_->enqueued(); }

    Result<std::vector<Spent>> profile(const Call& call) override {
        Call dry = call;
        dry.part.mode = call.part.has_gradients() ? StepMode::kDryGradients : StepMode::kDryTerms;
        TENON_TRY(run(dry));
        return phased_->profile(dry);
    }

private:
    // An update whose results are reported later.
    struct Unsettled {
        const PhasePlan* plan;
        bool stepped;
    };

    // What the host must know during an update is reported at once.
    [[nodiscard]] bool may_be_later(const Call& call) const {
        return call.leeway == Leeway::kLater && phased_->keeps_results() && !call.part.is_dry() &&
               (call.exchange == nullptr || sums_on_device(call)) && call.results.gradients.empty() && writes_later() &&
               graph_.prints.empty() && graph_.controls.empty();
    }

    // Rows of values over shards are written when results are reported, unless the program reads the values.
    [[nodiscard]] bool writes_later() const {
        const auto is_shared = [](const Port& port) { return is_over_shards(port.key); };
        return std::ranges::none_of(spec_.inputs, is_shared) &&
               (spec_.writes_on_device() || std::ranges::all_of(spec_.outputs, is_shared));
    }

    Status tell(const Unsettled& update, std::size_t number, const Call& call) {
        const PhasePlan& plan = *update.plan;
        std::vector<double> norms(stages_.size(), kNone);
        TENON_TRY(phased_->recall(number, norms));
        std::ranges::fill(call.results.losses, kNone);
        std::ranges::fill(call.results.gradient_norms, kNone);
        for (std::size_t effect = 0; effect < plan.effects.size(); ++effect) {
            TENON_TRY(leave(plan, effect, call));
        }
        for (const StageRun& run : plan.sequence) {
            TENON_TRY(read_losses(run, call));
            if (update.stepped && !call.results.gradient_norms.empty()) {
                call.results.gradient_norms[run.stage] = norms[run.stage];
            }
            if (update.stepped && !std::isfinite(norms[run.stage])) {
                return norm_problem(run);
            }
        }
        return {};
    }

    [[nodiscard]] Variant variant_of(const Call& call) const {
        return {.due = due_stages(stages_, call.numbers.updates),
                .gradients = stages_.empty() || call.part.has_gradients(),
                .mask = is_given(ports_.mask, call),
                .weight = is_given(ports_.weight, call)};
    }

    // Phases are named by the stages that they compute losses of.
    void name_spans(PhasePlan& plan, Profile& profile, bool exchanges) const {
        for (std::uint32_t phase = 0; phase < plan.phases.count; ++phase) {
            std::string stages;
            for (const StageRun& run : plan.sequence) {
                stages += run.phase == phase ? (stages.empty() ? "" : " + ") + graph_.stages[run.stage].name : "";
            }
            plan.spans.push_back(profile.span(Work::kUpdating, stages.empty() ? "" : "updating " + stages));
        }
        for (const StageRun& run : plan.sequence) {
            plan.spans.push_back(profile.span(Work::kStepping, "stepping " + graph_.stages[run.stage].name));
        }
        if (exchanges) {
            plan.spans.push_back(profile.span(Work::kStepping, "exchanging gradients"));
        }
    }

    // A program on the host needs the slabs that a device may have changed. Another thread that acts meanwhile reads
    // none of these.
    Status take_newest(const PhasePlan& plan) {
        if (phased_->slabs() != nullptr) {
            return {};
        }
        SlabKinds kinds = stages_.empty() ? 0 : kAllSlabs;
        for (const ParameterRead& read : plan.reads) {
            kinds |= read.slab == ParameterSlab::kLive                                               ? kLiveSlabs
                     : read.slab == ParameterSlab::kTarget || read.slab == ParameterSlab::kReference ? kFollowingSlabs
                                                                                                     : 0;
        }
        return kinds == 0 ? Status() : fetch_to_host(learner_, kinds);
    }

    Result<PhasePlan*> plan_for(const Variant& variant) {
        const auto known = std::ranges::find_if(plans_, [&](const auto& plan) { return plan->variant == variant; });
        if (known != plans_.end()) {
            return known->get();
        }
        const auto alike = std::ranges::find_if(plans_, [&](const auto& plan) {
            return plan->variant.mask == variant.mask && plan->variant.weight == variant.weight;
        });
        PhasePlan made =
            TENON_TRY(make_plan(spec_, stages_, learner_, variant, alike == plans_.end() ? nullptr : (*alike)->graph));
        auto plan = std::make_unique<PhasePlan>(std::move(made));
        TENON_TRY(phased_->prepare(*plan));
        plans_.push_back(std::move(plan));
        return plans_.back().get();
    }

    // A control that skips updates must be known before anything has changed.
    [[nodiscard]] Status check_skip(const PhasePlan& plan) const {
        const auto skip = std::ranges::find(graph_.controls, kSkipUpdate, &graph::Named::name);
        return skip == graph_.controls.end() ||
                       plan.phase_of(skip->value) <= (plan.sequence.empty() ? 0 : plan.sequence.front().phase)
                   ? Status()
                   : graph::problem_at(*plan.graph, plan.graph->values[skip->value].node,
                                       "the control 'skip_update' depends on parameters after a stage's step, but it "
                                       "must be known before the first step");
    }

    Status leave(const PhasePlan& plan, std::size_t number, const Call& call) {
        using enum Effect::Kind;
        const Effect& effect = plan.effects[number];
        const std::size_t i = effect.index;
        switch (effect.kind) {
            case kPrint:
                if (print_ != nullptr && !call.part.is_dry()) {
                    print_(print_line(graph_, graph_.prints[i], phased_->elements(number)));
                }
                return {};
            case kCheck:
                return phased_->check(number, call);
            case kMetric:
                if (i < call.results.metrics.size()) {
                    call.results.metrics[i] = phased_->mean(number);
                }
                return {};
            case kControl: {
                const double value = phased_->mean(number);
                if (i < call.results.controls.size()) {
                    call.results.controls[i] = value;
                }
                skipped_ = skipped_ || (graph_.controls[i].name == kSkipUpdate && value != 0);
                return {};
            }
            case kWrite:
                if (i < call.outputs.size() && call.outputs[i] != nullptr) {
                    phased_->write(number, call.outputs[i], call);
                    if (is_over_shards(graph_.writes[i].name)) {
                        shared_.push_back(i);
                    }
                }
                return {};
        }
        return {};
    }

    // A minibatch that is not finite is skipped if the call allows it, as long as nothing has changed.
    Status differentiate(const PhasePlan& plan, std::size_t place, const Call& call) {
        if (skipped_) {
            return {};
        }
        Status finite = later_ ? Status() : read_losses(plan.sequence[place], call);
        if (finite && call.part.has_gradients()) {
            phased_->differentiate(place);
            // otherwise their norm is checked before the step
            finite = call.leeway != Leeway::kLeaveOut ? Status() : check_gradients(plan, place);
        }
        if (finite || call.leeway != Leeway::kLeaveOut || plan.sequence[place].phase > plan.sequence.front().phase) {
            return finite;
        }
        left_out_ = std::move(finite.error());
        skipped_ = true;
        return {};
    }

    Status read_losses(const StageRun& run, const Call& call) {
        for (const std::uint32_t index : run.losses) {
            const double value = phased_->loss(index);
            if (!call.results.losses.empty()) {
                call.results.losses[index] = value;
            }
            if (!std::isfinite(value)) {
                return phased_->blame("the loss '" + graph_.losses[index].name + "' of the stage '" +
                                          graph_.stages[run.stage].name + "' is " +
                                          (std::isnan(value) ? "nan" : std::to_string(value)) + " in the program '" +
                                          spec_.name + "'",
                                      run.phase, call);
            }
        }
        return {};
    }

    Status check_gradients(const PhasePlan& plan, std::size_t place) {
        const StageRun& run = plan.sequence[place];
        const std::optional<std::size_t> bad = phased_->bad_gradient(place);
        return bad ? Status(gradient_problem(run, run.parameters[*bad])) : Status();
    }

    [[nodiscard]] Problem gradient_problem(const StageRun& run, const ParameterPlace& place) const {
        const NetworkLayout& layout = learner_.networks[place.network].layout;
        return graph::problem_at(
            graph_, graph_.values[graph_.losses[run.losses.front()].value].node,
            gradient_of(run) + " with respect to the parameter '" + layout.parameters[place.parameter].name + "' of '" +
                layout.role + "' is not finite in the program '" + spec_.name + "', though its losses are finite");
    }

    // The problem of stored gradients whose norm is not finite.
    [[nodiscard]] Problem norm_problem(const StageRun& run) const {
        TENON_TRY(fetch_to_host(learner_, kGradientSlabs));
        for (const ParameterPlace& place : run.parameters) {
            const Network& network = learner_.networks[place.network];
            if (!is_finite(network, network.layout.parameters[place.parameter], learner_.real)) {
                return gradient_problem(run, place);
            }
        }
        return plugin_problem(gradient_of(run) + " overflows in the program '" + spec_.name + "'");
    }

    [[nodiscard]] std::string gradient_of(const StageRun& run) const {
        return "the gradient of the stage '" + graph_.stages[run.stage].name + "'";
    }

    [[nodiscard]] static bool exchanges(const Call& call) {
        return call.exchange != nullptr && call.part.last && !call.part.is_dry();
    }

    // The steps of a phase, with the gradients of all processes. Stages that share networks share slabs, too, so each
    // of them is exchanged before the next one is stored.
    Status step_together(const PhasePlan& plan, std::size_t first, std::size_t end, const Call& call) {
        if (first == end) {
            return share(call);
        }
        const bool shares = std::any_of(plan.sequence.begin() + static_cast<std::ptrdiff_t>(first),
                                        plan.sequence.begin() + static_cast<std::ptrdiff_t>(end),
                                        [&](const StageRun& run) { return steps_[run.stage].shares; });
        const std::size_t at_once = shares ? 1 : end - first;
        for (std::size_t from = first; from < end; from += at_once) {
            exchanged_.clear();
            for (std::size_t i = from; i < from + at_once; ++i) {
                TENON_TRY(store(plan, i, call));
                const std::vector<Network*>& owned = steps_[plan.sequence[i].stage].owned;
                exchanged_.insert(exchanged_.end(), owned.begin(), owned.end());
            }
            ExchangeHead head{
                .gathered = steps_[plan.sequence[from].stage].gathered,
                .outputs = std::span<const std::size_t>(shared_).first(from == first ? shared_.size() : 0),
                .call = &call};
            std::optional<Timed> exchanging(std::in_place, call.profile,
                                            call.profile != nullptr ? plan.spans.back() : 0);
            TENON_TRY(sum(head, call));
            exchanging.reset();
            for (std::size_t i = from; i < from + at_once; ++i) {
                const Timed stepping(call.profile, call.profile != nullptr ? plan.spans[plan.phases.count + i] : 0);
                steps_[plan.sequence[i].stage].gathered = head.gathered;
                TENON_TRY(finish(plan, i, call));
            }
        }
        return {};
    }

    // Linked devices sum without the host, which then cannot count the minibatches of other processes.
    [[nodiscard]] bool sums_on_device(const Call& call) const {
        return phased_->slabs() != nullptr && call.exchange->links_devices() && call.leeway != Leeway::kLeaveOut;
    }

    Status sum(ExchangeHead& head, const Call& call) {
        DeviceSlabs* const slabs = phased_->slabs();
        if (sums_on_device(call)) {
            return call.exchange->sum_on_device(head, exchanged_, *slabs);
        }
        TENON_TRY(fetch_to_host(learner_, kGradientSlabs));
        TENON_TRY(call.exchange->sum(head, exchanged_, learner_.real));
        return slabs != nullptr ? slabs->take_gradients(exchanged_) : Status();
    }

    // What no gradients are exchanged with.
    Status share(const Call& call) {
        ExchangeHead head{.outputs = shared_, .call = &call, .alone = call.part.is_dry()};
        return shared_.empty() ? Status() : call.exchange->sum(head, {}, learner_.real);
    }

    Status step(const PhasePlan& plan, std::size_t place, const Call& call) {
        TENON_TRY(store(plan, place, call));
        return finish(plan, place, call);
    }

    Status store(const PhasePlan& plan, std::size_t place, const Call& call) {
        const StageRun& run = plan.sequence[place];
        StageStep& moving = steps_[run.stage];
        DeviceSlabs* const slabs = phased_->slabs();
        moving.gathered = call.part.first ? 0 : moving.gathered;
        if (moving.shares && moving.gathered > 0) {
            TENON_TRY(slabs != nullptr ? slabs->bring_sums(moving) : bring_sums(moving));
        }
        if (!skipped_ && call.part.has_gradients()) {
            phased_->store_gradients(place, moving.gathered > 0);
            ++moving.gathered;
            if (void* const to = call.results.gradients.empty() ? nullptr : call.results.gradients[run.stage]) {
                TENON_TRY(slabs != nullptr ? slabs->leave_gradients(moving, to) : leave_gradients(moving, to));
            }
        }
        return !moving.shares || call.part.last ? Status()
               : slabs != nullptr               ? slabs->keep_sums(moving)
                                                : keep_sums(moving);
    }

    Status finish(const PhasePlan& plan, std::size_t place, const Call& call) {
        const StageRun& run = plan.sequence[place];
        StageStep& moving = steps_[run.stage];
        if (call.part.last && !call.part.is_dry() && moving.gathered > 0) {
            const double norm = TENON_TRY(step_stage_of(run, moving, call));
            if (!call.results.gradient_norms.empty()) {
                call.results.gradient_norms[run.stage] = norm;
            }
            if (!later_ && !std::isfinite(norm)) {
                return norm_problem(run);
            }
        }
        phased_->stepped(place);
        return {};
    }

    // The norm of the stage's gradient; none if it is reported later.
    Result<double> step_stage_of(const StageRun& run, StageStep& moving, const Call& call) {
        DeviceSlabs* const slabs = phased_->slabs();
        if (slabs == nullptr) {
            return step_stage(stages_[run.stage], moving, learner_.real, call.numbers.live, pool_);
        }
        TENON_TRY(slabs->step_stage(stages_[run.stage], moving, call.numbers.live));
        return later_ ? Result<double>(kNone) : slabs->norm_of(moving);
    }

    ProgramSpec spec_;
    const graph::Graph graph_;  // a copy: the caller's may be destroyed
    std::vector<StagePlan> stages_;
    Learner& learner_;
    std::vector<std::unique_ptr<PhasePlan>> plans_;  // in the order of first use; the executor refers to them
    std::unique_ptr<Phased> phased_;
    PrintLine print_;
    Pool* pool_;
    RowPorts ports_;
    std::vector<StageStep> steps_;     // by stage
    std::vector<Network*> exchanged_;  // of the present exchange
    std::vector<std::size_t> shared_;  // outputs of the present phase that the next exchange has to tell
    bool skipped_ = false;             // this and the next two: the present update
    bool later_ = false;
    std::optional<Problem> left_out_;
    std::vector<Unsettled> unsettled_;
};

}  // namespace

Result<std::unique_ptr<Program>> drive(const ProgramSpec& spec, std::vector<StagePlan> stages, Learner& learner,
                                       std::unique_ptr<Phased> phased, PrintLine print, Pool* pool) {
    auto out = std::make_unique<Driver>(spec, std::move(stages), learner, std::move(phased), print, pool);
    TENON_TRY(out->prepare());
    return std::unique_ptr<Program>(std::move(out));
}

}  // namespace tenon
