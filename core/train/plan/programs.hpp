// SPDX-License-Identifier: Apache-2.0
// The programs of a run as graphs: acting and updating, composed from policies, exploration and the objective.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compute/exec/program.hpp"
#include "compute/graph/builder.hpp"
#include "compute/graph/context.hpp"
#include "compute/parameters/network.hpp"

namespace tenon {

struct BuiltProgram {
    std::string name;
    graph::Graph graph;
    std::vector<Port> inputs = {};
    std::vector<Port> outputs = {};
    Place place = {};     // the manifest's table of the component
    bool failed = false;  // it has a problem, which this or another program has reported
    bool writes_state = false;
    bool leaves_out = false;                   // of an update: whether it skips minibatches that are not finite
    bool varies = false;                       // train.episodes, or columns of stored episodes: batches differ in size
    std::vector<std::string> remembered = {};  // outputs that belong to the next step

    [[nodiscard]] ProgramSpec spec(std::uint64_t seed) const {
        return {name, &graph, inputs, outputs, seed, writes_state, {}};
    }
    [[nodiscard]] bool exists() const { return !name.empty(); }
};

// Adds the manifest's line to a problem of a program whose own place is in a plugin's source.
Problem brought_in(Problem problem, const Place& place);
template <class T>
Result<T> brought_in(Result<T> result, const Place& place) {
    return result ? std::move(result) : Result<T>(brought_in(std::move(result.error()), place));
}

// The layouts of all networks. They are completed while programs that read the parameters are built.
struct Layouts {
    std::vector<NetworkLayout> networks;
    std::set<std::pair<std::string, ParameterSlab>> copies;  // other versions than live that programs read, by role
    std::map<std::string, std::string> callers;              // in words, the first objective that reads a network's

    Status declare(const graph::ParameterRequest& request);
    [[nodiscard]] bool reads(const std::string& role, ParameterSlab slab) const {
        return copies.contains({role, slab});
    }
    [[nodiscard]] NetworkLayout* find(std::string_view role);
};

// The shared context of all builds of a run.
struct BuildSite {
    const std::vector<graph::Unit>* networks = nullptr;
    const std::vector<graph::ColumnTransform>* transforms = nullptr;
    const std::vector<graph::StandIn>* stand_ins = nullptr;  // this and the next: as in graph::Context
    std::set<std::string>* stood_in = nullptr;
    std::set<std::string>* called = nullptr;  // as in graph::Context
    Layouts* layouts = nullptr;
    DType real = DType::kF32;
    const std::vector<graph::Group>* groups = nullptr;
    std::set<std::string>* told = nullptr;  // as in graph::Context
    std::int64_t burn_in = 0;               // of updates, as in graph::Context
    bool forgets = false;                   // the same
    graph::Extent extent = {};              // the number of rows, as in graph::Context
};

// A network that acts, and what changes its actions while frames are collected; null: nothing does.
struct ActingUnit {
    const graph::Unit* policy = nullptr;
    const graph::Unit* exploration = nullptr;
};

// Builds `function` ("sample", "mode" or "mean") of each acting policy, followed by the exploration of its action, if
// any. The program writes every output of the function; the caller drops outputs that are not stored. collects: other
// networks with a memory are stepped as well, so that updates find the initial state of sequences, and explorations
// change actions; false for an evaluation.
BuiltProgram build_act(const BuildSite& site, const std::vector<ActingUnit>& acting, std::string_view function,
                       bool collects, const std::vector<graph::Column>& columns, Problems& problems);

// Builds a program from policies' functions on columns of lanes, or of sequences; `assemble` calls the builder.
// Problems of a function are added, and the program has then failed.
BuiltProgram build_by_hand(const BuildSite& site, std::string name, const std::vector<graph::Column>& columns,
                           const std::function<void(graph::Builder&)>& assemble, Problems& problems,
                           const std::vector<graph::Dim>& leading = {graph::kLanes});

// The same program, which reads this version of its networks' parameters ("behaviour", "perturbed") instead of live.
BuiltProgram with_version(BuiltProgram program, const std::string& slab);

// The networks whose parameters the program reads.
std::vector<std::string> networks_of(const graph::Graph& graph);

// The columns of an acting program's memories.
std::vector<graph::Column> memory_columns(const BuiltProgram& act, DType real);

// The objective's update on columns with these leading dimensions: rows, or sequences [time, lanes].
BuiltProgram build_update(const BuildSite& site, const graph::Unit& objective, const std::vector<graph::Dim>& leading,
                          const std::vector<graph::Column>& columns, Problems& problems);

// The objective's `function` (prepare or conclude) on a whole collected batch, [time, lanes].
BuiltProgram build_whole_batch(const BuildSite& site, const graph::Unit& objective, const std::string& function,
                               const std::vector<graph::Column>& columns, Problems& problems);

}  // namespace tenon
