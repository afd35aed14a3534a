// SPDX-License-Identifier: Apache-2.0
#include "compute/graph/text.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/data/number_text.hpp"
#include "base/error/listed.hpp"
#include "compute/graph/dependence.hpp"

namespace tenon::graph {
namespace {

std::string text_of(double value) {
    return number_text(value);
}

std::string text_of(std::int64_t value) {
    return std::to_string(value);
}

std::string text_of(const std::string& value) {
    return '"' + value + '"';
}

template <class T>
std::string text_of(const std::vector<T>& values) {
    return "[" + listed(values, [](const T& value) { return text_of(value); }) + "]";
}

// Numbers nodes in the order of a depth-first search from what the program is for. The order of the nodes themselves
// would differ between plugins, because compilers evaluate the operands of an expression in different orders.
struct Order {
    const Graph& graph;
    std::vector<NodeId> nodes = {};
    std::vector<ValueId> values;  // the number of each in the text; 0: it is not needed
    std::vector<std::uint32_t> regions;
    std::uint32_t last_value = 0;
    std::uint32_t last_region = 0;

    Order(const Graph& of, std::span<const Named> others)
        : graph(of), values(of.values.size(), 0), regions(of.regions.size(), 0) {
        for (const Loss& loss : graph.losses) {
            reach(loss.value);
            reach(loss.present);
        }
        for (const ValueId value : effects_of(graph, true)) {
            reach(value);
        }
        for (const Named& memory : graph.remembered) {
            reach(memory.value);
        }
        for (const Named& other : others) {
            reach(other.value);
        }
        reach_composites();
    }

    // Numbers everything that the value depends on, then the value.
    void reach(ValueId value) {
        std::vector<NodeId> open{graph.values[value].node};
        while (!open.empty()) {
            const NodeId id = open.back();
            const Node& node = graph.nodes[id];
            if (id == 0 || values[node.first_output] != 0) {
                open.pop_back();
                continue;
            }
            if (node.is_any(kScans)) {
                name_region(static_cast<std::uint32_t>(int_attribute(node, "region")));
            }
            const std::size_t before = open.size();
            for_each_read(graph, id, [&](ValueId read) {
                if (values[read] == 0 && graph.values[read].node != 0) {
                    open.push_back(graph.values[read].node);
                }
            });
            if (open.size() > before) {
                std::reverse(open.begin() + static_cast<std::ptrdiff_t>(before), open.end());
                continue;
            }
            open.pop_back();
            nodes.push_back(id);
            for (std::uint32_t i = 0; i < node.output_count; ++i) {
                values[node.first_output + i] = ++last_value;
            }
        }
    }

    void name_region(std::uint32_t region) {
        if (regions[region] == 0) {
            regions[region] = ++last_region;
        }
    }

