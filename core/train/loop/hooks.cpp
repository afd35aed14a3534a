// SPDX-License-Identifier: Apache-2.0
#include "train/loop/hooks.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <utility>

#include "base/data/key.hpp"
#include "base/data/number_text.hpp"
#include "base/data/state_stream.hpp"
#include "compute/parameters/device_copies.hpp"
#include "experience/replay/saved_state.hpp"
#include "plugins/plugin/error_text.hpp"
#include "tenon/abi/hook_writes.h"
#include "train/loop/trainer.hpp"
#include "train/plan/moved_options.hpp"

namespace tenon {
namespace {

constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t kLongestReason = 4096;

// Gives a hook the networks that it writes; their views follow those of the networks that it reads. Wiring has checked
// the names.
template <class Hook>
void attach_written(Hook& hook, const Learner& learner) {
    const auto* const writes = hook.instance.template interface<tn_hook_writes_api>("tenon.hook_writes/1");
    if (writes == nullptr) {
        return;
    }
    for (const std::string& role : hook.plan->writes) {
        hook.networks.push_back(std::make_unique<HookNetworkView>(*learner.find(role), learner.real));
        hook.network_pointers.push_back(&hook.networks.back()->view());
    }
    writes->attach(hook.instance.self(), hook.network_pointers.data() + hook.plan->networks.size());
}

}  // namespace

Hooks::Hooks(const Wiring& wiring, std::span<double> live, std::vector<Instance> instances, const Storage& frames,
             const Learner& learner)
    : wiring_(&wiring), live_(live), frames_(&frames) {
    hooks_.reserve(instances.size());
    metrics_ = instances.empty() ? std::vector<Metric>() : measured_metrics(wiring);
    row_.resize(metrics_.size(), kNothing);
    for (std::size_t i = 0; i < instances.size(); ++i) {
        const HookPlan& plan = wiring.hooks[i];
        hooks_.push_back({.plan = &plan,
                          .own = plan.own,
                          .callee = Callee<tn_hook_api>::of(instances[i], "tenon.hook/1"),
                          .instance = std::move(instances[i]),
                          .first_metric = reported_.size(),
                          .reads = std::vector<double>(plan.reads.size(), kNothing),
                          .moves = std::vector<double>(plan.options.size())});
        Hook& hook = hooks_.back();
        for (const std::string& name : plan.reads) {
            const auto found = std::ranges::find(metrics_, name, &Metric::name);
            hook.reads_at.push_back(static_cast<std::size_t>(found - metrics_.begin()));
        }
        for (const std::string& key : plan.columns) {
            const StorageColumn* const column = frames.find(without_next(key));
            hook.columns.push_back({.struct_size = sizeof(tn_column),
                                    .flags = 0,
                                    .key = {key.data(), key.size()},
                                    .tensor = column->view.tensor()});
        }
        std::ranges::transform(hook.columns, std::back_inserter(hook.column_pointers),
                               [](const tn_column& column) { return &column; });
        for (const std::string& role : plan.networks) {
            hook.networks.push_back(std::make_unique<HookNetworkView>(*learner.find(role), learner.real));
            hook.network_pointers.push_back(&hook.networks.back()->view());
        }
        attach_written(hook, learner);
        reported_.resize(reported_.size() + plan.metrics.size(), kNothing);
        events_ |= plan.events;
    }
}

std::vector<double> Hooks::moved() const {
    std::vector<double> out;
    for (std::size_t i = 0; any() && i < wiring_->live.moved.size(); ++i) {
        out.push_back(live_[wiring_->live.moved[i].index]);
    }
    return out;
}

std::vector<std::string> Hooks::without_state() const {
    std::vector<std::string> out;
    for (const Hook& hook : hooks_) {
        if (hook.callee.state == nullptr) {
            out.push_back(hook.callee.name);
        }
    }
    return out;
}

std::function<Status()> Hooks::updated(Trainer& trainer) {
    if ((events_ & TN_HOOK_UPDATED) == 0) {
        return {};
    }
    return [this, &trainer] { return call(TN_HOOK_UPDATED, trainer); };
}

void Hooks::look(Trainer& trainer, std::span<const Score> scores) {
    const Standing& standing = trainer.standing();
    const Moment now{
        .frames = standing.frames, .updates = standing.updates, .scores = scores, .trainer = &trainer, .newest = true};
    for (std::size_t i = 0; i < metrics_.size(); ++i) {
        const double value = metrics_[i].read(now);
        row_[i] = std::isnan(value) ? row_[i] : value;
    }
}

Status Hooks::call(std::uint32_t event, Trainer& trainer, std::span<const Score> scores) {
    started_ = started_ || event == TN_HOOK_STARTED;
    if (!any()) {
        return {};
    }
    if ((events_ & event) != 0 || !scores.empty()) {
        look(trainer, scores);
    }
    for (Hook& hook : hooks_) {
        if (!hook.plan->wants(event)) {
            continue;
        }
        TENON_TRY(call_one(event, hook, trainer));
    }
    return {};
}

Status Hooks::call_one(std::uint32_t event, Hook& hook, Trainer& trainer) {
    const Standing& standing = trainer.standing();
    TENON_TRY(hook.networks.empty() ? Status() : fetch_to_host(trainer.learner(), kLiveSlabs | kGradientSlabs));
    for (std::size_t i = 0; i < hook.reads.size(); ++i) {
        hook.reads[i] = row_[hook.reads_at[i]];
    }
    for (std::size_t i = 0; i < hook.moves.size(); ++i) {
        hook.moves[i] = standing.moved[hook.plan->moves[i]];
    }
    const tn_hook_frames frames{.struct_size = sizeof frames,
                                .steps = static_cast<std::uint32_t>(trainer.progress().round.steps),
                                .view = &frames_->view(),
                                .columns = hook.column_pointers.data()};
    const std::span<const double> own = hook.own.now(live_);
    Context context{.hooks = this, .hook = &hook, .trainer = &trainer};
    const tn_hook_call call{.struct_size = sizeof call,
                            .event = event,
                            .frames = static_cast<std::uint64_t>(standing.frames),
                            .updates = static_cast<std::uint64_t>(standing.updates),
                            .metrics = hook.reads.data(),
                            .moved = hook.moves.data(),
                            .options = own.data(),
                            .own_option_count = own.size(),
                            .frames_of_round = event == TN_HOOK_COLLECTED && !hook.columns.empty() ? &frames : nullptr,
                            .ctx = &context,
                            .report = &report,
                            .move = &move,
                            .stop = &stop_run,
                            .networks = hook.network_pointers.data()};
    Status done = hook.callee.call(name_of_event(event), hook.callee.api->call, &call);
    if (hook.networks.size() > hook.plan->networks.size()) {
        changed_on_host(trainer.learner());
    }
    if (!refusal_.empty()) {
        return hook.callee.problem(std::exchange(refusal_, {}));
    }
    if (!done) {
        return done;
    }
    // Its metrics are part of what later hooks read.
    const std::size_t first = row_.size() - reported_.size();
    std::ranges::copy(reported_, row_.begin() + static_cast<std::ptrdiff_t>(first));
    return {};
}

tn_status Hooks::refuse(const Hook& hook, const std::string& what) {
    if (refusal_.empty()) {
        refusal_ = what;
    }
    const std::string text = hook.callee.name + ": " + what;
    keep_error({text.data(), text.size()});
    return TN_INVALID_ARGUMENT;
}

tn_status Hooks::report(void* ctx, std::uint32_t metric, double value) noexcept {
    const Context& at = *static_cast<const Context*>(ctx);
    const HookPlan& plan = *at.hook->plan;
    if (metric >= plan.metrics.size()) {
        return at.hooks->refuse(*at.hook, "it reports its metric number " + std::to_string(metric) + ", but has " +
                                              std::to_string(plan.metrics.size()));
    }
    if (!std::isfinite(value)) {
        return at.hooks->refuse(*at.hook, "its metric '" + plan.metrics[metric] + "' would be " + number_text(value) +
                                              "; a metric must be a finite number");
    }
    at.hooks->reported_[at.hook->first_metric + metric] = value;
    return TN_OK;
}

tn_status Hooks::move(void* ctx, std::uint32_t option, double value) noexcept {
    const Context& at = *static_cast<const Context*>(ctx);
    const HookPlan& plan = *at.hook->plan;
    if (option >= plan.moves.size()) {
        return at.hooks->refuse(*at.hook, "it moves its option number " + std::to_string(option) + ", but has " +
                                              std::to_string(plan.moves.size()));
    }
    const MovedOption& moved = at.hooks->wiring_->live.moved[plan.moves[option]];
    if (const std::string fault = fault_of_value(moved, value); !fault.empty()) {
        return at.hooks->refuse(*at.hook, "it moves " + moved.name + " to " + number_text(value) + ", " + fault);
    }
    at.trainer->standing().moved[plan.moves[option]] = value;
    at.hooks->live_[moved.index] = value;
    at.hook->moves[option] = value;
    return TN_OK;
}

tn_status Hooks::stop_run(void* ctx, tn_str why) noexcept {
    const Context& at = *static_cast<const Context*>(ctx);
    if (at.hooks->stop_.empty()) {
        const std::string_view given(why.data == nullptr ? "" : why.data, why.data == nullptr ? 0 : why.size);
        const std::string text = repaired(given.substr(0, kLongestReason));
        at.hooks->stop_ = at.hook->callee.name + " ends the run" + (text.empty() ? "" : ": " + text);
    }
    return TN_OK;
}

Status Hooks::save(Trainer& trainer, const tn_writer& writer) {
    look(trainer, {});
    StateSink sink(writer);
    sink.number<std::uint8_t>(started_ ? 1 : 0);
    sink.text(stop_);
    for (const auto* const values : {&row_, &reported_}) {
        sink.number<std::uint64_t>(values->size());
        sink.bytes(values->data(), values->size() * sizeof(double));
    }
    for (const Hook& hook : hooks_) {
        TENON_TRY(save_state(hook.callee, kNoLanes, sink));
    }
    return sink.status("hooks");
}

Status Hooks::load(const tn_reader& reader) {
    StateSource source(reader);
    started_ = source.number<std::uint8_t>() != 0;
    stop_ = source.text();
    for (auto* const values : {&row_, &reported_}) {
        if (source.number<std::uint64_t>() != values->size()) {
            return input_problem("the saved state is of hooks with other metrics than those of this run");
        }
        source.bytes(values->data(), values->size() * sizeof(double));
    }
    for (Hook& hook : hooks_) {
        TENON_TRY(load_state(hook.callee, kNoLanes, source));
    }
    return source.status("hooks");
}

}  // namespace tenon
