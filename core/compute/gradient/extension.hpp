// SPDX-License-Identifier: Apache-2.0
// Extends a finished graph by nodes of the host, for example to differentiate it. A node that computes the same as an
// existing node reuses it. A new node belongs to the scan of its inputs, if any.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "base/error/result.hpp"
#include "compute/graph/graph.hpp"

namespace tenon::graph {

class Extension {
public:
    explicit Extension(Graph& graph);

    // Adds a node whose op has a rule for its type. Omitted attributes have their defaults. Inputs that do not fit are
    // a defect of the caller: status() reports it from then on, the returned value is the first input, and the graph
    // must not be used.
    ValueId emit(OpId op, std::vector<ValueId> inputs, std::vector<Attribute> attributes = {});
    ValueId constant(double value);
    // Adds a node whose op has no rule for the types of its results; never shared. Returns the first result.
    ValueId emit_typed(OpId op, std::vector<ValueId> inputs, std::vector<Attribute> attributes,
                       std::vector<Type> types);
    // A column that the graph reads already, or a new one.
    ValueId column(const std::string& key, Type type);

    // Begins a scan over the same steps as `forward` that runs the other way, and returns the values of its memories
    // inside it. Until it ends, a node that reads sequences together with a value of its body gets them step by step.
    std::vector<ValueId> begin_scan_back(const Region& forward, const std::vector<ValueId>& first);
    ValueId step_of(ValueId sequence);
    [[nodiscard]] bool is_inside(ValueId value) const;  // whether it is inside the scan that has begun
    // `results` are the values of each memory one step earlier. Returns all of them at every step. Sequences that no
    // result depends on are removed.
    std::vector<ValueId> end_scan(const std::vector<ValueId>& results);

    // Sets the source of new nodes until the next call.
    void at_source(std::uint32_t source) { source_ = source; }

    // The first node that could not be added.
    [[nodiscard]] const Status& status() const { return status_; }

    [[nodiscard]] const Graph& graph() const { return graph_; }
    [[nodiscard]] const Type& type(ValueId value) const { return graph_.type(value); }

private:
    ValueId intern(const OpDef& op, std::vector<ValueId> inputs, std::vector<Attribute> attributes, Type type);
    ValueId argument(std::size_t number, Type type);
    [[nodiscard]] Dim steps() const { return graph_.regions[scan_].steps; }  // of the scan that has begun
    ValueId refuse(const OpDef& op, const std::string& why, const std::vector<ValueId>& inputs);

    Graph& graph_;
    Status status_;
    std::uint32_t source_ = 0;
    std::uint32_t scan_ = 0;  // the scan that has begun; 0: none
    std::unordered_map<std::string, ValueId> known_;
};

// Gives a gradient the dimensions of its value: sums it over dimensions that the value lacks, and broadcasts it along
// those that it lacks.
ValueId lined_up(Extension& graph, ValueId part, ValueId value);

}  // namespace tenon::graph