    // The composites with a needed result, by their results.
    void reach_composites() {
        std::vector<std::pair<ValueId, std::uint32_t>> found;
        for (std::uint32_t i = 1; i < graph.regions.size(); ++i) {
            ValueId first = 0;
            for (const ValueId output : graph.regions[i].outputs) {
                first = first == 0 || (values[output] != 0 && values[output] < first) ? values[output] : first;
            }
            if (!graph.regions[i].scan && first != 0) {
                found.emplace_back(first, i);
            }
        }
        std::ranges::sort(found);
        for (const auto& [first, region] : found) {
            name_region(region);
            for (const ValueId argument : graph.regions[region].arguments) {
                reach(argument);
            }
            if (graph.regions[region].fused) {
                std::ranges::for_each(graph.regions[region].results, [this](ValueId value) { reach(value); });
            }
        }
    }
};

std::string text_of_values(const Order& order, std::span<const ValueId> ids) {
    return listed(ids, [&](ValueId id) { return "%" + std::to_string(order.values[id]); });
}

// Scans and the nodes inside of them name their region by its number.
std::string text_of_attribute(const Order& order, const Node& node, const Attribute& attribute) {
    const bool of_steps = node.is(OpId::kStepsOf_1);
    if (attribute.key == "region" && (node.is_any(kScans) || node.is(OpId::kArgument_1) || of_steps)) {
        return std::to_string(order.regions[static_cast<std::size_t>(std::get<std::int64_t>(attribute.value))]);
    }
    if (attribute.key == "value" && of_steps) {
        return "%" + std::to_string(order.values[static_cast<std::size_t>(std::get<std::int64_t>(attribute.value))]);
    }
    if (attribute.key == "of" && (node.is(OpId::kFused_1) || node.is(OpId::kFusedGradient_1))) {
        return text_of(kernel_of(order.graph, node).component);
    }
    return std::visit([](const auto& v) { return text_of(v); }, attribute.value);
}

void append_node(std::string& out, const Order& order, const Node& node, Places places) {
    const Graph& graph = order.graph;
    out += node.region == 0 ? "" : "  |" + std::to_string(order.regions[node.region]) + "| ";
    for (std::uint32_t i = 0; i < node.output_count; ++i) {
        out += (i == 0 ? "%" : ", %") + std::to_string(order.values[node.first_output + i]) + ": " +
               graph.symbols.text(graph.type(node.first_output + i));
    }
    out += " = " + std::string(node.op->name) + "/" + std::to_string(node.op->revision) + "(" +
           text_of_values(order, node.inputs) + ")";
    for (const Attribute& attribute : node.attributes) {
        out += " " + attribute.key + "=" + text_of_attribute(order, node, attribute);
    }
    const Source& source = graph.sources[node.source];
    if (places == Places::kShown && !source.file.empty()) {
        out += "  # " + source.file + ":" + std::to_string(source.line) + ":" + std::to_string(source.column);
    }
    out += '\n';
}

// " over horizon of 15" for a scan that makes its dimension; empty for a scan over time.
std::string text_of_steps(const Graph& graph, const Region& region) {
    if (region.steps == kTime) {
        return {};
    }
    return " over " + graph.symbols.role(region.steps) + " of " + std::to_string(graph.symbols.size(region.steps));
}

void append_region(std::string& out, const Order& order, std::uint32_t number) {
    const Region& region = order.graph.regions[number];
    out += "region " + std::to_string(order.regions[number]) +
           (region.scan ? (region.backward ? " scan backward" : " scan") + text_of_steps(order.graph, region)
                        : (region.fused ? " fused " : " ") + region.name + "/" + std::to_string(region.revision)) +
           " (" + text_of_values(order, region.arguments) + ") -> (" + text_of_values(order, region.outputs) + ")";
    out += region.scan || region.fused ? " body (" + text_of_values(order, region.inputs) + ") -> (" +
                                             text_of_values(order, region.results) + ")\n"
                                       : "\n";
}

void append_named(std::string& out, const Order& order, std::string_view what, std::span<const Named> list) {
    for (const Named& named : list) {
        out += std::string(what) + " \"" + named.name + "\" %" + std::to_string(order.values[named.value]) + "\n";
    }
}

}  // namespace

std::string text(const Graph& graph, Places places, std::span<const Named> gradients) {
    const Order order(graph, gradients);
    std::string out;
    for (const NodeId node : order.nodes) {
        append_node(out, order, graph.nodes[node], places);
    }
    std::vector<std::uint32_t> regions(order.last_region);
    for (std::uint32_t i = 1; i < graph.regions.size(); ++i) {
        if (order.regions[i] != 0) {
            regions[order.regions[i] - 1] = i;
        }
    }
    for (const std::uint32_t region : regions) {
        append_region(out, order, region);
    }
    for (const Stage& stage : graph.stages) {
        out += "stage \"" + stage.name + "\" owns " + text_of(stage.owns) + " every " + std::to_string(stage.every) +
               " " + stage.unit + "\n";
    }
    if (graph.burn_in > 0) {
        out += "burn_in " + std::to_string(graph.burn_in) + "\n";
    }
    for (const Loss& loss : graph.losses) {
        const std::string present = loss.present == 0 ? "" : " where %" + std::to_string(order.values[loss.present]);
        out += "rows \"" + loss.name + "\" %" + std::to_string(order.values[loss.value]) + present + "\n";
    }
    append_named(out, order, "metric", graph.metrics);
    append_named(out, order, "write", graph.writes);
    append_named(out, order, "control", graph.controls);
    append_named(out, order, "state", graph.state_writes);
    append_named(out, order, "remember", graph.remembered);
    append_named(out, order, "check", graph.checks);
    append_named(out, order, "print", graph.prints);
    append_named(out, order, "gradient", gradients);
    return out;
}

Place place_of(const Graph& graph, std::uint32_t source) {
    const Source& of = graph.sources[source];
    return {.file = of.file, .line = of.line, .column = of.column, .excerpt = {}};
}

std::string describe(const Graph& graph, NodeId node) {
    const Node& made = graph.nodes[node];
    const std::string& component = graph.sources[made.source].component;
    return std::string(made.op->name) + "/" + std::to_string(made.op->revision) +
           (component.empty() ? "" : " of " + component);
}

Problem problem_at(const Graph& graph, NodeId node, std::string sentence) {
    return plugin_problem(std::move(sentence), place_of(graph, graph.nodes[node].source));
}

}  // namespace tenon::graph
