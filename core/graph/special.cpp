// SPDX-License-Identifier: Apache-2.0
// Ops that the builder handles itself: parameters, options and random numbers. Columns are in columns.cpp, effects in
// effects.cpp.
#include <algorithm>
#include <array>
#include <utility>

#include "data/key.hpp"
#include "data/shape_text.hpp"
#include "graph/attributes.hpp"
#include "graph/builder.hpp"
#include "graph/dependence.hpp"

namespace tenon::graph {
namespace {

void set(std::vector<Attribute>& attributes, std::string_view key, AttributeValue value) {
    for (Attribute& attribute : attributes) {
        if (attribute.key == key) {
            attribute.value = std::move(value);
            return;
        }
    }
    attributes.push_back({std::string(key), std::move(value)});
    std::sort(attributes.begin(), attributes.end(),
              [](const Attribute& a, const Attribute& b) { return a.key < b.key; });
}

}  // namespace

// Names end up in files: checkpoints and the records of a run.
bool Builder::check_name(const Draft& draft) {
    const std::string_view op = draft.op->name;
    const bool key = op == "write" || op == "memory" || op == "remember";  // columns
    const bool named = op == "parameter" || op == "state" || op == "state_write" || op == "stage" || op == "rows" ||
                       op == "metric" || op == "control";
    if (!key && !named) {
        return true;
    }
    const std::string& name = text_of(draft.attributes, op == "write" ? "key" : "name");
    const std::string fault = key ? key_fault(name) : name_fault(name);
    if (!fault.empty()) {
        const std::string_view what = op == "rows" ? "loss" : op == "write" ? "column" : op;
        fail(Fault::kPlugin, "the name of a " + std::string(what) + ", '" + name + "', " + fault, draft.source);
    }
    return fault.empty();
}

Builder::Values Builder::special(Draft& draft) {
    const std::string_view op = draft.op->name;
    if (op == "composite" || op == "scan" || op == "argument") {
        fail(Fault::kPlugin, std::string(op) + " needs region_begin, not emit", draft.source);
        return Values(1);
    }
    const bool own_inputs = op == "call" || op == "fused";  // they check their number themselves
    if (!check_name(draft) || (!own_inputs && !check_inputs(draft))) {
        return Values(1);
    }
    if (op == "constant" || op == "int_constant") {
        return intern(std::move(draft), {Type{op == "constant" ? Kind::kReal : Kind::kInt, {}}}, 0);
    }
    if (op == "frames" || op == "updates" || op == "progress") {
        return intern(std::move(draft), {Type{}}, 0);
    }
    if (op == "column") {
        return column(draft);
    }
    if (op == "parameter" || op == "state") {
        return parameter(draft);
    }
    if (op == "memory") {
        return memory(draft);
    }
    if (op == "option") {
        return option(draft);
    }
    if (op == "call") {
        return call(draft);
    }
    if (op == "fused") {
        return fused(draft);
    }
    add_effect(draft);
    return {};
}

Builder::Values Builder::parameter(Draft& draft) {
    const Frame& frame = frames_.back();
    const bool trainable = draft.op->name == "parameter";
    const std::string name = text_of(draft.attributes, "name");
    if (frame.unit == nullptr) {
        return Values(1);
    }
    const auto* shape = value_of(draft.attributes, "shape");
    std::vector<std::int64_t> sizes =
        shape == nullptr ? std::vector<std::int64_t>{} : std::get<std::vector<std::int64_t>>(*shape);
    if (std::any_of(sizes.begin(), sizes.end(), [](std::int64_t size) { return size < 1; })) {
        fail(Fault::kPlugin,
             "parameter '" + name + "' has the shape " + shape_text(sizes) + "; every size must be at least 1",
             draft.source);
        return Values(1);
    }
    const double scale =
        value_of(draft.attributes, "scale") == nullptr ? 0.0 : std::get<double>(*value_of(draft.attributes, "scale"));
    const ParameterRequest request{.role = frame.unit->role,
                                   .name = name,
                                   .shape = sizes,
                                   .agents = frame.unit->own ? graph_.symbols.size(*members_of(*frame.unit)) : 0,
                                   .init = text_of(draft.attributes, "init"),
                                   .scale = scale,
                                   .trainable = trainable,
                                   .target = frame.slab == "target"};
    if (Status agreed = context_.declare(request); !agreed) {
        fail(agreed.error().fault, agreed.error().sentence, draft.source);
        return Values(1);
    }
    Type type{Kind::kReal, {}};
    if (const std::optional<Dim> members = members_of(*frame.unit)) {
        type.dims.push_back(*members);
    }
    type.dims.insert(type.dims.end(), sizes.begin(), sizes.end());
    // init and scale belong to the layout: two reads of one parameter are one node
    std::vector<Attribute> attributes{
        {"name", name}, {"role", frame.unit->role}, {"slab", frame.slab}, {"version", frame.version}};
    return intern(Draft{draft.op, {}, std::move(attributes), draft.source}, {std::move(type)}, 0);
}

Builder::Values Builder::option(Draft& draft) {
    const Frame& frame = frames_.back();
    const std::string name = text_of(draft.attributes, "name");
    if (frame.unit == nullptr) {
        return Values(1);
    }
    const auto& options = frame.unit->options;
    const auto found =
        std::find_if(options.begin(), options.end(), [&](const OptionBinding& o) { return o.name == name; });
    if (found == options.end()) {
        std::vector<std::string_view> names;
        for (const OptionBinding& option : options) {
            names.emplace_back(option.name);
        }
        fail(Fault::kPlugin, "there is no numeric option '" + name + "'" + did_you_mean(name, names), draft.source);
        return Values(1);
    }
    if (found->live < 0) {
        return make("constant", {}, {{"value", found->value}}, Type{});
    }
    return intern(Draft{draft.op, {}, {{"index", found->live}, {"name", frame.unit->role + "." + name}}, draft.source},
                  {Type{}}, 0);
}

bool Builder::is_drawn(const Type& type, std::int64_t draws) {
    const std::optional<Dim> many = graph_.symbols.dimension("draws", draws);
    return many && type.has(*many);
}

Builder::Values Builder::random(Draft& draft, Type type) {
    Frame& frame = frames_.back();
    std::string label = text_of(draft.attributes, "label");
    if (label.empty()) {
        label = std::string(draft.op->name);
    }
    const int ordinal = frame.ordinals[label]++;
    if (ordinal > 0) {
        label += "#" + std::to_string(ordinal);
    }
    if (frame.draws > 0 && !is_drawn(type, frame.draws)) {
        Draft spread{
            find_op("spread", 1), draft.inputs, {{"n", frame.draws}, {"name", std::string("draws")}}, draft.source};
        draft.inputs = add(std::move(spread));
        if (draft.inputs.front() == 0) {
            return Values(1);
        }
        type.dims = graph_.type(draft.inputs.front()).dims;
    }
    set(draft.attributes, "stream", frame.path + "/" + label);
    std::uint32_t region = 0;
    region_of(draft.inputs, region);
    if (const std::uint32_t steps = open_steps(); steps != 0 && depth_of(graph_, region) < depth_of(graph_, steps)) {
        region = steps;  // each step draws numbers of its own, whatever its shape is taken from
    }
    return intern(std::move(draft), {std::move(type)}, region);
}

}  // namespace tenon::graph
