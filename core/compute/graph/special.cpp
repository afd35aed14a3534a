// SPDX-License-Identifier: Apache-2.0
// Ops that the builder handles itself: parameters, options and random numbers. Columns are in columns.cpp, effects in
// effects.cpp.
#include <algorithm>
#include <utility>

#include "base/data/key.hpp"
#include "base/data/mapped.hpp"
#include "base/data/shape_text.hpp"
#include "compute/graph/attributes.hpp"
#include "compute/graph/builder.hpp"
#include "compute/graph/dependence.hpp"

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
    std::ranges::sort(attributes, {}, &Attribute::key);
}

}  // namespace

// Names end up in files: checkpoints and the records of a run.
bool Builder::check_name(const Draft& draft) {
    static constexpr OpSet kOfColumns{OpId::kWrite_1, OpId::kMemory_1, OpId::kRemember_1, OpId::kHistory_1};
    static constexpr OpSet kNamed{OpId::kParameter_1, OpId::kState_1,  OpId::kStateWrite_1, OpId::kStage_1,
                                  OpId::kRows_1,      OpId::kMetric_1, OpId::kControl_1};
    const OpId op = draft.op->id;
    if (!kOfColumns.has(op) && !kNamed.has(op)) {
        return true;
    }
    const std::string& name = text_of(draft.attributes, op == OpId::kWrite_1 ? "key" : "name");
    const std::string fault = kOfColumns.has(op) ? key_fault(name) : name_fault(name);
    if (!fault.empty()) {
        const std::string_view what = op == OpId::kRows_1 ? "loss" : op == OpId::kWrite_1 ? "column" : draft.op->name;
        fail("the name of a " + std::string(what) + ", '" + name + "', " + fault, draft.source);
    }
    return fault.empty();
}

Builder::Values Builder::special(Draft& draft) {
    static constexpr OpSet kOfRegions{OpId::kComposite_1, OpId::kScan_1, OpId::kScan_2, OpId::kScan_3,
                                      OpId::kArgument_1};
    static constexpr OpSet kCheckInputs{OpId::kCall_1, OpId::kCall_2, OpId::kCall_3, OpId::kFused_1};  // themselves
    const OpId op = draft.op->id;
    if (kOfRegions.has(op)) {
        fail(std::string(draft.op->name) + " needs region_begin, not emit", draft.source);
        return Values(1);
    }
    if (!check_name(draft) || (!kCheckInputs.has(op) && !check_inputs(draft))) {
        return Values(1);
    }
    switch (op) {
        case OpId::kConstant_1:
        case OpId::kFrames_1:
        case OpId::kUpdates_1:
        case OpId::kProgress_1:
            return intern(std::move(draft), {Type{}}, 0);
        case OpId::kIntConstant_1:
            return intern(std::move(draft), {Type{Kind::kInt, {}}}, 0);
        case OpId::kColumn_1:
            return column(draft);
        case OpId::kParameter_1:
        case OpId::kState_1:
            return parameter(draft);
        case OpId::kParameters_1:
            return parameters(draft);
        case OpId::kGradient_1:
            return gradient(draft);
        case OpId::kMemory_1:
            return memory(draft);
        case OpId::kHistory_1:
            return history(draft);
        case OpId::kEpisodeStep_1:
            return episode_step(draft.source);
        case OpId::kOption_1:
            return option(draft);
        case OpId::kCall_1:
        case OpId::kCall_2:
        case OpId::kCall_3:
            return call(draft);
        case OpId::kFused_1:
            return fused(draft);
        default:
            add_effect(draft);
            return {};
    }
}

