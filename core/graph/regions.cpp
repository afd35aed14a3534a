// SPDX-License-Identifier: Apache-2.0
// Regions: composites, whose body stands where it is, fused nodes (fused.cpp), and scans, whose body runs once per time
// step. A node belongs to
// the innermost scan that any of its inputs belongs to, so what does not change from step to step is computed once,
// outside.
#include <algorithm>
#include <utility>

#include "graph/attributes.hpp"
#include "graph/builder.hpp"
#include "graph/dependence.hpp"

namespace tenon::graph {
namespace {

std::size_t depth_of(const Graph& graph, std::uint32_t region) {
    std::size_t depth = 0;
    for (; region != 0; region = graph.regions[region].parent) {
        ++depth;
    }
    return depth;
}

}  // namespace

std::uint32_t Builder::scan_of_value(ValueId value) const {
    return scan_of(graph_, graph_.node_of(value).region);
}

bool Builder::region_of(std::span<const ValueId> inputs, std::uint32_t& region) const {
    region = 0;
    for (const ValueId input : inputs) {
        const std::uint32_t of = graph_.node_of(input).region;
        if (depth_of(graph_, of) > depth_of(graph_, region)) {
            region = of;
        }
        if (of != 0 && std::find(open_regions_.begin(), open_regions_.end(), of) == open_regions_.end()) {
            return false;
        }
    }
    return true;
}

tn_status Builder::region_begin(const tn_node& node, std::span<tn_value> body) {
    std::fill(body.begin(), body.end(), 0U);
    Draft draft;
    const bool read = read_node(node, draft);
    Region region;
    region.arguments = draft.inputs;
    region.parent = open_regions_.empty() ? 0 : open_regions_.back();
    const std::string_view op = read ? draft.op->name : "";
    if (read && op != "composite" && op != "scan" && op != "fused") {
        fail(Fault::kPlugin, std::string(op) + " is not a region; composite, fused and scan are", draft.source);
    }
    for (const Attribute& attribute : draft.attributes) {
        if (attribute.key == "name") {
            region.name = std::get<std::string>(attribute.value);
        } else if (attribute.key == "revision") {
            region.revision = std::get<std::int64_t>(attribute.value);
        } else if (attribute.key == "carries") {
            region.carries = std::get<std::int64_t>(attribute.value);
        } else if (attribute.key == "reset") {
            region.reset = std::get<std::int64_t>(attribute.value);
        }
    }
    region.inputs = region.arguments;
    region.scan = op == "scan";
    region.source = draft.source;
    if (op == "fused") {
        const std::optional<std::size_t> kernel = find_kernel(draft);
        region.fused = true;
        region.name = text_of(draft.attributes, "kernel");
        region.kernel = kernel.value_or(kNoKernel);
        region.revision = kernel ? static_cast<std::int64_t>(graph_.kernels[*kernel].what->revision) : 0;
        if (!kernel) {
            std::ranges::fill(region.inputs, 0U);
        }
    }
    graph_.regions.push_back(std::move(region));
    const auto id = static_cast<std::uint32_t>(graph_.regions.size() - 1);
    open_regions_.push_back(id);
    if (graph_.regions[id].scan) {
        open_scan(draft, graph_.regions[id]);
    }
    const auto& inputs = graph_.regions[id].inputs;
    std::copy_n(inputs.begin(), std::min(inputs.size(), body.size()), body.begin());
    return read ? TN_OK : TN_INVALID_ARGUMENT;
}

void Builder::open_scan(const Draft& draft, Region& region) {
    const auto id = static_cast<std::uint32_t>(&region - graph_.regions.data());
    const auto count = static_cast<std::int64_t>(region.arguments.size());
    if (region.carries < 0 || region.carries > count || region.reset >= count ||
        (region.reset >= 0 && region.reset < region.carries)) {
        fail(Fault::kPlugin, "scan: carries and reset must be numbers of its inputs, reset one that runs over time",
             draft.source);
        std::fill(region.inputs.begin(), region.inputs.end(), 0U);
        return;
    }
    for (std::int64_t i = 0; i < count; ++i) {
        const ValueId outside = region.arguments[static_cast<std::size_t>(i)];
        ValueId& inside = region.inputs[static_cast<std::size_t>(i)];
        inside = 0;
        if (outside == 0) {
            continue;
        }
        Type type = graph_.type(outside);
        if (i >= region.carries) {
            if (!type.has(kTime)) {
                fail(Fault::kPlugin,
                     "scan: input " + std::to_string(i) + " must run over time, and is " + graph_.symbols.text(type),
                     draft.source, {outside});
                continue;
            }
            type = at_one_time(std::move(type));
        }
        if (i == region.reset && type.kind != Kind::kBool) {
            fail(Fault::kPlugin, "scan: the reset must be bool, and is " + graph_.symbols.text(type), draft.source,
                 {outside});
            continue;
        }
        inside = intern(Draft{find_op("argument", 1), {}, {{"number", i}, {"region", std::int64_t{id}}}, draft.source},
                        {std::move(type)}, id)
                     .front();
    }
}

tn_status Builder::region_end(std::span<const tn_value> results, std::span<tn_value> out) {
    std::fill(out.begin(), out.end(), 0U);
    if (open_regions_.empty()) {
        fail(Fault::kPlugin, "region_end without a region", 0);
        return TN_FAILED_PRECONDITION;
    }
    const std::uint32_t id = open_regions_.back();
    Region& region = graph_.regions[id];
    region.results.assign(results.begin(), results.end());
    const bool poisoned = std::find(results.begin(), results.end(), 0U) != results.end() ||
                          std::find(region.inputs.begin(), region.inputs.end(), 0U) != region.inputs.end();
    if (region.fused) {
        open_regions_.pop_back();
        const Values outputs = close_fused(id);
        std::copy_n(outputs.begin(), std::min(outputs.size(), out.size()), out.begin());
        return std::ranges::find(outputs, 0U) == outputs.end() ? TN_OK : TN_INVALID_ARGUMENT;
    }
    if (!region.scan) {
        open_regions_.pop_back();
        region.outputs = region.results;
        std::copy_n(results.begin(), std::min(results.size(), out.size()), out.begin());
        return TN_OK;
    }
    if (poisoned) {
        open_regions_.pop_back();
        return TN_OK;
    }
    if (region.results.size() < static_cast<std::size_t>(region.carries)) {
        open_regions_.pop_back();
        fail(Fault::kPlugin,
             "scan: it carries " + std::to_string(region.carries) + " values and yields " +
                 std::to_string(results.size()),
             0);
        return TN_INVALID_ARGUMENT;
    }
    std::vector<Type> types;
    bool fits = true;
    for (std::size_t i = 0; i < region.results.size(); ++i) {
        Type type = graph_.type(region.results[i]);
        if (i < static_cast<std::size_t>(region.carries) && type != graph_.type(region.inputs[i])) {
            fail(Fault::kPlugin,
                 "scan: carried value " + std::to_string(i) + " begins as " +
                     graph_.symbols.text(graph_.type(region.inputs[i])) + " and goes on as " +
                     graph_.symbols.text(type),
                 graph_.node_of(region.results[i]).source, {region.results[i]});
            fits = false;
        }
        types.push_back(over_time(std::move(type)));
    }
    open_regions_.pop_back();
    std::uint32_t parent = 0;
    if (!fits || !region_of(region.arguments, parent)) {
        return TN_INVALID_ARGUMENT;
    }
    Draft draft{find_op("scan", 1),
                region.arguments,
                {{"region", std::int64_t{id}}},
                graph_.node_of(region.results.front()).source};
    const Values values = intern(std::move(draft), std::move(types), parent);
    graph_.regions[id].outputs = values;
    std::copy_n(values.begin(), std::min(values.size(), out.size()), out.begin());
    return TN_OK;
}

}  // namespace tenon::graph
