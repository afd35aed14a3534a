// SPDX-License-Identifier: Apache-2.0
// The interface between graphs and executors. An executor turns graphs into programs; the rest of the host is
// independent of it. Both executors implement the phases of a program (phased.hpp) and leave the rest to the driver
// (driver.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/data/port.hpp"
#include "base/error/result.hpp"
#include "base/profile/profile.hpp"
#include "compute/graph/graph.hpp"
#include "compute/parameters/network.hpp"
#include "compute/parameters/optimiser.hpp"
#include "compute/parameters/target.hpp"

namespace tenon {

struct Device;

struct Sizes {
    std::int64_t rows = 0;
    std::int64_t time = 0;
    std::int64_t lanes = 0;
};

// A size of the batch that changes from call to call, up to a known limit.
struct Varying {
    std::int64_t Sizes::* size = nullptr;  // null: none
    std::int64_t most = 0;
};

// A graph with its inputs (its "column" nodes name them by key) and outputs (Graph::writes by name).
struct ProgramSpec {
    std::string name;  // "act", "update", for messages
    const graph::Graph* graph = nullptr;
    std::vector<Port> inputs;
    std::vector<Port> outputs;  // in the order of Graph::writes
    std::uint64_t seed = 0;     // of the run, for random nodes
    bool writes_state = false;  // forward: whether Graph::state_writes are made; acting does not change states
    Varying varying = {};
    // Whether the memory of inputs is on the executor's device; of a program without stages that of outputs as well.
    // Only for an executor that has a device (Executor::device).
    bool on_device = false;
    bool writes_on_device = false;  // of an update whose inputs are there: the memory of outputs as well
};

// Controls that the host obeys. If kSkipUpdate is not 0, the update changes nothing (done by the driver); if
// kStopEpochs is not 0, it is the last update on its batch (done by the trainer).
inline constexpr std::string_view kSkipUpdate = "skip_update";
inline constexpr std::string_view kStopEpochs = "stop_epochs";

// A column that an update may write: the priority of each row, for the sampler that chose the rows.
inline constexpr std::string_view kPriority = "priority";

struct StagePlan {
    std::vector<std::uint32_t> owned;  // networks of the learner, in order
    OptimiserPlan optimiser;
    std::vector<TargetPlan> targets;            // one per owned network
    std::int64_t every = 1;                     // updates
    std::vector<std::int64_t> references = {};  // one per owned network: updates between two copies; 0: none
};

// Several minibatches may form one step, which uses their mean gradient. A dry run computes terms and gradients and
// changes neither parameters nor states.
struct StepPart {
    bool first = true;
    bool last = true;
    bool dry = false;
    bool gradients = true;  // a dry run may omit them
};

// For calls that may take long: asked from time to time whether to give up the call, as long as nothing has changed but
// the memory of outputs and gradients. `given_up`: the call was given up. An executor need not support it.
struct GiveUp {
    bool (*asked)() noexcept = nullptr;
    bool given_up = false;
};

// The arguments of one run of a program. All memory is the caller's, and the program keeps no reference to it.
struct Call {
    Sizes sizes;
    std::span<const void* const> inputs;  // in the order of ProgramSpec::inputs; null: the column's default
    std::span<void* const> outputs;       // in the order of ProgramSpec::outputs; null: not wanted
    std::span<const double> live;         // live values
    double frames = 0;
    double updates = 0;
    double progress = 0;               // 0 .. 1
    std::uint64_t counter = 0;         // of random nodes
    std::uint64_t first_row = 0;       // global number of row (or lane) 0, for random nodes
    bool same_parameters = false;      // no parameter has changed since the program's previous call
    StepPart part;                     // update: the part of a step that this minibatch is
    std::span<double> losses;          // update: one per Graph::losses, after reduction; NaN if it was not computed
    std::span<double> metrics;         // one per Graph::metrics
    std::span<double> gradient_norms;  // update: one per stage, before clipping; NaN if it did not step
    std::span<void* const>
        gradients{};             // update: one per stage, where to copy its gradients (stage_step.hpp); null: not
    std::span<double> controls;  // one per Graph::controls
    // update: if it is set, losses or gradients that are not finite are reported here, and the minibatch is skipped as
    // by kSkipUpdate. Only supported if no parameter is read after a stage.
    std::optional<Problem>* not_finite = nullptr;
    GiveUp* give_up = nullptr;
    // update: if it is set, losses, metrics and norms may be told by a later settle(); it becomes whether they will be.
    // A problem with them is then told later as well, when other updates have followed.
    bool* later = nullptr;
    // of a program whose inputs are on a device: a word there that becomes 1 if an index is out of range. Null: it is
    // told after the phase.
    std::uint32_t* fault = nullptr;
    Profile* profile = nullptr;  // gets the time of phases and of steps; null: it is not measured
};

// The same inputs for a program that only writes columns.
inline Call for_columns(Call call, std::span<void* const> outputs) {
    call.give_up = nullptr;
    call.outputs = outputs;
    call.losses = {};
    call.metrics = {};
    call.controls = {};
    call.gradient_norms = {};
    call.not_finite = nullptr;
    call.later = nullptr;
    return call;
}

// The time of one instruction: its minimum, and the minimum that its products and transcendental functions can take on
// this machine. The latter is measured separately, with all data in the cache.
struct Spent {
    std::string what;
    double us = 0;
    double limit_us = 0;
};

// What a run on a device has enqueued: launches of kernels, the works that they compute, and the levels of works, each
// of which waits for the one before. All 0: it ran on the CPU.
struct Enqueued {
    std::size_t works = 0;
    std::size_t levels = 0;
    std::size_t launches = 0;
};

inline constexpr std::size_t kMostLater = 64;

class Program {
public:
    Program() = default;
    Program(const Program&) = delete;
    Program& operator=(const Program&) = delete;
    virtual ~Program() = default;
    // [one call at a time per program]. Problems: a check failed, or a loss or gradient is not finite (naming the first
    // such node).
    virtual Status run(const Call& call) = 0;
    // Waits for the updates whose results are told later, and tells them in their order: for each the spans of the call
    // are filled, and then `told` is called.
    virtual Status settle(const Call& call, const std::function<void()>& told) {
        static_cast<void>(call);
        static_cast<void>(told);
        return {};
    }
    // How many updates these are. The program does not settle them by itself: at kMostLater the caller does, before the
    // next run.
    [[nodiscard]] virtual std::size_t unsettled() const { return 0; }
    // The name of the executor that computes it, which is another one if this one cannot.
    [[nodiscard]] virtual std::string_view computed_by() const { return "reference"; }
    // Of the newest run.
    [[nodiscard]] virtual Enqueued enqueued() const { return {}; }
    // Runs a dry call several times and returns the time per instruction, in order. Empty if it cannot tell.
    virtual Result<std::vector<Spent>> profile(const Call& call) {
        static_cast<void>(call);
        return std::vector<Spent>();
    }
};

class Executor {
public:
    Executor() = default;
    Executor(const Executor&) = delete;
    Executor& operator=(const Executor&) = delete;
    virtual ~Executor() = default;

    // The name of the executor in checkpoints: "reference", "compiled".
    [[nodiscard]] virtual std::string_view name() const = 0;

    // Where programs run whose spec says `on_device`; null: there are none.
    [[nodiscard]] virtual std::shared_ptr<Device> device() const { return nullptr; }

    // A program that reads parameters of the learner and changes only outputs and, if the spec says so, states.
    virtual Result<std::unique_ptr<Program>> forward(const ProgramSpec& spec, Learner& learner) = 0;

    // A whole update: forward, losses, gradients, and at the end of each due stage clipping, optimiser and target
    // update.
    virtual Result<std::unique_ptr<Program>> update(const ProgramSpec& spec, std::vector<StagePlan> stages,
                                                    Learner& learner) = 0;
};

}  // namespace tenon
