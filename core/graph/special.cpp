// SPDX-License-Identifier: Apache-2.0
// Ops that the builder decides itself: what a program reads (parameters, options; columns.cpp has columns) and what it
// is for (losses, metrics, writes, stages).
#include <algorithm>
#include <array>
#include <utility>

#include "data/shape_text.hpp"
#include "graph/attributes.hpp"
#include "graph/builder.hpp"

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

Builder::Values Builder::special(Draft& draft) {
    const std::string_view op = draft.op->name;
    const std::string name = text_of(draft.attributes, "name");
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
    if (op == "composite" || op == "scan" || op == "argument") {
        fail(Fault::kPlugin, std::string(op) + " is opened by region_begin, not by emit", draft.source);
        return Values(1);
    }
    if (op == "stage") {
        stage(draft);
        return {};
    }
    if (!check_inputs(draft)) {
        return {};
    }
    const Steps* const steps = frames_.back().steps;
    const bool outside = steps != nullptr && !is_inside(draft.inputs[0], steps->region);
    if (op != "remember" && !outside && !open_regions_.empty() &&
        std::any_of(open_regions_.begin(), open_regions_.end(),
                    [&](std::uint32_t r) { return graph_.regions[r].scan; })) {
        fail(Fault::kPlugin, std::string(op) + " cannot stand inside a scan; give the value out of it", draft.source);
        return {};
    }
    if (op == "rows") {
        rows(draft);
    } else if (op == "metric") {
        named(draft, graph_.metrics, name);
    } else if (op == "write") {
        named(draft, graph_.writes, text_of(draft.attributes, "key"));
    } else if (op == "control") {
        named(draft, graph_.controls, name);
    } else if (op == "check") {
        named(draft, graph_.checks, text_of(draft.attributes, "message"));
    } else if (op == "print") {
        named(draft, graph_.prints, text_of(draft.attributes, "label"));
    } else if (op == "remember") {
        remember(draft);
    } else if (op == "state_write") {
        state_write(draft);
    } else {
        fail(Fault::kPlugin, "this host knows the op '" + std::string(op) + "' by name only", draft.source);
    }
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
             "parameter '" + name + "' has the shape " + shape_text(sizes) + "; every size is at least 1",
             draft.source);
        return Values(1);
    }
    const double scale =
        value_of(draft.attributes, "scale") == nullptr ? 0.0 : std::get<double>(*value_of(draft.attributes, "scale"));
    const ParameterRequest request{.role = frame.unit->role,
                                   .name = name,
                                   .shape = sizes,
                                   .init = text_of(draft.attributes, "init"),
                                   .scale = scale,
                                   .trainable = trainable,
                                   .target = frame.slab == "target"};
    if (Status agreed = context_.declare(request); !agreed) {
        fail(agreed.error().fault, agreed.error().sentence, draft.source);
        return Values(1);
    }
    Type type{Kind::kReal, {}};
    if (frame.unit->members > 1) {
        type.dims.push_back(graph_.symbols.members_of(frame.unit->role, frame.unit->members));
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
    return intern(std::move(draft), {std::move(type)}, region);
}

void Builder::stage(const Draft& draft) {
    const std::string name = text_of(draft.attributes, "name");
    if (!context_.trains) {
        fail(Fault::kPlugin, "stages belong into the function update", draft.source);
        return;
    }
    const bool twice =
        std::any_of(graph_.stages.begin(), graph_.stages.end(), [&](const Stage& s) { return s.name == name; });
    if (twice) {
        fail(Fault::kPlugin, "there are two stages of the name '" + name + "'", draft.source);
        return;
    }
    Stage out{.name = name, .owns = {}, .every = 1, .unit = text_of(draft.attributes, "unit"), .source = draft.source};
    if (const auto* owns = value_of(draft.attributes, "owns")) {
        out.owns = std::get<std::vector<std::string>>(*owns);
    }
    if (const auto* every = value_of(draft.attributes, "every")) {
        out.every = std::get<std::int64_t>(*every);
    }
    if (out.every < 1) {
        fail(Fault::kPlugin,
             "stage '" + name + "' is due every " + std::to_string(out.every) + " updates; it must be at least 1",
             draft.source);
    }
    if (out.unit != "update") {
        fail(Fault::kPlugin,
             "stage '" + name + "' counts in '" + out.unit + "'; this host counts stages in updates only",
             draft.source);
    }
    // there all the same: that it is wrong has been said, and its losses are not to say it again
    graph_.stages.push_back(std::move(out));
}

