// SPDX-License-Identifier: Apache-2.0
#include "engines/compiled/next_values.hpp"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "base/data/key.hpp"
#include "compute/graph/dependence.hpp"

namespace tenon::compiled {
namespace {

using graph::Node;
using graph::NodeId;
using graph::Rule;
using graph::Type;
using graph::ValueId;

bool is_over_steps(const Type& type) {
    return type.has(graph::kTime) || type.has(graph::kLanes);
}

// Whether each row of the result depends on that row alone.
bool is_by_row(const Node& node) {
    switch (node.op->rule) {
        case Rule::kSame:
            if (node.is(graph::OpId::kShiftTime_1)) {
                return false;
            }
            break;
        case Rule::kElementwise:
        case Rule::kCompare:
        case Rule::kLogical:
        case Rule::kWhere:
        case Rule::kCast:
        case Rule::kReduce:
        case Rule::kArgReduce:
        case Rule::kReduceMembers:
        case Rule::kTranspose:
        case Rule::kPermute:
        case Rule::kConcat:
        case Rule::kSlice:
        case Rule::kUnsqueeze:
        case Rule::kSqueeze:
        case Rule::kReshape:
        case Rule::kLinear:
        case Rule::kPatches:
            break;
        default:
            return false;
    }
    return node.region == 0 && node.output_count == 1;
}

class Taking {
public:
    Taking(UpdateGraph& update, std::span<const Port> inputs)
        : update_(update),
          graph_(update.graph),
          inputs_(inputs),
          now_(graph_.values.size(), 0),
          has_steps_(graph_.values.size(), false),
          readers_(graph_.values.size()),
          is_wanted_(graph_.values.size(), false) {}

    std::vector<NextValue> take() {
        find_readers();
        for (NodeId id = 1; id < graph_.nodes.size(); ++id) {
            if (update_.needed[id] && graph_.nodes[id].output_count == 1) {
                now_[graph_.nodes[id].first_output] = same_over_now(id);
            }
        }
        std::vector<NextValue> out;
        for (NodeId id = 1; id < graph_.nodes.size(); ++id) {
            if (update_.needed[id] && is_last(id)) {
                take_with_all_below(id, out);
            }
        }
        return out;
    }

private:
    void find_readers() {
        for (NodeId id = 1; id < graph_.nodes.size(); ++id) {
            const Node& node = graph_.nodes[id];
            bool has_steps = node.is(graph::OpId::kColumn_1);
            graph::for_each_read(graph_, id, [&](ValueId value) {
                has_steps = has_steps || has_steps_[value];
                if (update_.needed[id]) {
                    readers_[value].push_back(id);
                }
            });
            std::fill_n(has_steps_.begin() + node.first_output, node.output_count, has_steps);
        }
        for (const ValueId value : graph::effects_of(graph_, true)) {
            is_wanted_[value] = true;
        }
    }

    [[nodiscard]] bool is_next(NodeId id) const {
        return graph_.nodes[id].output_count == 1 && now_[graph_.nodes[id].first_output] != 0;
    }

    // The value that an earlier node computes in the same way from columns instead of next columns; 0 if there is none.
    [[nodiscard]] ValueId same_over_now(NodeId id) const {
        const Node& node = graph_.nodes[id];
        const Type& type = graph_.type(node.first_output);
        const bool is_column = node.is(graph::OpId::kColumn_1);
        const std::string_view key = is_column ? std::string_view(graph::string_attribute(node, "key")) : "";
        if (is_column ? !tenon::is_next(key) || !is_over_steps(type) : !is_by_row(node)) {
            return 0;
        }
        std::vector<ValueId> inputs;
        bool over_next = is_column;
        for (const ValueId input : node.inputs) {
            if (now_[input] == 0 && has_steps_[input]) {
                // for example a mean over rows: over the separately computed rows it would be a mean of fewer
                return 0;
            }
            over_next = over_next || now_[input] != 0;
            inputs.push_back(now_[input] != 0 ? now_[input] : input);
        }
        for (NodeId other = 1; over_next && other < graph_.nodes.size(); ++other) {
            const Node& have = graph_.nodes[other];
            if (!update_.needed[other] || have.op != node.op || have.region != 0 || have.inputs != inputs ||
                graph_.type(have.first_output) != type) {
                continue;
            }
            const bool is_same = is_column ? graph::string_attribute(have, "key") == without_next(key)
                                           : have.attributes == node.attributes && other < id;
            if (is_same) {
                return have.first_output;
            }
        }
        return 0;
    }

