// SPDX-License-Identifier: Apache-2.0
// The seam between the graph and whoever runs it. An executor turns graphs into programs; the reference executor
// (libtorch) and any other implement these three classes and nothing else of the host changes.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/dtype.hpp"
#include "error/result.hpp"
#include "graph/graph.hpp"
#include "learn/network.hpp"
#include "learn/optimiser.hpp"
#include "learn/target.hpp"

namespace tenon {

// A column as it lies in host memory: dense rows of row_shape, in the storage's dtype.
struct PortSpec {
    std::string key;
    DType dtype = DType::kF32;
    std::vector<std::int64_t> row_shape;
};

// One graph with what it reads (its "column" nodes name inputs by key) and what it writes (Graph::writes by name).
struct ProgramSpec {
    std::string name;  // "act", "update", for messages
    const graph::Graph* graph = nullptr;
    std::vector<PortSpec> inputs;
    std::vector<PortSpec> outputs;  // in the order of Graph::writes
    std::uint64_t seed = 0;         // of the run, for random nodes
    bool writes_state = false;      // forward: whether Graph::state_writes are made; acting leaves states alone
};

// Controls that somebody obeys: an update whose kSkipUpdate is not 0 changes nothing (the executor sees to it), one
// whose kStopEpochs is not 0 is the last on its batch (the trainer does).
inline constexpr std::string_view kSkipUpdate = "skip_update";
inline constexpr std::string_view kStopEpochs = "stop_epochs";

// A column that an update may write: what its rows are worth to the sampler that chose them, a number each.
inline constexpr std::string_view kPriority = "priority";

struct StagePlan {
    std::vector<std::uint32_t> owned;  // networks of the learner, in order
    OptimiserPlan optimiser;
    std::vector<TargetPlan> targets;  // one per owned network
    std::int64_t every = 1;           // updates
};

struct Sizes {
    std::int64_t rows = 0;
    std::int64_t time = 0;
    std::int64_t lanes = 0;
};

// Several minibatches may make one step, which goes by the mean of their gradients. A dry one computes terms and
// gradients and changes neither parameters nor states.
struct StepPart {
    bool first = true;
    bool last = true;
    bool dry = false;
    bool gradients = true;  // a dry one may leave them out
};

// For a call that may take long: asked now and then whether to give it up, as long as that leaves nothing changed but
// the memory of outputs and gradients. `given_up`: so it was. An executor that cannot need not.
struct GiveUp {
    bool (*asked)() noexcept = nullptr;
    bool given_up = false;
};

// Everything one run of a program needs. All memory is the caller's; nothing is kept.
struct Call {
    Sizes sizes;
    std::span<const void* const> inputs;  // as ProgramSpec::inputs; null: the column's default
    std::span<void* const> outputs;       // as ProgramSpec::outputs; null: not wanted
    std::span<const double> live;         // live values
    double frames = 0;
    double updates = 0;
    double progress = 0;               // 0 .. 1
    std::uint64_t counter = 0;         // of random nodes
    std::uint64_t first_row = 0;       // global number of row (or lane) 0, for random nodes
    bool same_parameters = false;      // nobody has changed a parameter since the program's call before
    StepPart part;                     // update: of what makes one step
    std::span<double> losses;          // update: one per Graph::losses, after reduction; NaN where it was not computed
    std::span<double> metrics;         // one per Graph::metrics
    std::span<double> gradient_norms;  // update: one per stage, before clipping; NaN without a step
    std::span<void* const>
        gradients{};             // update: one per stage, where to copy its gradients (stage_step.hpp); null: not
    std::span<double> controls;  // one per Graph::controls
    // update: where it is given, losses or gradients that are not finite are put here as the problem that they are, and
    // the minibatch is left out as by kSkipUpdate. Only where no parameter is read as it is after a stage.
    std::optional<Problem>* not_finite = nullptr;
    GiveUp* give_up = nullptr;
};

// One instruction of a program: the least time that it took, and the least that its products and its functions of
// numbers (exponentials and their like) can take here. Those are measured by themselves, with all they touch in the
// cache.
struct Spent {
    std::string what;
    double us = 0;
    double limit_us = 0;
};

class Program {
public:
    Program() = default;
    Program(const Program&) = delete;
    Program& operator=(const Program&) = delete;
    virtual ~Program() = default;
    // [one call at a time per program]. Problems: a check failed, a loss or gradient is not finite (naming the first
    // node that is not).
    virtual Status run(const Call& call) = 0;
    // The name of the executor that computes it: that of another one where this one cannot.
    [[nodiscard]] virtual std::string_view computed_by() const { return "reference"; }
    // Runs a dry call some times and tells where the time goes, in the order of instructions. Empty: it cannot tell.
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

    // What a checkpoint says that its run was computed by: "reference", "compiled".
    [[nodiscard]] virtual std::string_view name() const = 0;

    // Reads parameters of the learner, changes nothing but outputs and, where the spec says so, states.
    virtual Result<std::unique_ptr<Program>> forward(const ProgramSpec& spec, Learner& learner) = 0;

    // A whole update: forward, losses, gradients, and at the end of each due stage clip, optimiser and target update.
    virtual Result<std::unique_ptr<Program>> update(const ProgramSpec& spec, std::vector<StagePlan> stages,
                                                    Learner& learner) = 0;
};

}  // namespace tenon
