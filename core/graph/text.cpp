// SPDX-License-Identifier: Apache-2.0
#include "graph/text.hpp"

#include "data/number_text.hpp"

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
    std::string out = "[";
    for (std::size_t i = 0; i < values.size(); ++i) {
        out += (i == 0 ? "" : ", ") + text_of(values[i]);
    }
    return out + "]";
}

std::string values(std::span<const ValueId> ids) {
    std::string out;
    for (const ValueId id : ids) {
        out += (out.empty() ? "%" : ", %") + std::to_string(id);
    }
    return out;
}

void append_node(std::string& out, const Graph& graph, const Node& node, Places places) {
    out += node.region == 0 ? "" : "  |" + std::to_string(node.region) + "| ";
    for (std::uint32_t i = 0; i < node.output_count; ++i) {
        out += (i == 0 ? "%" : ", %") + std::to_string(node.first_output + i) + ": " +
               graph.symbols.text(graph.type(node.first_output + i));
    }
    out +=
        " = " + std::string(node.op->name) + "/" + std::to_string(node.op->revision) + "(" + values(node.inputs) + ")";
    for (const Attribute& attribute : node.attributes) {
        out += " " + attribute.key + "=" + std::visit([](const auto& v) { return text_of(v); }, attribute.value);
    }
    const Source& source = graph.sources[node.source];
    if (places == Places::kShown && !source.file.empty()) {
        out += "  # " + source.file + ":" + std::to_string(source.line) + ":" + std::to_string(source.column);
    }
    out += '\n';
}

void append_named(std::string& out, std::string_view what, const std::vector<Named>& list) {
    for (const Named& named : list) {
        out += std::string(what) + " \"" + named.name + "\" %" + std::to_string(named.value) + "\n";
    }
}

}  // namespace

std::string text(const Graph& graph, Places places) {
    std::string out;
    for (std::size_t i = 1; i < graph.nodes.size(); ++i) {
        append_node(out, graph, graph.nodes[i], places);
    }
    for (std::size_t i = 1; i < graph.regions.size(); ++i) {
        const Region& region = graph.regions[i];
        out += "region " + std::to_string(i) +
               (region.scan ? " scan" : " " + region.name + "/" + std::to_string(region.revision)) + " (" +
               values(region.arguments) + ") -> (" + values(region.outputs) + ")";
        out += region.scan ? " body (" + values(region.inputs) + ") -> (" + values(region.results) + ")\n" : "\n";
    }
    for (const Stage& stage : graph.stages) {
        out += "stage \"" + stage.name + "\" owns " + text_of(stage.owns) + " every " + std::to_string(stage.every) +
               " " + stage.unit + "\n";
    }
    if (graph.burn_in > 0) {
        out += "burn_in " + std::to_string(graph.burn_in) + "\n";
    }
    for (const Loss& loss : graph.losses) {
        out += "rows \"" + loss.name + "\" %" + std::to_string(loss.value) + "\n";
    }
    append_named(out, "metric", graph.metrics);
    append_named(out, "write", graph.writes);
    append_named(out, "control", graph.controls);
    append_named(out, "state", graph.state_writes);
    append_named(out, "check", graph.checks);
    append_named(out, "print", graph.prints);
    return out;
}

Place place_of(const Graph& graph, std::uint32_t source) {
    const Source& of = graph.sources[source];
    return {.file = of.file, .line = of.line, .column = of.column, .excerpt = {}};
}

Problem problem_at(const Graph& graph, NodeId node, std::string sentence) {
    return plugin_problem(std::move(sentence), place_of(graph, graph.nodes[node].source));
}

}  // namespace tenon::graph