    // Whether it is real, has one row per step, and has a reader that is not such a value itself.
    [[nodiscard]] bool is_last(NodeId id) const {
        if (!is_next(id) || graph_.nodes[id].is(graph::OpId::kColumn_1)) {
            return false;
        }
        const ValueId value = graph_.nodes[id].first_output;
        const Type& type = graph_.type(value);
        const bool is_rows = type.kind == graph::Kind::kReal &&
                             std::ranges::equal(type.symbols(), std::vector{graph::kTime, graph::kLanes});
        return is_rows && (is_wanted_[value] ||
                           std::ranges::any_of(readers_[value], [&](NodeId reader) { return !is_next(reader); }));
    }

    // The nodes over next columns that it depends on, including itself. Nothing if another node reads one of them,
    // apart from columns.
    [[nodiscard]] std::optional<std::vector<bool>> below(NodeId last) const {
        std::vector<bool> out(graph_.nodes.size(), false);
        out[last] = true;
        for (NodeId id = last; id > 0; --id) {
            const Node& node = graph_.nodes[id];
            if (!out[id] || node.is(graph::OpId::kColumn_1)) {
                continue;
            }
            if (id != last && !is_only_for(out, node.first_output)) {
                return std::nullopt;
            }
            for (const ValueId input : node.inputs) {
                const NodeId from = graph_.values[input].node;
                out[from] = out[from] || now_[input] != 0;
            }
        }
        return out;
    }

    void take_with_all_below(NodeId last, std::vector<NextValue>& out) {
        const std::optional<std::vector<bool>> nodes = below(last);
        if (!nodes) {
            return;
        }
        const ValueId value = graph_.nodes[last].first_output;
        NextValue next_value{.next = value, .now = now_[value], .columns = {}};
        bool has_product = false;
        for (NodeId id = 1; id <= last; ++id) {
            const Node& node = graph_.nodes[id];
            has_product = has_product || ((*nodes)[id] && node.op->rule == Rule::kLinear);
            if ((*nodes)[id] && node.is(graph::OpId::kColumn_1)) {
                next_value.columns.push_back({port(node), port(graph_.node_of(now_[node.first_output]))});
            }
        }
        if (!has_product) {
            return;
        }
        for (NodeId id = 1; id < last; ++id) {
            const bool goes = (*nodes)[id] && is_only_for(*nodes, graph_.nodes[id].first_output);
            update_.needed[id] = update_.needed[id] && !goes;
        }
        out.push_back(std::move(next_value));
    }

    [[nodiscard]] bool is_only_for(const std::vector<bool>& nodes, ValueId value) const {
        return !is_wanted_[value] && std::ranges::all_of(readers_[value], [&](NodeId reader) { return nodes[reader]; });
    }

    [[nodiscard]] std::size_t port(const Node& column) const {
        const auto found = std::ranges::find(inputs_, graph::string_attribute(column, "key"), &Port::key);
        return static_cast<std::size_t>(found - inputs_.begin());
    }

    UpdateGraph& update_;
    const graph::Graph& graph_;
    std::span<const Port> inputs_;
    std::vector<ValueId> now_;                  // by value over next columns; 0 if there is none
    std::vector<bool> has_steps_;               // by value: whether it depends on a column
    std::vector<std::vector<NodeId>> readers_;  // by value
    std::vector<bool> is_wanted_;               // by value
};

}  // namespace

std::vector<NextValue> find_next_values(UpdateGraph& update, std::span<const Port> inputs, const Sizes& sizes) {
    constexpr std::int64_t kFewest = 8;  // steps; the last one is always computed separately
    const bool is_worth_it = sizes.time >= kFewest && sizes.time * sizes.lanes >= 2 * kRowsAtOnce;
    return is_worth_it ? Taking(update, inputs).take() : std::vector<NextValue>();
}

}  // namespace tenon::compiled
