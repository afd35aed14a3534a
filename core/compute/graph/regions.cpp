// SPDX-License-Identifier: Apache-2.0
// Regions: composites, whose body is computed in place; fused nodes (fused.cpp); and scans, whose body runs once per
// step of time (scan/1), or of a dimension that they make (scan/2, scan/3; until.cpp). A node belongs to the innermost
// scan that any of its inputs belongs to. So values that do not change from step to step are computed once, outside.
#include <algorithm>
#include <utility>

#include "base/data/key.hpp"
#include "base/error/listed.hpp"
#include "compute/graph/attributes.hpp"
#include "compute/graph/builder.hpp"
#include "compute/graph/dependence.hpp"
#include "compute/graph/limits.hpp"
#include "plugins/plugin/error_text.hpp"

namespace tenon::graph {

std::uint32_t Builder::scan_of_value(ValueId value) const {
    return scan_of(graph_, graph_.node_of(value).region);
}

bool Builder::is_open(std::uint32_t region) const {
    return region == 0 || std::ranges::find(open_regions_, region) != open_regions_.end();
}

bool Builder::region_of(std::span<const ValueId> inputs, std::uint32_t& region) const {
    region = 0;
    for (const ValueId input : inputs) {
        const std::uint32_t of = graph_.node_of(input).region;
        if (depth_of(graph_, of) > depth_of(graph_, region)) {
            region = of;
        }
        if (!is_open(of)) {
            return false;
        }
    }
    return true;
}

// The innermost open scan with steps of its own; 0: none.
std::uint32_t Builder::open_steps() const {
    const auto made = [&](std::uint32_t id) { return graph_.regions[id].scan && graph_.regions[id].steps != kTime; };
    const auto found = std::ranges::find_if(open_regions_.rbegin(), open_regions_.rend(), made);
    return found == open_regions_.rend() ? 0 : *found;
}

tn_status Builder::region_begin(const tn_node& node, std::span<tn_value> body) {
    Draft draft;
    bool read = read_node(node, draft);
    static constexpr OpSet kOpening{OpId::kComposite_1, OpId::kScan_1, OpId::kScan_2, OpId::kScan_3, OpId::kFused_1};
    const bool opens = read && kOpening.has(draft.op->id);
    if (read && !opens) {
        fail(std::string(draft.op->name) + " is not a region; regions are composite, fused and scan", draft.source);
    }
    if (open_regions_.size() >= kMostOpenRegions || graph_.regions.size() >= kMostNodes) {
        fail(graph_.regions.size() >= kMostNodes
                 ? "the graph has " + std::to_string(kMostNodes) + " regions, which is the maximum"
                 : "there are " + std::to_string(kMostOpenRegions) + " open regions, which is the maximum",
             draft.source);
        return TN_INVALID_ARGUMENT;
    }
    Region region;
    region.source = draft.source;
    region.parent = open_regions_.empty() ? 0 : open_regions_.back();
    region.arguments = opens ? draft.inputs : std::vector<ValueId>(body.size());
    if (opens) {
        const std::vector<Attribute>& given = draft.attributes;
        region.name = repaired(text_of(given, "name"));  // sentences and dumps show it
        region.revision = value_or(given, "revision", region.revision);
        region.carries = value_or(given, "carries", region.carries);
        region.reset = value_or(given, "reset", region.reset);
        region.backward = value_or(given, "reverse", std::int64_t{0}) != 0;
        region.until = value_or(given, "until", std::int64_t{0}) != 0;
        region.fill = value_or(given, "fill", region.fill);
    }
    region.inputs = region.arguments;
    if (opens && kScans.has(draft.op->id)) {
        region.scan = true;
        region.revision = draft.op->revision;
        region.name.clear();
        read = read_steps(draft, region);
        enter_inner_scan(region);
    }
    if (opens && draft.op->id == OpId::kFused_1) {
        const std::optional<std::size_t> kernel = find_kernel(draft);
        region.fused = true;
        region.name = repaired(text_of(draft.attributes, "kernel"));
        region.kernel = kernel.value_or(kNoKernel);
        region.revision = kernel ? static_cast<std::int64_t>(graph_.kernels[*kernel].what->revision) : 0;
        if (!kernel) {
            std::ranges::fill(region.inputs, 0U);
        }
    }
    graph_.regions.push_back(std::move(region));
    const auto id = static_cast<std::uint32_t>(graph_.regions.size() - 1);
    open_regions_.push_back(id);
    if (graph_.regions[id].scan && read) {
        open_scan(draft, graph_.regions[id]);
    } else if (graph_.regions[id].scan) {
        close_arguments(graph_.regions[id]);
    }
    const auto& inputs = graph_.regions[id].inputs;
    std::copy_n(inputs.begin(), std::min(inputs.size(), body.size()), body.begin());
    return read && opens ? TN_OK : TN_INVALID_ARGUMENT;
}

// Since revision 2 a scan makes the dimension of its steps.
bool Builder::read_steps(const Draft& draft, Region& region) {
    const AttributeValue* const asked = value_of(draft.attributes, "steps");
    if (asked == nullptr) {
        return true;
    }
    const std::int64_t steps = std::get<std::int64_t>(*asked);
    const std::string& name = text_of(draft.attributes, "name");
    if (const std::string fault = name_fault(name); !fault.empty()) {
        fail("the name of a scan's steps, '" + name + "', " + fault, draft.source);
        return false;
    }
    if (steps < 1) {
        fail("scan: it runs at least 1 step, not " + std::to_string(steps), draft.source);
        return false;
    }
    const std::optional<Dim> made = graph_.symbols.dimension(name, steps);
    if (!made) {
        fail("scan: another dimension '" + name + "' has a different size, and this one has " + std::to_string(steps) +
                 "; give it another name",
             draft.source);
        return false;
    }
    region.steps = *made;
    const auto same_steps = [&](std::uint32_t id) {
        return graph_.regions[id].scan && graph_.regions[id].steps == region.steps;
    };
    if (std::ranges::any_of(open_regions_, same_steps)) {
        fail("scan: it stands inside another scan over '" + name + "'; give its steps another name", draft.source);
        return false;
    }
    return true;
}

// Values for the arguments of a scan whose mistakes have been reported.
void Builder::close_arguments(Region& region) {
    std::ranges::fill(region.inputs, 0U);
    region.carries = 0;
    region.reset = -1;
}

void Builder::open_scan(const Draft& draft, Region& region) {
    const auto id = static_cast<std::uint32_t>(&region - graph_.regions.data());
    const auto count = static_cast<std::int64_t>(region.arguments.size());
    region.first_node = static_cast<std::uint32_t>(graph_.nodes.size());
    const bool numbered = region.carries >= 0 && region.carries <= count && region.reset < count &&
                          (region.reset == -1 || region.reset >= region.carries);
    const bool over_time = region.steps == kTime;
    const bool timeless =
        over_time && std::ranges::find(context_.leading, kTime) == context_.leading.end() && region.carries == count;
    if (!numbered || timeless) {
        fail(numbered    ? "scan: none of its inputs runs over time, and neither does this program"
             : over_time ? "scan: carries and reset must be indices of its inputs, and reset must run over time"
                         : "scan: it carries " + std::to_string(region.carries) + " of its " + std::to_string(count) +
                               " inputs",
             draft.source);
        close_arguments(region);
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
        const bool carried = i < region.carries;
        if (type.has(region.steps) == carried) {
            const std::string steps =
                over_time ? "run over time" : "run over '" + graph_.symbols.role(region.steps) + "'";
            fail("scan: input " + std::to_string(i) +
                     (carried ? " is carried, so it cannot " + steps + ", but is " : " must " + steps + ", but is ") +
                     graph_.symbols.text(type),
                 draft.source, {outside});
            continue;
        }
        type = at_one_step(std::move(type), region.steps);
        if (i == region.reset && type.kind != Kind::kBool) {
            fail("scan: the reset must be bool, but is " + graph_.symbols.text(type), draft.source, {outside});
            continue;
        }
        inside =
            intern(Draft{&op_of(OpId::kArgument_1), {}, {{"number", i}, {"region", std::int64_t{id}}}, draft.source},
                   {std::move(type)}, id)
                .front();
    }
    check_reset(draft, region);
}

// The reset says for each row whether the carried values return to zero, so it must be one flag for each of their rows.
void Builder::check_reset(const Draft& draft, Region& region) {
    if (region.reset < 0 || region.inputs[static_cast<std::size_t>(region.reset)] == 0) {
        return;
    }
    ValueId& reset = region.inputs[static_cast<std::size_t>(region.reset)];
    const Type& type = graph_.type(reset);
    for (std::int64_t i = 0; i < region.carries; ++i) {
        const ValueId carried = region.inputs[static_cast<std::size_t>(i)];
        const bool fits = type.sizes().empty() && std::ranges::all_of(type.symbols(), [&](Dim symbol) {
                              return graph_.type(carried).has(symbol);
                          });
        if (carried != 0 && !fits) {
            fail("scan: the reset must be one flag per row of the carried value, and these are " +
                     graph_.symbols.text(type) + " and " + graph_.symbols.text(graph_.type(carried)),
                 draft.source, {{reset, ""}, {carried, ""}});
            reset = 0;
            return;
        }
    }
}

tn_status Builder::region_end(std::span<const tn_value> results, std::span<tn_value> out) {
    if (open_regions_.size() <= frames_.back().regions) {
        return refuse("region_end was called without a region that this function has opened");
    }
    const std::uint32_t id = open_regions_.back();
    Region& region = graph_.regions[id];
    region.results.assign(results.begin(), results.end());
    if (!check_values(results, "region_end", region.source)) {
        std::ranges::fill(region.results, 0U);
        open_regions_.pop_back();
        return TN_INVALID_ARGUMENT;
    }
    if (region.scan) {
        return end_scan(id, out);
    }
    open_regions_.pop_back();
    const Values outputs = region.fused ? close_fused(id) : region.results;
    graph_.regions[id].outputs = outputs;
    std::copy_n(outputs.begin(), std::min(outputs.size(), out.size()), out.begin());
    return region.fused && std::ranges::find(outputs, 0U) != outputs.end() ? TN_INVALID_ARGUMENT : TN_OK;
}

// The scan around this scan: the innermost other one that its arguments, its body or its results belong to.
std::uint32_t Builder::around_scan(std::uint32_t id) const {
    const Region& region = graph_.regions[id];
    std::uint32_t out = 0;
    const auto reads = [&](ValueId value) {
        const std::uint32_t of = graph_.node_of(value).region;
        if (!is_inside(value, id) && depth_of(graph_, of) > depth_of(graph_, out)) {
            out = of;
        }
    };
    std::ranges::for_each(region.arguments, reads);
    std::ranges::for_each(region.results, reads);
    for (NodeId node = region.first_node; node < graph_.nodes.size(); ++node) {
        if (graph_.nodes[node].output_count > 0 && is_inside(graph_.nodes[node].first_output, id)) {
            std::ranges::for_each(graph_.nodes[node].inputs, reads);
        }
    }
    return out;
}

tn_status Builder::end_scan(std::uint32_t id, std::span<tn_value> out) {
    const bool until = graph_.regions[id].until;
    if (until && !end_with_rows(id)) {
        open_regions_.pop_back();
        return TN_INVALID_ARGUMENT;
    }
    open_regions_.pop_back();
    const Region& region = graph_.regions[id];
    const auto carries = static_cast<std::size_t>(region.carries);
    const bool poisoned = std::ranges::find(region.results, 0U) != region.results.end() ||
                          std::ranges::find(region.inputs, 0U) != region.inputs.end();
    if (poisoned) {
        return TN_OK;
    }
    if (region.results.empty() || region.results.size() < carries) {
        fail(region.results.empty() ? "scan: it has no results"
                                    : "scan: it carries " + counted(carries, "value") + " and yields " +
                                          std::to_string(region.results.size()),
             region.source);
        return TN_INVALID_ARGUMENT;
    }
    std::vector<Type> types;
    bool fits = true;
    for (std::size_t i = 0; i < region.results.size(); ++i) {
        Type type = graph_.type(region.results[i]);
        const std::uint32_t source = graph_.node_of(region.results[i]).source;
        if (i < carries && type != graph_.type(region.inputs[i])) {
            fail("scan: carried value " + std::to_string(i) + " starts as " +
                     graph_.symbols.text(graph_.type(region.inputs[i])) + " and continues as " +
                     graph_.symbols.text(type),
                 source, {region.results[i]});
            fits = false;
        } else if (type.has(region.steps)) {
            fail("scan: result " + std::to_string(i) + " must be a value of one step, but is " +
                     graph_.symbols.text(type),
                 source, {region.results[i]});
            fits = false;
        }
        types.push_back(over_steps(std::move(type), region.steps));
    }
    if (!fits) {
        return TN_INVALID_ARGUMENT;
    }
    const std::uint32_t around = around_scan(id);
    graph_.regions[id].parent = around;
    Draft draft{&op_of(scan_op(region.revision)),
                graph_.regions[id].arguments,
                {{"region", std::int64_t{id}}},
                graph_.node_of(graph_.regions[id].results.front()).source};
    Values values = intern(std::move(draft), std::move(types), around);
    graph_.regions[id].outputs = values;
    const Steps* const stepped = frames_.back().steps;
    if (stepped != nullptr && around == stepped->region && values.front() != 0) {
        values = before_steps(values);
    }
    if (until) {  // the author's last result is a carried value
        const auto flags = values.begin() + graph_.regions[id].ends;
        std::rotate(flags, flags + 1, values.end());
    }
    std::copy_n(values.begin(), std::min(values.size(), out.size()), out.begin());
    return std::ranges::find(values, 0U) == values.end() ? TN_OK : TN_INVALID_ARGUMENT;
}

}  // namespace tenon::graph
