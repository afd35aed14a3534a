// SPDX-License-Identifier: Apache-2.0
// An objective with its networks, put together from plugins by the pieces that wire a run, and computed by the executor
// that a run loads. Objectives called "test/NAME" are those of authors.cpp; their options are
// whatever the plan gives.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "columns.hpp"
#include "compute/exec/program.hpp"
#include "compute/graph/builder.hpp"
#include "plugins/plugin/instance.hpp"
#include "train/plan/programs.hpp"
#include "train/plan/stages.hpp"

namespace tenon::test {

using Options = std::vector<std::pair<std::string, OptionValue>>;  // others keep their defaults

struct NetworkUse {
    std::string role;
    std::string component;
    Options options;
    std::int64_t count = 1;
    std::string group = {};
};

struct Plan {
    std::vector<graph::Column> columns;
    std::vector<NetworkUse> networks;
    std::string objective;
    Options options;
    std::vector<std::string> live = {};  // options of the objective that may move
    std::string optimiser = "adam";
    double lr = 0;
    TargetTable target = {.kind = "hard", .tau = 0.005, .every = std::int64_t{1} << 40};
    double clip_norm = 0;
    std::vector<OptimiserStage> optimisers = {};  // [optimiser.STAGE]
    DType real = DType::kF64;
    bool compiled = false;                             // a program that has no compiled form is a failure
    std::vector<graph::Dim> leading = {graph::kRows};  // of updates
    std::uint64_t seed = 3;
    std::int64_t burn_in = 0;
    bool forgets = false;
    std::vector<graph::Group> groups = {};
    std::string group = {};  // that the objective is for
};

using Columns = std::map<std::string, std::vector<double>>;

struct Outcome {
    std::map<std::string, double> losses;  // NaN where the stage was not due
    std::map<std::string, double> metrics;
    std::map<std::string, double> controls;
    std::vector<double> norms;  // by stage
    Columns columns;            // what the update writes
};

// The components of that kind in the shipped plugins, "dqn/dqn".
std::set<std::string> shipped(std::string_view kind);

// When an update happens: decides which stages are due and what random nodes draw.
struct Moment {
    double updates = 0;
    std::uint64_t counter = 0;
    bool first = true;  // of the minibatches whose gradients make one step
    bool last = true;
    bool commits = false;  // whether prepare leaves its states moved; conclude does
};

class Assembly {
public:
    explicit Assembly(Plan plan);
    Assembly(const Assembly&) = delete;
    Assembly& operator=(const Assembly&) = delete;

    // Builds the update. load makes its program, with what has been changed in `stages` since.
    void build();
    // The problems of its update, for those that are to have some.
    Problems try_build();
    void load();

    // For those that are to fail.
    Status try_load();
    Status try_run(const FilledBatch& batch, Moment moment, Outcome& out);

    Outcome run(const FilledBatch& batch, Moment moment = {});

    // Builds a function of the objective that writes columns and computes them, as a run prepares a batch.
    // by_body: also those composites by their bodies that the executor knows better.
    bool by_body = false;
    Columns forward(const std::string& function, const FilledBatch& batch, Moment moment = {});
    std::map<std::string, double> forward_metrics;  // of its last call
    graph::Graph build_forward(const std::string& function, const std::vector<graph::Dim>& leading);
    Problems try_forward(const std::string& function, const std::vector<graph::Dim>& leading);

    [[nodiscard]] Network& network(std::string_view role);
    // The live value of an option ("objective.gamma") or of an optimiser's number ("optimiser.lr").
    [[nodiscard]] double& live(std::string_view name);
    [[nodiscard]] LivePlan& live_values() { return live_; }
    [[nodiscard]] const std::vector<graph::Column>& columns() const { return plan_.columns; }

    BuiltProgram update;
    Learner learner;
    std::vector<StagePlan> stages;
    Columns draws;  // by stream: what random nodes get instead of numbers of their own; fill it before load or forward

private:
    graph::Graph try_forward(const std::string& function, const std::vector<graph::Dim>& leading, Problems& problems);
    graph::Unit make_unit(const std::string& component, const std::string& role, const std::string& path,
                          const Options& options);
    void settle();
    void add_draws(std::vector<Port>& inputs) const;
    [[nodiscard]] const void* memory_of(const Port& port, const FilledBatch& batch) const;
    static std::vector<void*> make_room(const graph::Graph& graph, std::span<const Port> outputs, std::size_t rows,
                                        Columns& columns);

    Plan plan_;
    std::vector<std::unique_ptr<ComponentTable>> tables_;
    std::vector<Instance> instances_;
    std::vector<graph::Unit> networks_;
    graph::Unit objective_;
    Layouts layouts_;
    LivePlan live_;
    std::unique_ptr<Executor> executor_;
    std::unique_ptr<Program> program_;
};

}  // namespace tenon::test