std::uint32_t Builder::stage_index(const std::string& name, const Draft& draft) {
    const auto found =
        std::find_if(graph_.stages.begin(), graph_.stages.end(), [&](const Stage& s) { return s.name == name; });
    if (found != graph_.stages.end()) {
        return static_cast<std::uint32_t>(found - graph_.stages.begin());
    }
    if (name == "update") {
        graph_.stages.push_back(Stage{.name = name, .owns = {}, .every = 1, .unit = "update", .source = draft.source});
    } else {
        std::vector<std::string_view> names;
        for (const Stage& stage : graph_.stages) {
            names.emplace_back(stage.name);
        }
        fail(Fault::kPlugin, "there is no stage '" + name + "'" + did_you_mean(name, names), draft.source);
        return 0;
    }
    return static_cast<std::uint32_t>(graph_.stages.size() - 1);
}

void Builder::rows(const Draft& draft) {
    const std::string name = text_of(draft.attributes, "name");
    const Type& type = graph_.type(draft.inputs[0]);
    if (!context_.trains) {
        fail(Fault::kPlugin, "losses belong into the function update", draft.source);
        return;
    }
    if (!type.sizes().empty() || type.kind != Kind::kReal) {
        fail(Fault::kPlugin, "loss '" + name + "' must be one real value a row, and is " + graph_.symbols.text(type),
             draft.source, {draft.inputs[0]});
        return;
    }
    const bool twice =
        std::any_of(graph_.losses.begin(), graph_.losses.end(), [&](const Loss& l) { return l.name == name; });
    if (twice) {
        fail(Fault::kPlugin, "there are two losses of the name '" + name + "'", draft.source);
        return;
    }
    const std::size_t dot = name.find('.');
    const std::size_t before = said();
    const std::uint32_t stage = stage_index(dot == std::string::npos ? "update" : name.substr(0, dot), draft);
    if (said() == before) {
        graph_.losses.push_back({name, stage, draft.inputs[0]});
    }
}

void Builder::named(const Draft& draft, std::vector<Named>& list, std::string name) {
    const bool unique = &list != &graph_.checks && &list != &graph_.prints;
    if (unique && std::any_of(list.begin(), list.end(), [&](const Named& n) { return n.name == name; })) {
        fail(Fault::kPlugin, std::string(draft.op->name) + " of '" + name + "' stands twice", draft.source);
        return;
    }
    list.push_back({std::move(name), draft.inputs[0]});
}

void Builder::state_write(const Draft& draft) {
    const Frame& frame = frames_.back();
    if (frame.unit == nullptr || frame.slab == "target") {  // whose state is copied like its parameters
        return;
    }
    const std::string name = text_of(draft.attributes, "name");
    const Type& value = graph_.type(draft.inputs[0]);
    const auto read = std::find_if(graph_.nodes.begin() + 1, graph_.nodes.end(), [&](const Node& node) {
        return (node.op->name == "state" || node.op->name == "parameter") && string_attribute(node, "name") == name &&
               string_attribute(node, "role") == frame.unit->role;
    });
    if (read == graph_.nodes.end()) {
        fail(Fault::kPlugin, "state '" + name + "' is written and was not declared by reading it", draft.source);
        return;
    }
    if (read->op->name == "parameter" && context_.trains) {
        fail(Fault::kPlugin,
             "parameter '" + name +
                 "' is written in an update, where the optimiser moves it; write it in prepare or conclude",
             draft.source);
        return;
    }
    const Type& have = graph_.type(read->first_output);
    if (have.dims != value.dims) {
        fail(Fault::kPlugin,
             "state '" + name + "' is " + graph_.symbols.text(have) + " and gets " + graph_.symbols.text(value),
             draft.source, {draft.inputs[0]});
        return;
    }
    // what several calls write alike, because it does not depend on what they are called with, is one write
    const Named write{frame.unit->role + "/" + name, draft.inputs[0]};
    if (std::ranges::none_of(graph_.state_writes,
                             [&](const Named& n) { return n.name == write.name && n.value == write.value; })) {
        named(draft, graph_.state_writes, write.name);
    }
}

}  // namespace tenon::graph
