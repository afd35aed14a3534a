// SPDX-License-Identifier: Apache-2.0
// The effects of a program: losses and their stages, metrics, writes of columns and states, checks, prints.
#include <algorithm>
#include <utility>

#include "base/data/mapped.hpp"
#include "compute/graph/attributes.hpp"
#include "compute/graph/builder.hpp"
#include "compute/graph/limits.hpp"
#include "compute/graph/metric_names.hpp"
#include "plugins/plugin/error_text.hpp"

namespace tenon::graph {

void Builder::add_effect(const Draft& draft) {
    const OpId op = draft.op->id;
    if (op == OpId::kStage_1) {
        stage(draft);
        return;
    }
    const std::string& name = text_of(draft.attributes, "name");
    const Steps* const steps = frames_.back().steps;
    const bool outside = steps != nullptr && !is_inside(draft.inputs[0], steps->region);
    if (op != OpId::kRemember_1 && !outside && !open_regions_.empty() &&
        std::any_of(open_regions_.begin(), open_regions_.end(),
                    [&](std::uint32_t r) { return graph_.regions[r].scan; })) {
        fail(std::string(draft.op->name) + " cannot be inside a scan; return the value from the scan", draft.source);
        return;
    }
    switch (op) {
        case OpId::kRows_1:
            return rows(draft);
        case OpId::kMetric_1:
            return metric(draft);
        case OpId::kWrite_1:
            return write(draft);
        case OpId::kControl_1:
            return named(draft, graph_.controls, name);
        case OpId::kCheck_1:
            return named(draft, graph_.checks, repaired(text_of(draft.attributes, "message")));
        case OpId::kPrint_1:
            return named(draft, graph_.prints, repaired(text_of(draft.attributes, "label")));
        case OpId::kRemember_1:
            return remember(draft);
        case OpId::kStateWrite_1:
            return state_write(draft);
        case OpId::kParametersWrite_1:
            return parameters_write(draft);
        default:
            fail("this host does not implement revision " + std::to_string(draft.op->revision) + " of the op '" +
                     std::string(draft.op->name) + "'",
                 draft.source);
    }
}

// The priority of a row is one number, even if each agent of the row has a value.
void Builder::write(const Draft& draft) {
    const std::string& key = text_of(draft.attributes, "key");
    Draft column = draft;
    if (key == "priority") {
        column.inputs[0] = mean_over_agents(column.inputs[0], draft.source);
    }
    auto [name, value] = column_of(key, column.inputs[0], draft.source);
    column.inputs[0] = value;
    named(column, graph_.writes, std::move(name));
}

void Builder::metric(const Draft& draft) {
    const std::string& name = text_of(draft.attributes, "name");
    if (metric::is_of_the_host(name)) {
        fail("the name of a metric, '" + name +
                 "', is one of those that the host records under train/: loss, loss/NAME, grad_norm/NAME, "
                 "learning_rate, n_updates and n_left_out; give it another",
             draft.source);
        return;
    }
    Draft mean = draft;
    if (const ValueId present = present_for(draft.inputs[0], draft.source); present != 0) {
        const auto [of_present, share] = over_all(draft.inputs[0], present, draft.source);
        const auto over_rows = [&](ValueId value) { return node(OpId::kMeanRows_1, {value}, draft.source); };
        mean.inputs[0] = quotient(over_rows(of_present), over_rows(share), draft.source);
    }
    named(mean, graph_.metrics, name);
}

void Builder::stage(const Draft& draft) {
    const std::string name = text_of(draft.attributes, "name");
    if (!context_.trains) {
        fail("stages belong in the function update", draft.source);
        return;
    }
    if (std::ranges::find(graph_.stages, name, &Stage::name) != graph_.stages.end()) {
        fail("there are two stages with the name '" + name + "'", draft.source);
        return;
    }
    if (graph_.stages.size() >= kMostStages) {
        fail("an update has at most " + std::to_string(kMostStages) + " stages", draft.source);
        return;
    }
    Stage out{.name = name,
              .owns = mapped<std::string>(value_or(draft.attributes, "owns", std::vector<std::string>()), repaired),
              .every = value_or(draft.attributes, "every", std::int64_t{1}),
              .unit = text_of(draft.attributes, "unit"),
              .source = draft.source};
    if (out.every < 1) {
        fail("stage '" + name + "' is due every " + std::to_string(out.every) + " updates; it must be at least 1",
             draft.source);
    }
    if (out.unit != "update") {
        fail("stage '" + name + "' counts in '" + out.unit + "'; this host counts stages in updates only",
             draft.source);
    }
    // kept although it is wrong, so that its losses do not report it again
    graph_.stages.push_back(std::move(out));
}

std::uint32_t Builder::stage_index(const std::string& name, const Draft& draft) {
    const auto found = std::ranges::find(graph_.stages, name, &Stage::name);
    const auto at = static_cast<std::uint32_t>(found - graph_.stages.begin());
    if (found == graph_.stages.end() && name == "update") {
        graph_.stages.push_back(Stage{.name = name, .owns = {}, .every = 1, .unit = "update", .source = draft.source});
    } else if (found == graph_.stages.end()) {
        const auto names = mapped<std::string_view>(graph_.stages, &Stage::name);
        fail("there is no stage '" + name + "'" + did_you_mean(name, names), draft.source);
    }
    return at;
}

void Builder::rows(const Draft& draft) {
    const std::string name = text_of(draft.attributes, "name");
    const Type& type = graph_.type(draft.inputs[0]);
    if (!context_.trains) {
        fail("losses belong in the function update", draft.source);
        return;
    }
    if (!type.sizes().empty() || type.kind != Kind::kReal) {
        fail("loss '" + name + "' must be one real value per row, but is " + graph_.symbols.text(type), draft.source,
             {draft.inputs[0]});
        return;
    }
    if (std::ranges::find(graph_.losses, name, &Loss::name) != graph_.losses.end()) {
        fail("there are two losses with the name '" + name + "'", draft.source);
        return;
    }
    const std::size_t dot = name.find('.');
    const std::size_t before = said();
    const std::uint32_t stage = stage_index(dot == std::string::npos ? "update" : name.substr(0, dot), draft);
    if (said() == before) {
        const ValueId present = present_for(draft.inputs[0], draft.source);
        const ValueId value = present == 0 ? mean_over_agents(draft.inputs[0], draft.source) : draft.inputs[0];
        graph_.losses.push_back({name, stage, value, present});
    }
}

void Builder::named(const Draft& draft, std::vector<Named>& list, std::string name) {
    if (list.size() >= kMostNamed) {
        fail(std::string(draft.op->name) + ": there are " + std::to_string(kMostNamed) +
                 " already, which is the maximum",
             draft.source);
        return;
    }
    const bool unique = &list != &graph_.checks && &list != &graph_.prints;
    if (unique && std::ranges::find(list, name, &Named::name) != list.end()) {
        fail(std::string(draft.op->name) + " of '" + name + "' exists twice", draft.source);
        return;
    }
    list.push_back({std::move(name), draft.inputs[0]});
}

void Builder::state_write(const Draft& draft) {
    const Frame& frame = frames_.back();
    if (frame.slab != "live") {  // its state is copied like its parameters
        return;
    }
    const std::string name = text_of(draft.attributes, "name");
    const Type& value = graph_.type(draft.inputs[0]);
    const auto read = std::find_if(graph_.nodes.begin() + 1, graph_.nodes.end(), [&](const Node& node) {
        return (node.is(OpId::kState_1) || node.is(OpId::kParameter_1)) && string_attribute(node, "name") == name &&
               string_attribute(node, "role") == frame.unit->role;
    });
    if (read == graph_.nodes.end()) {
        fail("state '" + name + "' is written, but was not declared by reading it", draft.source);
        return;
    }
    if (read->is(OpId::kParameter_1) && context_.trains) {
        fail("parameter '" + name +
                 "' is written in an update, where the optimiser changes it; write it in prepare or conclude",
             draft.source);
        return;
    }
    const Type& have = graph_.type(read->first_output);
    if (value.kind != Kind::kReal) {
        fail("state '" + name + "' is real, but gets " + graph_.symbols.text(value) + "; cast it", draft.source,
             {draft.inputs[0]});
        return;
    }
    if (have.dims != value.dims) {
        fail("state '" + name + "' is " + graph_.symbols.text(have) + ", but gets " + graph_.symbols.text(value),
             draft.source, {draft.inputs[0]});
        return;
    }
    // several calls may write the same value, if it does not depend on their inputs; that is one write
    const Named write{frame.unit->role + "/" + name, draft.inputs[0]};
    if (std::ranges::none_of(graph_.state_writes,
                             [&](const Named& n) { return n.name == write.name && n.value == write.value; })) {
        named(draft, graph_.state_writes, write.name);
    }
}

}  // namespace tenon::graph
