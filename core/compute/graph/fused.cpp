// SPDX-License-Identifier: Apache-2.0
#include "compute/graph/fused.hpp"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "base/data/mapped.hpp"
#include "base/error/listed.hpp"
#include "compute/graph/attributes.hpp"
#include "compute/graph/builder.hpp"
#include "compute/graph/text.hpp"
#include "plugins/plugin/call.hpp"
#include "plugins/plugin/error_text.hpp"
#include "plugins/plugin/inside.hpp"

namespace tenon::graph {
namespace {

constexpr std::size_t kMostNumbers = 64;
constexpr std::uint32_t kMostListed = 1024;  // kernels of a component, inputs and outputs of a kernel

Status call_kernel(const FusedKernel& kernel, FusedFunction* function, const Place& place,
                   const tn_fused_call& arguments) {
    const std::string_view name = kernel.what->name;
    const tn_status status = call_plugin(kernel.component, name, place, function, kernel.self, &arguments);
    if (status == TN_OK) [[likely]] {
        return {};
    }
    const std::string side = function == kernel.what->forward ? "forward of '" : "backward of '";
    return check_call(status, kernel.component, side + std::string(name) + "'", place);
}

std::string defect(const tn_fused_kernel* kernel) {
    if (kernel == nullptr || !inside(*kernel, &tn_fused_kernel::backward)) {
        return "one that is null or too short";
    }
    if (kernel->name == nullptr || *kernel->name == '\0') {
        return "one without a name";
    }
    const std::string name = "'" + std::string(kernel->name) + "', which ";
    if (kernel->forward == nullptr) {
        return name + "has no forward";
    }
    if (kernel->in_count > kMostListed || kernel->out_count > kMostListed) {
        return name + "has more than " + std::to_string(kMostListed) + " inputs or outputs";
    }
    return kernel->out_count == 0 ? name + "has no output" : std::string{};
}

// A node on which the results depend, and which is neither an input of the region nor a number: the kernel would not
// get its value. Null: none.
const Node* foreign(const Graph& graph, const Region& region) {
    std::vector<ValueId> open = region.results;
    std::set<ValueId> seen(region.inputs.begin(), region.inputs.end());
    while (!open.empty()) {
        const ValueId value = open.back();
        open.pop_back();
        if (!seen.insert(value).second) {
            continue;
        }
        const Node& node = graph.node_of(value);
        const bool number = node.is(OpId::kConstant_1) || node.is(OpId::kIntConstant_1);
        const bool inner = node.is(OpId::kFused_1) || node.is_any(kScans);
        if ((node.op->rule == Rule::kSpecial && !number) || node.op->random || inner) {
            return &node;
        }
        open.insert(open.end(), node.inputs.begin(), node.inputs.end());
    }
    return nullptr;
}

std::string what_it_reads(const Node& node) {
    for (const char* key : {"key", "name", "kernel"}) {
        if (find_attribute(node, key) != nullptr) {
            return std::string(node.op->name) + " '" + string_attribute(node, key) + "'";
        }
    }
    return std::string(node.op->name);
}

}  // namespace

Result<std::vector<FusedKernel>> kernels_of(const tn_fused_api* api, void* self, const std::string& component,
                                            const Place& place) {
    std::vector<FusedKernel> out;
    if (api == nullptr) {
        return out;
    }
    const tn_fused_kernel* const* list = nullptr;
    std::uint32_t count = 0;
    TENON_TRY(check_call(call_plugin(component, "kernels", place, api->kernels, self, &list, &count), component,
                         "kernels", place));
    if (count > kMostListed || (list == nullptr && count > 0)) {
        return plugin_problem(
            component + " lists " + std::to_string(count) + " kernels" +
                (list == nullptr ? " at an address that is null" : "; the maximum is " + std::to_string(kMostListed)),
            place);
    }
    for (std::uint32_t i = 0; i < count; ++i) {
        if (const std::string what = defect(list[i]); !what.empty()) {
            return plugin_problem(repaired(component + " lists kernels, among them " + what), place);
        }
        if (std::ranges::any_of(out, [&](const FusedKernel& each) { return each.name() == list[i]->name; })) {
            return plugin_problem(component + " lists two kernels with the name '" + list[i]->name + "'", place);
        }
        out.push_back({.component = component, .what = list[i], .self = self, .call = &call_kernel});
    }
    return out;
}

const FusedKernel& kernel_of(const Graph& graph, const Node& node) {
    return graph.kernels[static_cast<std::size_t>(int_attribute(node, "of"))];
}

Status check_differentiable(const Graph& graph, std::uint32_t node) {
    const FusedKernel& kernel = kernel_of(graph, graph.nodes[node]);
    return kernel.what->backward != nullptr
               ? Status()
               : problem_at(graph, node,
                            kernel.component + ": the kernel '" + kernel.name() +
                                "' has no backward, but a loss reaches parameters through it; give it one, or use "
                                "stop_gradient on its outputs");
}

std::vector<Dim> leading_of_fused(const Graph& graph, const Node& node) {
    std::vector<Dim> out;
    for (std::size_t i = 0; i < kernel_of(graph, node).what->in_count; ++i) {
        out = join_symbols(out, graph.type(node.inputs[i]).symbols());
    }
    return out;
}

Type type_of_fused(const Graph& graph, const Node& node, std::size_t i) {
    Type out = graph.type(node.inputs[i]);
    if (out.symbol_count() == 0) {
        return out;
    }
    const std::vector<Dim> sizes(out.sizes().begin(), out.sizes().end());
    out.dims = leading_of_fused(graph, node);
    out.dims.insert(out.dims.end(), sizes.begin(), sizes.end());
    return out;
}

std::uint32_t body_of_fused(const Graph& graph, const Node& node) {
    for (std::uint32_t i = 1; i < graph.regions.size(); ++i) {
        const Region& region = graph.regions[i];
        if (region.fused && !region.outputs.empty() && region.outputs.front() == node.first_output) {
            return i;
        }
    }
    return 0;
}

// Adds the kernel to those of the graph and returns its number; nothing, and a report, if there is no such kernel.
std::optional<std::size_t> Builder::find_kernel(const Draft& draft) {
    const std::vector<FusedKernel>& offered = frames_.back().unit->kernels;
    const std::string& name = text_of(draft.attributes, "kernel");
    const auto found = std::ranges::find_if(offered, [&](const FusedKernel& each) { return each.name() == name; });
    if (found == offered.end()) {
        const auto names = mapped<std::string_view>(offered, [&](const FusedKernel& each) { return each.what->name; });
        fail(offered.empty() ? "it uses its kernel '" + name + "', but offers none (tenon/abi/fused.h)"
                             : "there is no kernel '" + name + "'" + did_you_mean(name, names),
             draft.source);
        return std::nullopt;
    }
    if (draft.inputs.size() != found->what->in_count) {
        fail("the kernel '" + name + "' takes " + counted(found->what->in_count, "input") + ", but got " +
                 std::to_string(draft.inputs.size()),
             draft.source);
        return std::nullopt;
    }
    const bool stepwise =
        std::ranges::any_of(draft.inputs, [&](ValueId value) { return value != 0 && scan_of_value(value) != 0; });
    if (stepwise) {
        fail("the kernel '" + name + "' is inside a scan, where fused nodes are not allowed", draft.source);
        return std::nullopt;
    }
    const auto known = std::ranges::find_if(graph_.kernels, [&](const FusedKernel& each) {
        return each.what == found->what && each.self == found->self && each.component == found->component;
    });
    const auto at = static_cast<std::size_t>(known - graph_.kernels.begin());
    if (known == graph_.kernels.end()) {
        graph_.kernels.push_back(*found);
    }
    return at;
}

// Interns the node. Its attributes are sorted as in any node that computes the same.
Builder::Values Builder::intern_fused(Draft draft, std::size_t kernel, std::vector<Type> types) {
    const tn_fused_kernel& what = *graph_.kernels[kernel].what;
    draft.op = &op_of(OpId::kFused_1);
    draft.attributes = {{"kernel", std::string(what.name)},
                        {"of", static_cast<std::int64_t>(kernel)},
                        {"revision", static_cast<std::int64_t>(what.revision)}};
    return intern(std::move(draft), std::move(types), 0);
}

// A fused node without a body: an attribute says the sizes of each output.
Builder::Values Builder::fused(Draft& draft) {
    const std::optional<std::size_t> kernel = find_kernel(draft);
    if (!kernel) {
        return Values(1);
    }
    const tn_fused_kernel& what = *graph_.kernels[*kernel].what;
    const auto numbers = value_or(draft.attributes, "outputs", std::vector<std::int64_t>());
    std::vector<Dim> leading;
    for (const ValueId input : draft.inputs) {
        leading = join_symbols(leading, graph_.type(input).symbols());
    }
    std::vector<Type> types;
    std::size_t at = 0;
    bool whole = numbers.size() <= kMostNumbers;
    while (whole && at < numbers.size()) {
        const std::int64_t rank = numbers[at++];
        whole = rank >= 0 && static_cast<std::uint64_t>(rank) <= numbers.size() - at;
        Type type{Kind::kReal, leading};
        for (std::int64_t i = 0; whole && i < rank; ++i) {
            whole = numbers[at] > 0;
            type.dims.push_back(numbers[at++]);
        }
        types.push_back(std::move(type));
    }
    if (!whole || types.size() != what.out_count) {
        fail("the kernel '" + std::string(what.name) + "' has " + counted(what.out_count, "output") +
                 "; without a body the attribute outputs must give for each of them the number of its sizes "
                 "and then the sizes",
             draft.source);
        return Values(what.out_count);
    }
    return intern_fused(std::move(draft), *kernel, std::move(types));
}

// A fused node with a body: the body's results give the types, and are compared with the kernel's results.
Builder::Values Builder::close_fused(std::uint32_t id) {
    Region& region = graph_.regions[id];
    const Values results = region.results;
    const bool poisoned = region.kernel == kNoKernel || std::ranges::find(results, 0U) != results.end() ||
                          std::ranges::find(region.inputs, 0U) != region.inputs.end();
    if (poisoned) {
        return Values(results.size());
    }
    const tn_fused_kernel& what = *graph_.kernels[region.kernel].what;
    const std::uint32_t source = region.source;
    const std::string name(what.name);
    if (results.size() != what.out_count) {
        fail("the kernel '" + name + "' has " + counted(what.out_count, "output") + ", but its body gives " +
                 std::to_string(results.size()),
             source);
        return Values(results.size());
    }
    std::vector<Type> types;
    for (std::size_t i = 0; i < results.size(); ++i) {
        types.push_back(graph_.type(results[i]));
        if (types.back().kind != Kind::kReal) {
            fail("outputs of kernels must be real, but number " + std::to_string(i + 1) + " of the body of '" + name +
                     "' is " + graph_.symbols.text(types.back()),
                 source, {results[i]});
            return Values(results.size());
        }
    }
    if (const Node* node = foreign(graph_, region); node != nullptr) {
        fail("the body of the kernel '" + name + "' reads " + what_it_reads(*node) +
                 ", which is not an input of the kernel; make it one",
             source);
        return Values(results.size());
    }
    region.outputs =
        intern_fused(Draft{&op_of(OpId::kFused_1), region.arguments, {}, source}, region.kernel, std::move(types));
    return graph_.regions[id].outputs;
}

}  // namespace tenon::graph
