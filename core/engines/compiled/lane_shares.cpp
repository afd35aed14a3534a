// SPDX-License-Identifier: Apache-2.0
#include "engines/compiled/lane_shares.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "compute/exec/rows.hpp"

namespace tenon::compiled {
namespace {

using graph::Dim;
using graph::Graph;
using graph::Node;
using graph::Type;
using graph::ValueId;

constexpr std::int64_t kCached = std::int64_t{5}
                                 << 19U;  // bytes, of 1 to 2 MB of a core's own cache and more behind it
constexpr std::int64_t kFewestRows = 16;  // of a product

bool has_lanes(const Graph& graph, ValueId value) {
    return graph.type(value).has(graph::kLanes);
}

// Whether no value depends on several lanes. Of a loop its body says so; it may also carry values without lanes.
bool lanes_stay_apart(const Graph& graph) {
    return std::ranges::all_of(graph.nodes, [&](const Node& node) {
        if (node.op != nullptr && node.is_any(graph::kScans)) {
            return true;
        }
        const bool reads = std::ranges::any_of(node.inputs, [&](ValueId input) { return has_lanes(graph, input); });
        bool keeps = node.output_count > 0 || !reads;
        for (std::size_t i = 0; reads && i < node.output_count; ++i) {
            keeps = keeps && has_lanes(graph, node.first_output + static_cast<ValueId>(i));
        }
        return keeps;
    });
}

Carried carried_by_loops(const Graph& graph, const Learner& learner) {
    Carried out;
    for (const graph::Region& region : graph.regions) {
        for (std::size_t i = 0; i < static_cast<std::size_t>(region.carries); ++i) {
            const Type& type = graph.type(region.inputs[i]);
            std::int64_t elements = 1, rows = 1;
            for (const Dim dim : type.dims) {
                const std::int64_t size = size_of(dim, graph, learner, {.lanes = 1});
                elements *= size;
                rows *= dim < 0 ? size : 1;
            }
            out.bytes += type.has(graph::kLanes) ? elements * static_cast<std::int64_t>(size_of(learner.real)) : 0;
            out.rows = std::max(out.rows, rows);
        }
    }
    return out;
}

class LaneShares final : public Program {
public:
    LaneShares(std::unique_ptr<Program> program, const ProgramSpec& spec, const Carried& carried)
        : program_(std::move(program)), carried_(carried), in_(spec.inputs), out_(spec.outputs) {}

    Result<Computed*> run(const Call& call) override {
        const std::int64_t lanes = call.sizes.lanes;
        const std::int64_t together = lanes_together(carried_, lanes);
        if (together == lanes || call.watch != nullptr) {
            return program_->run(call);
        }
        Result<Computed*> out = nullptr;
        for (std::int64_t first = 0; first < lanes; first += together) {
            move_to(first, call);
            Call share = call;
            share.sizes.lanes = together;
            share.inputs = inputs_;
            share.outputs = outputs_;
            share.random.first_row += static_cast<std::uint64_t>(first);
            share.numbers.same_parameters = call.numbers.same_parameters || first > 0;
            out = program_->run(share);
            if (!out) {
                return out;
            }
        }
        return out;
    }

private:
    void move_to(std::int64_t lane, const Call& call) {
        inputs_.clear();
        for (std::size_t i = 0; i < call.inputs.size(); ++i) {
            const auto* const rows = static_cast<const std::byte*>(call.inputs[i]);
            inputs_.push_back(rows == nullptr ? nullptr : rows + static_cast<std::size_t>(lane) * row_bytes(in_[i]));
        }
        outputs_.clear();
        for (std::size_t i = 0; i < call.outputs.size(); ++i) {
            auto* const rows = static_cast<std::byte*>(call.outputs[i]);
            outputs_.push_back(rows == nullptr ? nullptr : rows + static_cast<std::size_t>(lane) * row_bytes(out_[i]));
        }
    }

    std::unique_ptr<Program> program_;
    Carried carried_;
    std::vector<Port> in_;
    std::vector<Port> out_;
    std::vector<const void*> inputs_;
    std::vector<void*> outputs_;
};

}  // namespace

std::int64_t lanes_together(const Carried& carried, std::int64_t lanes) {
    std::int64_t out = lanes;
    while (out % 2 == 0 && out * carried.bytes > kCached && out / 2 * carried.rows >= kFewestRows) {
        out /= 2;
    }
    return out;
}

std::unique_ptr<Program> in_lane_shares(std::unique_ptr<Program> program, const ProgramSpec& spec,
                                        const Learner& learner) {
    const Graph& graph = *spec.graph;
    const std::vector<Dim> leading = leading_of(graph).value_or(std::vector<Dim>());
    const Carried carried = carried_by_loops(graph, learner);
    const bool fits = carried.bytes > 0 && leading == std::vector<Dim>{graph::kLanes} && graph.metrics.empty() &&
                      graph.controls.empty() && !spec.writes_state && !spec.is_on_device() && lanes_stay_apart(graph);
    if (!fits) {
        return program;
    }
    return std::make_unique<LaneShares>(std::move(program), spec, carried);
}

}  // namespace tenon::compiled
