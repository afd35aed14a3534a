// SPDX-License-Identifier: Apache-2.0
// Decides which nodes of a function are inside its scan over time: only those that lead from a memory to what is
// remembered. Sequences enter the scan where a step needs them. Nodes that only follow from a memory are computed
// outside, for all steps at once. Two functions of a network with the same recurrence share one scan.
//
// This works because a node outside of the recurrence computes each step from values of the same step. So the scan
// hands out the memories as sequences, and copies of these nodes compute all steps from them at once. The loop, which
// cannot be parallel, then contains only what one step needs of the step before.
#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "base/data/mapped.hpp"
#include "compute/graph/builder.hpp"
#include "compute/graph/dependence.hpp"
#include "compute/graph/scan_arguments.hpp"

namespace tenon::graph {

bool Builder::is_inside(ValueId value, std::uint32_t region) const {
    std::uint32_t of = graph_.node_of(value).region;
    while (of != 0 && of != region) {
        of = graph_.regions[of].parent;
    }
    return of == region;
}

// An operation on a step's value and on a sequence sees the sequence's step.
void Builder::enter_steps(Draft& draft) {
    const Steps* const steps = frames_.back().steps;
    const auto inside = [&](ValueId value) { return is_inside(value, steps->region); };
    if (steps == nullptr || std::ranges::none_of(draft.inputs, inside)) {
        return;
    }
    for (ValueId& input : draft.inputs) {
        if (!inside(input) && graph_.type(input).has(kTime)) {
            input = step_of(input, steps->region, draft.source);
        }
    }
}

// A function's own scan runs at one step, so it gets the step of each sequence.
void Builder::enter_inner_scan(Region& inner) {
    const Steps* const steps = frames_.back().steps;
    for (ValueId& argument : inner.arguments) {
        if (steps != nullptr && !is_inside(argument, steps->region) && graph_.type(argument).has(kTime)) {
            argument = step_of(argument, steps->region, inner.source);
        }
    }
    inner.inputs = inner.arguments;
}

ValueId Builder::step_of(ValueId sequence, std::uint32_t id, std::uint32_t source) {
    if (const ValueId known = entered(graph_.regions[id], sequence); known != 0) {
        return known;
    }
    const auto number = static_cast<std::int64_t>(graph_.regions[id].arguments.size());
    const ValueId inside =
        intern(Draft{&op_of(OpId::kArgument_1), {}, {{"number", number}, {"region", std::int64_t{id}}}, source},
               {at_one_step(graph_.type(sequence), kTime)}, id)
            .front();
    graph_.regions[id].arguments.push_back(sequence);
    graph_.regions[id].inputs.push_back(inside);
    return inside;
}

// The nodes of the region that the values depend on, with the bodies of scans inside of it; by node.
std::vector<bool> Builder::leading_to(const Values& values, std::uint32_t region) const {
    std::vector<bool> out(graph_.nodes.size());
    const auto mark = [&](ValueId value) {
        if (is_inside(value, region)) {
            out[graph_.values[value].node] = true;
        }
    };
    std::ranges::for_each(values, mark);
    for (std::size_t id = graph_.nodes.size(); id-- > 1;) {
        if (out[id]) {
            for_each_read(graph_, static_cast<NodeId>(id), mark);
        }
    }
    return out;
}

// The values of the region itself that the node reads; a scan inside of it also reads what its body reads.
Builder::Values Builder::read_of(NodeId id, std::uint32_t region) const {
    Values out;
    const auto take = [&](ValueId value) {
        if (graph_.node_of(value).region == region) {
            out.push_back(value);
        }
    };
    const Node& node = graph_.nodes[id];
    std::ranges::for_each(node.inputs, take);
    if (node.is_any(kScans)) {
        const auto inner = static_cast<std::uint32_t>(int_attribute(node, "region"));
        for (NodeId each = graph_.regions[inner].first_node; each < id; ++each) {
            if (is_inside(graph_.nodes[each].first_output, inner)) {
                std::ranges::for_each(graph_.nodes[each].inputs, take);
            }
        }
        std::ranges::for_each(graph_.regions[inner].results, take);
    }
    return out;
}

// A text for everything that decides what the scan computes, without the numbers of its nodes. Equal scans have the
// same text.
std::string Builder::text_of_steps(std::uint32_t id, const std::vector<bool>& kept, const Values& results) const {
    const Region& region = graph_.regions[id];
    std::map<ValueId, std::string> names;
    for (std::size_t i = 0; i < region.inputs.size(); ++i) {
        names[region.inputs[i]] = "a" + std::to_string(i);
    }
    const auto name = [&](ValueId value) {
        const auto known = names.find(value);
        return known == names.end() ? std::to_string(value) : known->second;
    };
    std::string text = std::to_string(region.carries);
    for (const ValueId argument : region.arguments) {
        text += "," + std::to_string(argument);
    }
    for (NodeId node = 1; node < kept.size(); ++node) {
        const Node& each = graph_.nodes[node];
        if (!kept[node] || names.contains(each.first_output)) {
            continue;
        }
        if (each.op->random || each.is_any(kScans)) {
            return {};  // never the same twice
        }
        const auto inputs = mapped<std::string>(each.inputs, [&](const ValueId input) { return name(input); });
        text += ";" + identity_text(each, inputs);
        names[each.first_output] = "n" + std::to_string(names.size());
    }
    for (const ValueId result : results) {
        text += ">" + name(result);
    }
    return text;
}

// The sequences that have entered, by the values inside that stand for them.
std::map<ValueId, ValueId> Builder::sequences_of(std::uint32_t id) const {
    const Region& region = graph_.regions[id];
    std::map<ValueId, ValueId> out;
    for (auto i = static_cast<std::size_t>(region.carries); i < region.inputs.size(); ++i) {
        out[region.inputs[i]] = region.arguments[i];
    }
    return out;
}

// The outputs of a scan inside of the steps. A scan that reads only sequences and no memory is computed outside, for
// all steps at once; its outputs are then sequences, too.
Builder::Values Builder::before_steps(const Values& outputs) {
    const std::uint32_t id = frames_.back().steps->region;
    const NodeId scan = graph_.values[outputs.front()].node;
    std::map<ValueId, ValueId> placed = sequences_of(id);
    if (!std::ranges::all_of(read_of(scan, id), [&](ValueId value) { return placed.contains(value); })) {
        return outputs;
    }
    copy(scan, leading_to(outputs, id), placed, graph_.regions[id].parent);
    Values out;
    for (const ValueId output : outputs) {
        out.push_back(placed.at(output));
    }
    return out;
}

// Ends the scan. Returns what the function yields, for all steps: values that lead to a memory come from the scan, and
// the others are computed from these.
Builder::Values Builder::close_steps(std::uint32_t id, const Values& kept, const Values& yielded) {
    const std::vector<bool> wanted = leading_to(yielded, id);
    const Values results = results_of_steps(id, kept, yielded, wanted);
    std::map<ValueId, ValueId> outside = sequences_of(id);
    const Values sequences = end_steps(id, results);
    for (std::size_t i = 0; i < results.size(); ++i) {
        outside[results[i]] = sequences[i];
    }
    return move_out(id, wanted, yielded, std::move(outside));
}

// The values that the scan hands out: the memories, yielded values that only the scan can compute, and values from
// which the other yielded ones are computed.
Builder::Values Builder::results_of_steps(std::uint32_t id, const Values& kept, const Values& yielded,
                                          const std::vector<bool>& wanted) const {
    const std::vector<bool> recurrent = leading_to(kept, id);
    const Region& region = graph_.regions[id];
    const auto stays = [&](ValueId value) {  // the scan computes it, and it is no sequence that entered
        const Node& node = graph_.node_of(value);
        const auto entered = std::ranges::find(region.inputs.begin() + region.carries, region.inputs.end(), value);
        return node.region == id && entered == region.inputs.end() &&
               (recurrent[graph_.values[value].node] || node.is(OpId::kArgument_1));
    };
    Values results = kept;
    const auto hand_out = [&](ValueId value) {
        if (stays(value) && std::ranges::find(results, value) == results.end()) {
            results.push_back(value);
        }
    };
    for (NodeId node = 1; node < wanted.size(); ++node) {
        if (wanted[node] && graph_.nodes[node].region == id && !stays(graph_.nodes[node].first_output)) {
            std::ranges::for_each(read_of(node, id), hand_out);
        }
    }
    std::ranges::for_each(yielded, hand_out);
    return results;
}

// Ends the region and returns its results as sequences; those of an equal scan if there is one.
Builder::Values Builder::end_steps(std::uint32_t id, const Values& results) {
    const std::vector<bool> needed = leading_to(results, id);
    Region& region = graph_.regions[id];
    drop_arguments(graph_, region, static_cast<std::size_t>(region.carries) + 1, needed);  // after the reset
    const std::string text = text_of_steps(id, needed, results);
    if (const auto same = scans_.find(text); !text.empty() && same != scans_.end()) {
        open_regions_.pop_back();
        return same->second;
    }
    Values sequences(results.size());
    region_end(results, sequences);
    return scans_[text] = sequences;
}

Builder::Values Builder::move_out(std::uint32_t id, const std::vector<bool>& wanted, const Values& yielded,
                                  std::map<ValueId, ValueId> outside) {
    for (NodeId number = 1; number < wanted.size(); ++number) {
        const Node& node = graph_.nodes[number];
        if (!wanted[number] || outside.contains(node.first_output) || node.region != id || node.is(OpId::kArgument_1)) {
            continue;
        }
        const bool reachable =
            std::ranges::all_of(read_of(number, id), [&](ValueId value) { return outside.contains(value); });
        if (reachable) {  // reached from the yielded values, and not part of the recurrence
            copy(number, wanted, outside, open_regions_.empty() ? 0 : open_regions_.back());
        }
    }
    Values out;
    for (const ValueId value : yielded) {
        out.push_back(is_inside(value, id) ? outside.at(value) : value);
    }
    return out;
}

// Adds a copy of the node inside of the region `around`, with the inputs that `placed` has for its inputs, and records
// its results in `placed`.
void Builder::copy(NodeId id, const std::vector<bool>& wanted, std::map<ValueId, ValueId>& placed,
                   std::uint32_t around) {
    const Node node = graph_.nodes[id];
    Draft draft{node.op, {}, node.attributes, node.source};
    for (const ValueId input : node.inputs) {
        const auto found = placed.find(input);
        draft.inputs.push_back(found == placed.end() ? input : found->second);
    }
    Values results(node.output_count);
    if (std::ranges::find(draft.inputs, ValueId{0}) != draft.inputs.end()) {
        // the cause has been reported
    } else if (node.is_any(kScans)) {
        results = copy_scan(id, draft, wanted, placed, around);
    } else if (node.op->random) {  // the same stream draws the same numbers, for all steps at once
        Type type{Kind::kReal, graph_.type(draft.inputs.front()).dims};
        const std::uint32_t region = region_of_draw(draft.inputs);
        results = intern(std::move(draft), {std::move(type)}, region);
    } else {
        results = add(std::move(draft));
    }
    for (std::uint32_t i = 0; i < node.output_count; ++i) {
        placed[node.first_output + i] = results[i];
    }
}

// A copy of the scan with other arguments, and with the wanted nodes of its body.
Builder::Values Builder::copy_scan(NodeId id, const Draft& draft, const std::vector<bool>& wanted,
                                   std::map<ValueId, ValueId>& placed, std::uint32_t around) {
    const auto from = static_cast<std::uint32_t>(int_attribute(graph_.nodes[id], "region"));
    const Region body = graph_.regions[from];
    Region region = body;
    region.parent = around;
    region.arguments = draft.inputs;
    region.inputs = draft.inputs;
    graph_.regions.push_back(std::move(region));
    const auto to = static_cast<std::uint32_t>(graph_.regions.size() - 1);
    open_regions_.push_back(to);
    open_scan(draft, graph_.regions[to]);
    for (std::size_t i = 0; i < body.inputs.size(); ++i) {
        placed[body.inputs[i]] = graph_.regions[to].inputs[i];
    }
    for (NodeId each = body.first_node; each < id; ++each) {
        const Node& node = graph_.nodes[each];
        if (wanted[each] && node.region == from && !node.is(OpId::kArgument_1)) {
            copy(each, wanted, placed, to);
        }
    }
    Values results;
    for (const ValueId result : body.results) {
        const auto found = placed.find(result);
        results.push_back(found == placed.end() ? result : found->second);
    }
    Values out(results.size());
    region_end(results, out);
    return out;
}

}  // namespace tenon::graph
