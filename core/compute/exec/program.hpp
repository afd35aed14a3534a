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
#include <string>
#include <string_view>
#include <vector>

#include "base/data/port.hpp"
#include "base/error/result.hpp"
#include "compute/exec/call.hpp"
#include "compute/graph/graph.hpp"
#include "compute/parameters/network.hpp"
#include "compute/parameters/optimiser.hpp"
#include "compute/parameters/target.hpp"

namespace tenon {

struct Device;

// A size of the batch that changes from call to call, up to a known limit.
struct Varying {
    std::int64_t Sizes::* size = nullptr;  // null: none
    std::int64_t most = 0;
};

// Where the memory of a program's columns is. On a device: only for an executor that has one (Executor::device).
enum class Residence : std::uint8_t {
    kHost,
    kInputsOnDevice,  // of an update: its outputs are in the host's memory
    kDevice,
};

// A graph with its inputs (its "column" nodes name them by key) and outputs (Graph::writes by name).
struct ProgramSpec {
    std::string name;  // "act", "update", for messages
    const graph::Graph* graph = nullptr;
    std::vector<Port> inputs;
    std::vector<Port> outputs;  // in the order of Graph::writes
    std::uint64_t seed = 0;     // of the run, for random nodes
    // of a program without stages: whether Graph::state_writes are made; acting does not change states
    bool writes_state = false;
    Varying varying = {};
    Residence residence = Residence::kHost;

    [[nodiscard]] bool is_on_device() const { return residence != Residence::kHost; }
    [[nodiscard]] bool writes_on_device() const { return residence == Residence::kDevice; }
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

// The time of one instruction: its minimum, and the minimum that its products and transcendental functions can take on
// this machine. The latter is measured separately, with all data in the cache.
struct Spent {
    std::string what;
    double us = 0;
    double limit_us = 0;
    std::size_t depth = 0;  // above 0: it is part of the nearest one of less depth before it, as the body of a scan is
};

// What a run on a device has enqueued: launches of kernels, the works that they compute, and the levels of works. Each
// level waits for the one before. All 0: the run was on the CPU.
struct Enqueued {
    std::size_t works = 0;
    std::size_t levels = 0;
    std::size_t launches = 0;
};

inline constexpr std::size_t kMostLater = 64;

// The handle of a program's newest run: which executor has computed it, and results that the caller does not have yet.
// Valid as long as the program.
class Computed {
public:
    virtual ~Computed() = default;
    // The name of the executor that has computed the newest run, and what it has enqueued.
    [[nodiscard]] virtual std::string_view computed_by() const { return "reference"; }
    [[nodiscard]] virtual Enqueued enqueued() const { return {}; }
    // Runs a dry call several times and returns the time per instruction, in order. Empty if it cannot measure them.
    virtual Result<std::vector<Spent>> profile(const Call& /*call*/) { return std::vector<Spent>(); }
    // Why the newest run has skipped its minibatch (Leeway::kLeaveOut), or null. Its other results are then
    // meaningless.
    [[nodiscard]] virtual const Problem* left_out() const { return nullptr; }
    // Whether the results of the newest run are reported later (Leeway::kLater).
    [[nodiscard]] virtual bool is_later() const { return false; }
    // The number of updates whose results have not been reported. At kMostLater the caller must call settle before the
    // next run.
    [[nodiscard]] virtual std::size_t unsettled() const { return 0; }
    // Waits for these updates and reports their results in order: for each it fills the spans and then calls `told`.
    virtual Status settle(const Results& /*results*/, const std::function<void()>& /*told*/) { return {}; }
};

class Program {
public:
    virtual ~Program() = default;
    // [one call at a time per program]. Problems: a check failed, or a loss or gradient is not finite (naming the first
    // such node). Programs around another one return its handle.
    virtual Result<Computed*> run(const Call& call) = 0;
};

class Executor {
public:
    virtual ~Executor() = default;

    // The name of the executor in checkpoints: "reference", "compiled".
    [[nodiscard]] virtual std::string_view name() const = 0;

    // Where programs run whose columns are on a device; null: there are none.
    [[nodiscard]] virtual std::shared_ptr<Device> device() const { return nullptr; }

    // A call of so many rows or more computes each row in the same way, wherever the row is. 0: nothing is promised.
    [[nodiscard]] virtual std::uint32_t equal_rows() const { return 0; }

    // A program that reads parameters of the learner and changes only outputs and, if the spec says so, states.
    virtual Result<std::unique_ptr<Program>> forward(const ProgramSpec& spec, Learner& learner) = 0;

    // A whole update: forward, losses, gradients, and at the end of each due stage clipping, optimiser and target
    // update.
    virtual Result<std::unique_ptr<Program>> update(const ProgramSpec& spec, std::vector<StagePlan> stages,
                                                    Learner& learner) = 0;
};

}  // namespace tenon
