// SPDX-License-Identifier: Apache-2.0
// The programs of a run as graphs: acting and updating, put together from what policies, exploration and objective
// build.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "exec/program.hpp"
#include "graph/builder.hpp"
#include "graph/context.hpp"
#include "learn/network.hpp"

namespace tenon {

struct BuiltProgram {
    std::string name;
    graph::Graph graph;
    std::vector<PortSpec> inputs;
    std::vector<PortSpec> outputs;
    Place place = {};     // of the manifest's table whose component it is
    bool failed = false;  // with a problem of its own, or one that another program has told
    bool writes_state = false;
    bool leaves_out = false;                   // an update: minibatches that are not finite, instead of ending the run
    std::vector<std::string> remembered = {};  // outputs that are of the step after

    [[nodiscard]] ProgramSpec spec(std::uint64_t seed) const {
        return {name, &graph, inputs, outputs, seed, writes_state};
    }
    [[nodiscard]] bool there() const { return !name.empty(); }
};

// What a program's run came to; a problem, whose own place is a line of a plugin, gets the manifest's beside it.
Status brought_in(Status status, const Place& place);

// Layouts of all networks, filled in as programs that read their parameters are built.
struct Layouts {
    std::vector<NetworkLayout> networks;
    std::vector<std::string> with_target;  // roles whose target slab somebody reads

    Status declare(const graph::ParameterRequest& request);
    [[nodiscard]] NetworkLayout* find(std::string_view role);
};

// What all builds of a run share.
struct BuildSite {
    const std::vector<graph::Unit>* networks = nullptr;
    const std::vector<graph::ColumnTransform>* transforms = nullptr;
    Layouts* layouts = nullptr;
    DType real = DType::kF32;
    std::set<std::string>* told = nullptr;  // as in graph::Context
    std::int64_t burn_in = 0;               // of updates, the same
};

// `function` ("sample", "mode" or "mean") of the policy, then the exploration on its action if there is one. It writes
// every output of the policy's function; outputs that are not stored are left to the caller to drop. Where it collects,
// other networks that remember from step to step are run along, so that updates find where sequences begin; otherwise
// it is an evaluation.
BuiltProgram build_act(const BuildSite& site, const graph::Unit& policy, std::string_view function, bool collects,
                       const graph::Unit* exploration, const std::vector<graph::Column>& columns, Problems& problems);

// What somebody puts together of policies' functions on columns of lanes: `assemble` builds and writes. Problems of a
// function are added, and then it has failed.
BuiltProgram build_by_hand(const BuildSite& site, std::string name, const std::vector<graph::Column>& columns,
                           const std::function<void(graph::Builder&)>& assemble, Problems& problems);

// The columns of what an acting program remembers.
std::vector<graph::Column> memory_columns(const BuiltProgram& act, DType real);

// The objective's update on columns of those leading dimensions: rows, or sequences [time, lanes].
BuiltProgram build_update(const BuildSite& site, const graph::Unit& objective, const std::vector<graph::Dim>& leading,
                          const std::vector<graph::Column>& columns, Problems& problems);

// `function` (prepare or conclude) of the objective on a whole collected batch, [time, lanes].
BuiltProgram build_whole_batch(const BuildSite& site, const graph::Unit& objective, const std::string& function,
                               const std::vector<graph::Column>& columns, Problems& problems);

}  // namespace tenon
