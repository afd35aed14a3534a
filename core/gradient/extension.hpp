// SPDX-License-Identifier: Apache-2.0
// A finished graph that grows: nodes that the host adds to those of the plugins, to differentiate it, say. A node that
// computes what another one does already is that one. It stands in the scan that any of its inputs stands in.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "error/result.hpp"
#include "graph/graph.hpp"

namespace tenon::graph {

class Extension {
public:
    explicit Extension(Graph& graph);

    // Of an op that a rule gives its type. Attributes that are not given have their defaults. Inputs that do not fit
    // are a defect of the caller: status() says so from then on, the value is that of the first input, and nobody may
    // use the graph.
    ValueId emit(std::string_view op, std::vector<ValueId> inputs, std::vector<Attribute> attributes = {});
    ValueId constant(double value);
    // Of an op whose results no rule gives their types; never shared. The first of its results.
    ValueId emit_typed(std::string_view op, std::vector<ValueId> inputs, std::vector<Attribute> attributes,
                       std::vector<Type> types);
    // A column that the graph has, or has not read so far.
    ValueId column(const std::string& key, Type type);

    // Begins a scan that goes back over the steps; the values of its memories inside of it. Until it ends, what a node
    // reads of sequences beside a value of its body enters step by step.
    std::vector<ValueId> begin_scan_back(const std::vector<ValueId>& first);
    ValueId step_of(ValueId sequence);
    [[nodiscard]] bool is_inside(ValueId value) const;  // of the scan that has begun
    // What becomes of each memory, a step earlier; all of them at every step. Sequences that no result depends on
    // leave it again.
    std::vector<ValueId> end_scan(const std::vector<ValueId>& results);

    // Where nodes say they come from, until it is called again.
    void at_source(std::uint32_t source) { source_ = source; }

    // The first node that could not be added.
    [[nodiscard]] const Status& status() const { return status_; }

    [[nodiscard]] const Graph& graph() const { return graph_; }
    [[nodiscard]] const Type& type(ValueId value) const { return graph_.type(value); }

private:
    ValueId intern(const OpDef& op, std::vector<ValueId> inputs, std::vector<Attribute> attributes, Type type);
    ValueId argument(std::size_t number, Type type);
    ValueId refuse(std::string_view op, const std::string& why, const std::vector<ValueId>& inputs);

    Graph& graph_;
    Status status_;
    std::uint32_t source_ = 0;
    std::uint32_t scan_ = 0;  // that has begun; 0: none
    std::unordered_map<std::string, ValueId> known_;
};

}  // namespace tenon::graph
