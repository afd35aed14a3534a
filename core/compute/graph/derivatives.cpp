// SPDX-License-Identifier: Apache-2.0
// Gradients that an author asks for, and the parameters of a network as a vector, by which they may be taken. A
// gradient is added as the nodes of its adjoint, which are ordinary nodes: every program computes them, and they can be
// differentiated again.
#include <algorithm>
#include <cstddef>
#include <iterator>

#include "compute/graph/attributes.hpp"
#include "compute/graph/builder.hpp"
#include "compute/graph/limits.hpp"

namespace tenon::graph {

Builder::Values Builder::gradient(const Draft& draft) {
    const ValueId of = draft.inputs[0];
    const ValueId wrt = draft.inputs[1];
    const auto misfit = [&](std::size_t input, const std::string& what) {
        const ValueId value = draft.inputs[input];
        fail("gradient: " + name_of_input(*draft.op, input) + " must be " + what + ", but is " +
                 graph_.symbols.text(graph_.type(value)),
             draft.source, {value});
        return Values(1);
    };
    if (graph_.type(of).kind != Kind::kReal || !graph_.type(of).sizes().empty()) {
        return misfit(0, "one real number per row");
    }
    if (graph_.type(wrt).kind != Kind::kReal) {
        return misfit(1, "real");
    }
    if (context_.differentiate == nullptr) {
        fail("gradient: the program '" + context_.program + "' has no gradients", draft.source);
        return Values(1);
    }
    const Steps* const steps = frames_.back().steps;
    Derivative wanted{
        .of = of, .wrt = wrt, .scans = {}, .steps = steps == nullptr ? 0 : steps->region, .source = draft.source};
    std::ranges::copy_if(open_regions_, std::back_inserter(wanted.scans),
                         [&](std::uint32_t region) { return graph_.regions[region].scan; });
    const Result<ValueId> made = context_.differentiate(graph_, wanted);
    if (!made) {
        Problem* told = fail(made.error().fault, "gradient: " + made.error().sentence, draft.source, {of, wrt});
        if (told != nullptr && !made.error().place.file.empty()) {
            told->also.push_back(made.error().place);
        }
        return Values(1);
    }
    return graph_.nodes.size() <= kMostNodes || check_size(draft, {}) ? Values{*made} : Values(1);
}

// Those of the network that the program reads live, as of the start of the update.
Builder::Values Builder::parameters_read(std::string_view role) const {
    Values out;
    for (const Node& node : graph_.nodes) {
        if (node.is(OpId::kParameter_1) && string_attribute(node, "role") == role &&
            string_attribute(node, "slab") == "live" && string_attribute(node, "version").empty()) {
            out.push_back(node.first_output);
        }
    }
    return out;
}

Builder::Values Builder::parameters(const Draft& draft) {
    const std::string& role = text_of(draft.attributes, "role");
    Values rows;
    for (const ValueId value : parameters_read(role)) {
        const std::int64_t count = bounded_product(graph_.type(value).sizes());
        rows.push_back(node(OpId::kReshape_1, {value}, draft.source, {{"shape", std::vector{count}}}));
    }
    if (rows.empty()) {
        fail("parameters: the program reads none of '" + role +
                 "' so far; call the functions first whose parameters are meant",
             draft.source);
        return Values(1);
    }
    return rows.size() == 1 ? rows : Values{node(OpId::kConcat_2, rows, draft.source, {{"axis", std::int64_t{-1}}})};
}

// Cuts a vector into the parameters of a network, by "role/name"; none if it does not fit, which `what` says.
std::vector<Named> Builder::cut_parameters(const std::string& role, ValueId value, const std::string& what,
                                           std::uint32_t source) {
    const Values read = parameters_read(role);
    std::vector<Named> out;
    std::int64_t all = 0;
    const auto given = graph_.type(value).sizes();
    for (const ValueId parameter : read) {
        const auto sizes = graph_.type(parameter).sizes();
        const std::int64_t count = bounded_product(sizes);
        all += count;
        if (given.size() == 1 && all <= given[0]) {
            const ValueId part = node(OpId::kSlice_2, {value}, source,
                                      {{"axis", std::int64_t{-1}}, {"length", count}, {"start", all - count}});
            out.push_back(
                {role + "/" + string_attribute(graph_.node_of(parameter), "name"),
                 node(OpId::kReshape_1, {part}, source, {{"shape", std::vector(sizes.begin(), sizes.end())}})});
        }
    }
    if (all == 0 || given.size() != 1 || given[0] != all) {
        fail(what + " its parameters, " +
                 (all == 0 ? "none of which the program has read" : "real [" + std::to_string(all) + "]") + ", to " +
                 graph_.symbols.text(graph_.type(value)),
             source, {value});
        return {};
    }
    return out;
}

void Builder::parameters_write(const Draft& draft) {
    const std::string& role = text_of(draft.attributes, "role");
    if (context_.trains) {
        fail("the parameters of '" + role +
                 "' are written in an update, where the optimiser changes them; write them in prepare or conclude",
             draft.source);
        return;
    }
    const Values read = parameters_read(role);
    const std::vector<Named> parts = cut_parameters(role, draft.inputs[0], "it sets '" + role + "',", draft.source);
    for (std::size_t i = 0; i < parts.size(); ++i) {
        Draft write = draft;
        write.inputs = {parts[i].value};
        if (graph_.type(parts[i].value).dims != graph_.type(read[i]).dims) {
            fail("it sets the parameter '" + parts[i].name + "', " + graph_.symbols.text(graph_.type(read[i])) +
                     ", to " + graph_.symbols.text(graph_.type(parts[i].value)),
                 draft.source, {draft.inputs[0]});
            return;
        }
        named(write, graph_.state_writes, parts[i].name);
    }
}

}  // namespace tenon::graph
