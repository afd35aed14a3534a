// SPDX-License-Identifier: Apache-2.0
// What a build may refer to: the columns of its program, the networks of the run, the options of components.
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/data/spec.hpp"
#include "base/data/spec_abi.hpp"
#include "base/error/result.hpp"
#include "compute/graph/graph.hpp"
#include "tenon/abi/graph.h"

namespace tenon::graph {

// A numeric option of a component: a constant, or a place in the run's live values if a schedule moves it.
struct OptionBinding {
    std::string name;
    double value = 0;
    std::int64_t live = -1;
};

// A column that is the result of a network's function.
struct ProvidedColumn {
    std::string key;
    std::string function;
};

// The network that a component gets where it calls a role.
struct RoleOf {
    std::string role;
    std::string network;
};

// A component that builds graphs, as the manifest names it.
struct Unit {
    std::string role;       // "qvalue" for [policy.qvalue]; "objective", "exploration"
    std::string component;  // "mlp/q_value"
    Place place;            // of the manifest's table
    const tn_graph_component_api* api = nullptr;
    void* self = nullptr;
    std::vector<const tn_function*> functions;
    std::vector<OptionBinding> options;
    std::vector<ProvidedColumn> provides;   // results that other networks read as columns
    std::int64_t members = 1;               // more than 1: parameters carry the members' dimension
    std::vector<FusedKernel> kernels = {};  // that its fused nodes may name
    std::string group = {};             // of agents: its functions read the group's columns, for one agent at a time
    bool own = false;                   // each agent of the group has its own parameters and states
    std::vector<RoleOf> networks = {};  // of an objective; for other roles it gets the network of that name
};

// The agents of an env that share the columns below the group's name.
struct Group {
    std::string name;
    std::int64_t agents = 0;
};

// A transform that is a graph: a reader of one of its columns, now or under "next.", gets the result of its apply.
struct ColumnTransform {
    Unit unit;
    std::vector<std::string> keys;
};

// The functions that a component exports, or a problem if its list is invalid.
Result<std::vector<const tn_function*>> functions_of(const tn_graph_component_api& api, void* self,
                                                     const std::string& component, const Place& place);

const tn_function* find_function(const Unit& unit, std::string_view name);

// The names of those functions whose result can be read as a column: they have no inputs and one output.
std::vector<std::string_view> column_functions(const Unit& unit);

// The names in tn_function.inputs or outputs.
std::vector<std::string_view> split_names(const char* names);

struct Column {
    Spec spec;           // under the reader's key: "next.observation"
    std::string writer;  // "env", "actor", "sampler", "prepare": who provides it, for messages and tables
    // The column from which the buffer makes it, if it has a new name: "next.reward" of "next.rewards". Transforms of
    // that column change it as well.
    std::string made_of = {};
    std::size_t agents_at = 0;  // which of its sizes is the agents', if it is a group's
    std::int64_t earlier = 0;   // of a history: readers get the rows of so many steps before a sequence, for each lane
};

// A network's function whose result is read instead of a column: stand_ins.cpp.
struct StandIn {
    std::string key;       // as a reader at the root of the program asks for it: "next.reward"
    std::string role;      // of the network, which has the function
    std::string function;  // without inputs, with one output
    Place place = {};
};

// A parameter that a network's function reads, before it is in the network's layout.
struct ParameterRequest {
    std::string_view role;
    std::string_view name;
    std::vector<std::int64_t> shape;  // of one member
    std::int64_t agents = 0;          // the number of agents that have one each; 0: it does not belong to agents
    std::string_view init;
    double scale = 0;
    bool trainable = true;
    std::string_view slab = "live";
};

// The key in Context::told for a network that does not exist.
std::string mark_of_network(std::string_view role);

// The key in Context::told for a column that `role` reads and that does not exist.
std::string mark_of_column(std::string_view role, std::string_view key);

// The sizes of a program's leading dimensions, as far as they are known while it is built.
struct Extent {
    std::int64_t rows = 1;  // the most, as a product of all leading dimensions
    std::int64_t time = 0;  // 0 if it is unknown or there is no time
};

// A gradient to be added to a graph that is being built.
struct Derivative {
    ValueId of = 0;
    ValueId wrt = 0;
    std::vector<std::uint32_t> scans;  // that are open: what is inside them may be differentiated
    std::uint32_t steps = 0;           // the one of them that the host has opened for a network's memory, or 0
    std::uint32_t source = 0;
};

struct Context {
    std::string program;       // "update"
    std::vector<Dim> leading;  // of every column: {B}, {L}, {T, L}
    Extent extent = {};
    const std::vector<Column>* columns = nullptr;
    const std::vector<Unit>* networks = nullptr;
    const std::vector<ColumnTransform>* transforms = nullptr;  // in their order; null: none
    const std::vector<Group>* groups = nullptr;                // null: none
    const std::vector<StandIn>* stand_ins = nullptr;           // null: none
    std::set<std::string>* stood_in = nullptr;  // receives the keys of stand-ins that are read; null: not wanted
    std::set<std::string>* called = nullptr;    // receives "OBJECTIVE.ROLE" if a unit has networks; null: not wanted
    bool trains = false;                        // losses and stages are allowed
    std::int64_t burn_in = 0;                   // steps of a sequence that only prepare a memory, without gradient
    bool forgets = false;                       // sequences begin with a memory of zeros instead of the stored one

    // Mistakes that have been reported: each is reported once, not in every function and program in which it occurs.
    // Null: the build remembers only its own.
    std::set<std::string>* told = nullptr;

    // Called for each parameter that is read; a problem if it contradicts an earlier declaration.
    std::function<Status(const ParameterRequest&)> declare;

    // Returns the sentence that a plugin has set with set_error, and clears it.
    std::function<std::string()> take_error;

    // Adds the nodes of a gradient (compute/gradient/derivative.hpp); null: the program has none.
    Result<ValueId> (*differentiate)(Graph& graph, const Derivative& wanted) = nullptr;
};

}  // namespace tenon::graph
