// SPDX-License-Identifier: Apache-2.0
// What of a function stands inside its scan over time: only what leads from a memory to what is remembered. Sequences
// enter where a step needs them; what merely follows from a memory is computed outside, for all steps at once, and two
// functions of a network that remember alike share one scan.
#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "compute/graph/attributes.hpp"
#include "compute/graph/builder.hpp"
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

// The nodes of the region that lead to the values, by node.
std::vector<bool> Builder::leading_to(const Values& values, std::uint32_t region) const {
    std::vector<bool> out(graph_.nodes.size());
    for (const ValueId value : values) {
        out[graph_.values[value].node] = is_inside(value, region);
    }
    for (std::size_t id = graph_.nodes.size(); id-- > 1;) {
        if (!out[id]) {
            continue;
        }
        for (const ValueId input : graph_.nodes[id].inputs) {
            if (is_inside(input, region)) {
                out[graph_.values[input].node] = true;
            }
        }
    }
    return out;
}

// Everything about the scan that decides what it computes, free of the numbers that its own nodes happen to have.
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
        if (each.op->random || each.output_count != 1) {
            return {};  // never the same twice
        }
        std::vector<std::string> inputs;
        for (const ValueId input : each.inputs) {
            inputs.push_back(name(input));
        }
        text += ";" + identity_text(each, inputs);
        names[each.first_output] = "n" + std::to_string(names.size());
    }
    for (const ValueId result : results) {
        text += ">" + name(result);
    }
    return text;
}

// Ends the scan. What the function yields is handed out for all steps: what leads to a memory by the scan, the rest
// computed from that.
Builder::Values Builder::close_steps(std::uint32_t id, const Values& kept, const Values& yielded) {
    const std::vector<bool> wanted = leading_to(yielded, id);
    const Values results = results_of_steps(id, kept, yielded, wanted);
    std::map<ValueId, ValueId> outside;
    for (std::size_t i = kept.size(); i < graph_.regions[id].inputs.size(); ++i) {
        outside[graph_.regions[id].inputs[i]] = graph_.regions[id].arguments[i];
    }
    const Values sequences = end_steps(id, results);
    for (std::size_t i = 0; i < results.size(); ++i) {
        outside[results[i]] = sequences[i];
    }
    return move_out(id, wanted, yielded, std::move(outside));
}

// What the scan hands out: the memories, what is yielded and only the scan can compute, and what of that the rest is
// computed from.
Builder::Values Builder::results_of_steps(std::uint32_t id, const Values& kept, const Values& yielded,
                                          const std::vector<bool>& wanted) const {
    const std::vector<bool> recurrent = leading_to(kept, id);
    const Region& region = graph_.regions[id];
    const auto stays = [&](ValueId value) {  // computed by the scan, and no sequence that entered it
        const auto entered = std::ranges::find(region.inputs.begin() + region.carries, region.inputs.end(), value);
        return is_inside(value, id) && entered == region.inputs.end() &&
               (recurrent[graph_.values[value].node] || graph_.node_of(value).is(OpId::kArgument_1) ||
                graph_.node_of(value).output_count != 1 || graph_.node_of(value).region != id);
    };
    Values results = kept;
    const auto hand_out = [&](ValueId value) {
        if (stays(value) && std::ranges::find(results, value) == results.end()) {
            results.push_back(value);
        }
    };
    for (NodeId node = 1; node < wanted.size(); ++node) {
        if (wanted[node] && !stays(graph_.nodes[node].first_output)) {
            std::ranges::for_each(graph_.nodes[node].inputs, hand_out);
        }
    }
    std::ranges::for_each(yielded, hand_out);
    return results;
}

// Ends the region and gives the sequences of the results; those of an equal scan where there is one.
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
    const auto place = [&](ValueId value) { return is_inside(value, id) ? outside.at(value) : value; };
    for (NodeId number = 1; number < wanted.size(); ++number) {
        const Node node = graph_.nodes[number];
        if (!wanted[number] || outside.contains(node.first_output) || node.region != id || node.inputs.empty()) {
            continue;
        }
        const bool reachable = std::ranges::all_of(
            node.inputs, [&](ValueId value) { return !is_inside(value, id) || outside.contains(value); });
        if (!reachable) {
            continue;  // of the recurrence
        }
        Draft draft{node.op, {}, node.attributes, node.source};
        for (const ValueId input : node.inputs) {
            draft.inputs.push_back(place(input));
        }
        if (node.op->random) {  // the same stream draws the same numbers, for all steps at once
            Type type{Kind::kReal, graph_.type(draft.inputs.front()).dims};
            std::uint32_t region = 0;
            region_of(draft.inputs, region);
            outside[node.first_output] = intern(std::move(draft), {std::move(type)}, region).front();
        } else {
            outside[node.first_output] = add(std::move(draft)).front();
        }
    }
    Values out;
    for (const ValueId value : yielded) {
        out.push_back(value == 0 ? 0 : place(value));
    }
    return out;
}

}  // namespace tenon::graph
