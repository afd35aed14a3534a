// SPDX-License-Identifier: Apache-2.0
// What an executor implements: the phases of a program and its gradients. The driver (driver.hpp) calls it, and does
// everything that happens between the phases.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compute/exec/device_slabs.hpp"
#include "compute/exec/phase_plan.hpp"

namespace tenon {

class Phased {
public:
    virtual ~Phased() = default;

    // Called once for each plan, before its first run; the plan outlives this object. All other calls belong to the run
    // of the latest begin.
    virtual Status prepare(const PhasePlan& plan) {
        static_cast<void>(plan);
        return {};
    }
    // keeps: the results of this run are kept until recall, and nothing is read after a phase or a step. Only if
    // keeps_results.
    virtual Status begin(const PhasePlan& plan, const Call& call, bool keeps) = 0;

    // Computes the nodes of a phase. Phase 0 may be given up (Call::give_up).
    virtual Status compute(std::uint32_t phase, const Call& call) = 0;

    // The mean of an effect. `effect`: its index in PhasePlan::effects; its phase has been computed.
    [[nodiscard]] virtual double mean(std::size_t effect) = 0;
    [[nodiscard]] virtual std::vector<double> elements(std::size_t effect) = 0;
    virtual Status check(std::size_t effect, const Call& call) = 0;
    virtual void write(std::size_t effect, void* memory, const Call& call) = 0;

    // A loss of a due stage.
    [[nodiscard]] virtual double loss(std::size_t index) = 0;
    // Computes the gradients of a stage's parameters, unless compute has done it. `place`: index in
    // PhasePlan::sequence.
    virtual void differentiate(std::size_t place) = 0;
    // The first of the stage's parameters whose gradient is not finite: index in StageRun::parameters.
    [[nodiscard]] virtual std::optional<std::size_t> bad_gradient(std::size_t place) = 0;
    // Writes the gradients to the slabs of the stage's networks, or adds them.
    virtual void store_gradients(std::size_t place, bool add) = 0;
    // The slabs that hold the gradients and parameters of a program on a device; null: they are the host's.
    [[nodiscard]] virtual DeviceSlabs* slabs() { return nullptr; }

    // Called when the stage has stepped, or when its step was left out.
    virtual void stepped(std::size_t place) = 0;
    virtual void commit_states() = 0;

    // The problem of a loss that is not finite: `what`, and the first value that is not finite.
    virtual Problem blame(std::string what, std::uint32_t phase, const Call& call) = 0;

    // Whether results can be reported later (Leeway::kLater).
    [[nodiscard]] virtual bool keeps_results() const { return false; }
    virtual Status keep_results() { return {}; }
    // Waits for all kept results. mean, elements, check and loss then read those of run `number`, counted from the
    // first that was kept; norms: one per stage. The next run forgets them.
    virtual Status fetch_results() { return {}; }
    virtual Status recall(std::size_t number, std::span<double> norms) {
        static_cast<void>(number);
        static_cast<void>(norms);
        return {};
    }

    // As in Computed.
    [[nodiscard]] virtual std::string_view computed_by() const { return "reference"; }
    [[nodiscard]] virtual Enqueued enqueued() const { return {}; }
    virtual Result<std::vector<Spent>> profile(const Call& call) {
        static_cast<void>(call);
        return std::vector<Spent>();
    }
};

}  // namespace tenon
