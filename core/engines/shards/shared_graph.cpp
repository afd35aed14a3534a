// SPDX-License-Identifier: Apache-2.0
#include "engines/shards/shared_graph.hpp"

#include <algorithm>
#include <set>
#include <string>

#include "compute/exec/over_shards.hpp"
#include "compute/exec/phase_plan.hpp"
#include "compute/gradient/extension.hpp"
#include "compute/graph/dependence.hpp"

namespace tenon {
namespace {

using graph::NodeId;
using graph::OpId;
using graph::Type;
using graph::ValueId;

OfRows what_of(const graph::Node& node) {
    return node.is(OpId::kBatchSum_1)        ? OfRows::kSum
           : node.is(OpId::kBatchMean_1)     ? OfRows::kMean
           : node.is(OpId::kBatchStd_1)      ? OfRows::kDeviation
           : node.is(OpId::kBatchQuantile_1) ? OfRows::kQuantile
                                             : OfRows::kCount;
}

class Sharing {
public:
    Sharing(const ProgramSpec& spec, DType real)
        : real_(real), out_{.graph = *spec.graph, .inputs = spec.inputs, .outputs = spec.outputs, .values = {}} {}

    SharedGraph make(bool writes_state) {
        const OverShards over = over_shards(out_.graph);
        const std::vector<ValueId> read = read_values();
        for (const NodeId id : over.together) {
            replace(id, read);
        }
        graph::Extension extension(out_.graph);
        const auto average = [&](graph::Named& of, Type type) {
            if (!over.alike[of.value]) {
                of.value = mean_of_shards(extension, of.value, std::move(type));
            }
        };
        for (graph::Named& control : out_.graph.controls) {
            average(control, Type{graph::Kind::kReal, {}});
        }
        for (std::size_t i = 0; writes_state && i < out_.graph.state_writes.size(); ++i) {
            graph::Named& state = out_.graph.state_writes[i];
            average(state, out_.graph.type(state.value));
        }
        return std::move(out_);
    }

private:
    // Each value as often as it is read.
    [[nodiscard]] std::vector<ValueId> read_values() const {
        std::vector<ValueId> out = graph::effects_of(out_.graph, true);
        for (NodeId id = 1; id < out_.graph.nodes.size(); ++id) {
            graph::for_each_read(out_.graph, id, [&](ValueId value) { out.push_back(value); });
        }
        for (const graph::Loss& loss : out_.graph.losses) {
            out.push_back(loss.value);
        }
        return out;
    }

    // The metrics that are the value, if nothing else reads it.
    [[nodiscard]] std::vector<std::size_t> only_metrics(ValueId value, const std::vector<ValueId>& read) const {
        std::vector<std::size_t> out;
        for (std::size_t i = 0; i < out_.graph.metrics.size(); ++i) {
            if (out_.graph.metrics[i].value == value) {
                out.push_back(i);
            }
        }
        const auto times = static_cast<std::size_t>(std::ranges::count(read, value));
        return times == out.size() ? out : std::vector<std::size_t>();
    }

    // The node itself becomes the column, so its readers stay as they are. A value that only metrics are stays a node,
    // and the host sets these metrics (shared_executor.cpp).
    void replace(NodeId id, const std::vector<ValueId>& read) {
        graph::Node& node = out_.graph.nodes[id];
        const OfRows what = what_of(node);
        const double share = what == OfRows::kQuantile ? graph::float_attribute(node, "q") : 0;
        const ValueId rows = node.inputs[0];
        std::vector<std::size_t> metrics = only_metrics(node.first_output, read);
        const bool is_column = metrics.empty();
        const std::string key = add(what, share, rows, out_.graph.type(node.first_output), std::move(metrics));
        if (!is_column) {
            return;
        }
        node.attributes = {{"key", key}};
        node.op = &graph::op_of(OpId::kColumn_1);
        node.inputs.clear();
    }

    ValueId mean_of_shards(graph::Extension& extension, ValueId value, Type type) {
        const std::string key = add(OfRows::kMean, 0, value, type);
        return extension.emit_typed(OpId::kColumn_1, {}, {{"key", key}}, {std::move(type)});
    }

    // The key of the column.
    std::string add(OfRows what, double share, ValueId rows, const Type& type, std::vector<std::size_t> metrics = {}) {
        const std::string number = std::to_string(out_.values.size());
        const std::string key =
            what == OfRows::kCount ? "rows of all shards/" + number : std::string(kOverShards) + number;
        const Type& of = out_.graph.type(rows);
        out_.values.push_back({.what = what,
                               .share = share,
                               .input = out_.inputs.size(),
                               .output = out_.outputs.size(),
                               .metrics = std::move(metrics),
                               .rows = of,
                               .value = type});
        if (out_.values.back().metrics.empty()) {
            out_.inputs.push_back({key, real_, Shape(type.sizes())});
        }
        if (what != OfRows::kCount) {
            // a program may have more values to write than outputs, and the outputs come first
            out_.graph.writes.insert(out_.graph.writes.begin() + static_cast<std::ptrdiff_t>(out_.outputs.size()),
                                     {key, rows});
            out_.outputs.push_back({key, DType::kF64, Shape(of.sizes())});
        }
        return key;
    }

    DType real_;
    SharedGraph out_;
};

}  // namespace

SharedGraph share_rows(const ProgramSpec& spec, DType real) {
    return Sharing(spec, real).make(spec.writes_state || !spec.graph->stages.empty());
}

SharedCost cost_of(const SharedGraph& shared, std::size_t rows_of_shard, std::size_t shards) {
    const graph::Graph& g = shared.graph;
    const Phases phases = find_phases(g, {}, ~DueStages{0});
    SharedCost out;
    std::set<std::uint32_t> with_values;
    for (const SharedValue& value : shared.values) {
        std::size_t elements = 1;
        for (const graph::Dim dim : value.value.dims) {
            elements *= static_cast<std::size_t>(std::max<std::int64_t>(dim >= 0 ? dim : g.symbols.size(dim), 1));
        }
        const bool has_rows = std::ranges::any_of(value.rows.dims, graph::is_row);
        out.numbers += elements * told_by(value.what, has_rows ? rows_of_shard : 1, shards);
        if (value.what != OfRows::kCount) {
            with_values.insert(phases.of_node[g.values[g.writes[value.output].value].node]);
        }
    }
    for (const std::uint32_t stage : phases.of_stage) {
        with_values.erase(stage);
    }
    out.messages = with_values.size();
    return out;
}

}  // namespace tenon
