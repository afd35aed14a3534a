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

// A component that builds graphs, as the manifest brought it in.
struct Unit {
    std::string role;       // "qvalue" for [policy.qvalue]; "objective", "exploration"
    std::string component;  // "mlp/q_value"
    Place place;            // of the manifest's table
    const tn_graph_component_api* api = nullptr;
    void* self = nullptr;
    std::vector<const tn_function*> functions;
    std::vector<OptionBinding> options;
    std::vector<ProvidedColumn> provides;   // what other networks read of it as columns
    std::int64_t members = 1;               // more than 1: parameters carry the members' dimension
    std::vector<FusedKernel> kernels = {};  // that its fused nodes may name
    std::string group = {};                 // of agents: its columns are those of the group, one agent's each
    bool own = false;                       // each agent of the group has parameters and states of its own
};

// The agents of an env that share the columns below the group's name.
struct Group {
    std::string name;
    std::int64_t agents = 0;
};

// A transform that is a graph: whoever reads one of its columns, now or under "next.", gets what its apply makes of it.
struct ColumnTransform {
    Unit unit;
    std::vector<std::string> keys;
};

// The functions that a component exports, or a problem if its list is invalid.
Result<std::vector<const tn_function*>> functions_of(const tn_graph_component_api& api, void* self,
                                                     const std::string& component, const Place& place);

const tn_function* find_function(const Unit& unit, std::string_view name);

// The names of those functions whose result can be read as a column: without inputs and with one output.
std::vector<std::string_view> column_functions(const Unit& unit);

// The names in tn_function.inputs or outputs.
std::vector<std::string_view> split_names(const char* names);

struct Column {
    Spec spec;           // under the reader's key: "next.observation"
    std::string writer;  // "env", "actor", "sampler", "prepare": who provides it, for messages and tables
    // The column that the buffer makes it of, where it is one of a new name: "next.reward" of "next.rewards".
    // Transforms that change the one change the other.
    std::string made_of = {};
    std::size_t agents_at = 0;  // which of its sizes is the agents', if it is a group's
};

// A function of a network in place of a column: stand_ins.cpp.
struct StandIn {
    std::string key;       // as a reader at the root of the program asks for it: "next.reward"
    std::string role;      // of the network, which has the function
    std::string function;  // without inputs, with one output
    Place place = {};
};

// A parameter that a network's function reads, on its way into the network's layout.
struct ParameterRequest {
    std::string_view role;
    std::string_view name;
    std::vector<std::int64_t> shape;  // of one member
    std::int64_t agents = 0;          // that have one each; 0: it is not of agents
    std::string_view init;
    double scale = 0;
    bool trainable = true;
    std::string_view slab = "live";
};

// How a column that `role` asks for in vain stands in Context::told.
std::string mark_of_column(std::string_view role, std::string_view key);

// What is known about the sizes of a program's leading dimensions while it is built.
struct Extent {
    std::int64_t rows = 1;  // the most, as a product of all leading dimensions
    std::int64_t time = 0;  // 0 if it is unknown or there is no time
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
    std::set<std::string>* stood_in = nullptr;                 // gets the keys of those that are read; null: not asked
    bool trains = false;                                       // losses and stages are allowed
    std::int64_t burn_in = 0;  // steps of a sequence that only lead to a memory, without gradient
    bool forgets = false;      // sequences begin with a memory of zeros in place of the stored one

    // Mistakes that have been told: each is told once, not in every function and program that comes upon it. Null: a
    // build knows its own only.
    std::set<std::string>* told = nullptr;

    // A parameter was asked for; answers whether it agrees with what is known of it.
    std::function<Status(const ParameterRequest&)> declare;

    // The sentence a plugin has left with set_error, and an empty one from then on.
    std::function<std::string()> take_error;
};

}  // namespace tenon::graph