Builder::Values Builder::parameter(Draft& draft) {
    const Frame& frame = frames_.back();
    const bool trainable = draft.op->id == OpId::kParameter_1;
    const std::string name = text_of(draft.attributes, "name");
    const auto sizes = value_or(draft.attributes, "shape", std::vector<std::int64_t>());
    if (std::any_of(sizes.begin(), sizes.end(), [](std::int64_t size) { return size < 1; })) {
        fail("parameter '" + name + "' has the shape " + shape_text(sizes) + "; every size must be at least 1",
             draft.source);
        return Values(1);
    }
    const ParameterRequest request{.role = frame.unit->role,
                                   .name = name,
                                   .shape = sizes,
                                   .agents = frame.unit->own ? graph_.symbols.size(agents_of(*frame.unit)) : 0,
                                   .init = text_of(draft.attributes, "init"),
                                   .scale = value_or(draft.attributes, "scale", 0.0),
                                   .trainable = trainable,
                                   .slab = frame.slab};
    // Its shape may depend on a poisoned value's, so it is not compared with the shape that other functions give it.
    if (Status agreed = frame.knows_no_sizes ? Status() : context_.declare(request); !agreed) {
        const Unit* const caller = frames_.size() > 1 ? frames_[frames_.size() - 2].unit : frame.unit;
        const bool other = caller != nullptr && caller != frame.unit;
        const std::string advice = other ? "; give what calls it with other sizes its own network" : "";
        if (!other || tell_first("declared\n" + frame.unit->role)) {
            Problem* const told = fail(agreed.error().fault, agreed.error().sentence + advice, draft.source);
            if (other && told != nullptr) {
                told->also.push_back(caller->place);
            }
        }
        return Values(1);
    }
    if (const std::optional<ValueId> bound = trainable ? bound_parameter(name, draft) : std::nullopt) {
        return {*bound};
    }
    Type type{Kind::kReal, members_of(*frame.unit)};
    type.dims.insert(type.dims.end(), sizes.begin(), sizes.end());
    // init and scale belong to the layout: two reads of one parameter are one node
    std::vector<Attribute> attributes{
        {"name", name}, {"role", frame.unit->role}, {"slab", frame.slab}, {"version", frame.version}};
    return intern(Draft{draft.op, {}, std::move(attributes), draft.source}, {std::move(type)}, 0);
}

Builder::Values Builder::option(Draft& draft) {
    const Frame& frame = frames_.back();
    const std::string name = text_of(draft.attributes, "name");
    const auto& options = frame.unit->options;
    const auto found = std::ranges::find(options, name, &OptionBinding::name);
    if (found == options.end()) {
        const auto names = mapped<std::string_view>(options, &OptionBinding::name);
        fail("there is no numeric option '" + name + "'" + did_you_mean(name, names), draft.source);
        return Values(1);
    }
    if (found->live < 0) {
        return make(OpId::kConstant_1, {}, {{"value", found->value}}, Type{});
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
            &op_of(OpId::kSpread_1), draft.inputs, {{"n", frame.draws}, {"name", std::string("draws")}}, draft.source};
        draft.inputs = add(std::move(spread));
        if (draft.inputs.front() == 0) {
            return Values(1);
        }
        type.dims = graph_.type(draft.inputs.front()).dims;
    }
    const std::uint32_t region = region_of_draw(draft.inputs);
    std::string what = frame.unit->role;
    for (const std::string& part : {text_of(draft.attributes, "label"), std::string(draft.op->name),
                                    std::to_string(draft.inputs.front()), std::to_string(region)}) {
        what += "\n" + part;
    }
    Values& drawn = drawn_[what];
    const auto number = static_cast<std::size_t>(frame.ordinals[what]++);
    if (frame.shares_draws && number < drawn.size()) {
        return {drawn[number]};
    }
    set(draft.attributes, "stream", frame.path + "/" + label);
    Values out = intern(std::move(draft), {std::move(type)}, region);
    drawn.push_back(out.front());
    return out;
}

// Each step of a scan draws new numbers, even if the shape comes from a value outside.
std::uint32_t Builder::region_of_draw(std::span<const ValueId> inputs) const {
    std::uint32_t region = 0;
    region_of(inputs, region);
    const std::uint32_t steps = open_steps();
    return steps != 0 && depth_of(graph_, region) < depth_of(graph_, steps) ? steps : region;
}

}  // namespace tenon::graph
