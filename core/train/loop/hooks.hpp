// SPDX-License-Identifier: Apache-2.0
// The hooks of a run: what they see at each of their calls, and what they ask for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/error/result.hpp"
#include "experience/replay/callee.hpp"
#include "experience/replay/storage.hpp"
#include "plugins/plugin/instance.hpp"
#include "tenon/abi/hook.h"
#include "train/collect/score.hpp"
#include "train/loop/hook_network.hpp"
#include "train/loop/metrics.hpp"
#include "train/plan/wiring.hpp"

namespace tenon {

class Trainer;

class Hooks {
public:
    Hooks() = default;
    // The instances are those of Wiring::hooks. The wiring, the live values, the storage and the
    // learner must outlive it.
    Hooks(const Wiring& wiring, std::span<double> live, std::vector<Instance> instances, const Storage& frames,
          const Learner& learner);

    // Calls the hooks that want the event (TN_HOOK_...), in their order. scores: of the evaluations at this position.
    Status call(std::uint32_t event, Trainer& trainer, std::span<const Score> scores = {});
    // The same for updates, as a function; empty if no hook wants them.
    [[nodiscard]] std::function<Status()> updated(Trainer& trainer);

    // Why a hook has ended the run; empty: none has.
    [[nodiscard]] const std::string& stop() const { return stop_; }
    // Whether the run has called them at its start; a restored run has.
    [[nodiscard]] bool started() const { return started_; }
    // The newest values of their metrics, in the order of a record; NaN: none yet.
    [[nodiscard]] std::span<const double> reported() const { return reported_; }
    // The present values of the options that they move, as Standing::moved.
    [[nodiscard]] std::vector<double> moved() const;
    // Names of those that cannot save their state.
    [[nodiscard]] std::vector<std::string> without_state() const;

    // Everything but Standing::moved. There is nothing to save without hooks.
    [[nodiscard]] bool any() const { return !hooks_.empty(); }
    Status save(Trainer& trainer, const tn_writer& writer);
    Status load(const tn_reader& reader);

private:
    struct Hook {
        const HookPlan* plan;
        OptionNumbers own;
        Callee<tn_hook_api> callee;
        Instance instance;
        std::size_t first_metric;                // of reported_
        std::vector<double> reads;               // present values, as HookPlan::reads
        std::vector<double> moves;               // and as HookPlan::options
        std::vector<std::size_t> reads_at = {};  // as HookPlan::reads: positions in row_
        std::vector<tn_column> columns = {};     // with pointers into the storage
        std::vector<const tn_column*> column_pointers = {};
        std::vector<std::unique_ptr<HookNetworkView>> networks = {};  // as HookPlan::networks
        std::vector<const tn_hook_network*> network_pointers = {};
    };
    struct Context {
        Hooks* hooks;
        Hook* hook;
        Trainer* trainer;
    };

    static tn_status report(void* ctx, std::uint32_t metric, double value) noexcept;
    static tn_status move(void* ctx, std::uint32_t option, double value) noexcept;
    static tn_status stop_run(void* ctx, tn_str why) noexcept;

    Status call_one(std::uint32_t event, Hook& hook, Trainer& trainer);
    tn_status refuse(const Hook& hook, const std::string& what);
    void look(Trainer& trainer, std::span<const Score> scores);

    const Wiring* wiring_ = nullptr;
    std::span<double> live_;
    const Storage* frames_ = nullptr;
    std::vector<Hook> hooks_;
    std::vector<Metric> metrics_;
    std::vector<double> row_;       // their newest values
    std::vector<double> reported_;  // of all hooks
    std::uint32_t events_ = 0;      // that some hook wants
    bool started_ = false;
    std::string stop_;
    std::string refusal_;  // of what the hook asked for in the present call
};

}  // namespace tenon
