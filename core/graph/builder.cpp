// SPDX-License-Identifier: Apache-2.0
// Reading nodes from plugins, interning them, and the record of what went wrong. Ops that the builder itself decides are in
// special.cpp, calls between units in calls.cpp, regions in regions.cpp.
#include "graph/builder.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <utility>

#include "graph/fields.hpp"

namespace tenon::graph {
namespace {

// Attributes are part of a node's identity, so their text must tell any two apart: numbers by their bits.
void append_value(std::string& key, const AttributeValue& value) {
    const auto bytes = [&](const auto& x) { key.append(reinterpret_cast<const char*>(&x), sizeof x); };
    bytes(value.index());
    std::visit(
        [&](const auto& x) {
            using T = std::decay_t<decltype(x)>;
            if constexpr (std::is_arithmetic_v<T>) {
                bytes(x);
            } else if constexpr (std::is_same_v<T, std::string>) {
                bytes(x.size());
                key += x;
            } else {
                bytes(x.size());
                for (const auto& element : x) {
                    append_value(key, AttributeValue{element});
                }
            }
        },
        value);
}

std::string identity(const OpDef* op, std::uint32_t region, const std::vector<ValueId>& inputs,
                     const std::vector<Attribute>& attributes) {
    std::string key(reinterpret_cast<const char*>(&op), sizeof op);
    key.append(reinterpret_cast<const char*>(&region), sizeof region);
    key.append(reinterpret_cast<const char*>(inputs.data()), inputs.size() * sizeof(ValueId));
    for (const Attribute& attribute : attributes) {
        key += '\n' + attribute.key + '=';
        append_value(key, attribute.value);
    }
    return key;
}

AttributeValue standard_value(const AttributeDef& def) {
    switch (def.type) {
        case AttributeType::kInt: {
            std::int64_t value = 0;
            std::from_chars(def.standard.data(), def.standard.data() + def.standard.size(), value);
            return value;
        }
        case AttributeType::kFloat: {
            double value = 0;
            std::from_chars(def.standard.data(), def.standard.data() + def.standard.size(), value);
            return value;
        }
        default: return std::string(def.standard);
    }
}

constexpr std::size_t attribute_index(AttributeType type) { return static_cast<std::size_t>(type); }

bool fits(InputKind want, Kind have) {
    switch (want) {
        case InputKind::kInt: return have == Kind::kInt;
        case InputKind::kBool: return have == Kind::kBool;
        case InputKind::kReal:
        case InputKind::kNumber:
        case InputKind::kAny: return true;  // int and bool count as numbers
    }
    return false;
}

}  // namespace

Builder::Builder(const Context& context, Problems& problems, EagerEvaluator* eager)
    : context_(context), problems_(problems), eager_(eager) {
    frames_.push_back(Frame{.unit = nullptr, .function = context.program, .prefix = {}, .slab = "live", .version = {},
                            .mode = "train", .path = {}, .ordinals = {}});
}

std::vector<ValueId> Builder::build(const Unit& unit, std::string_view function, std::span<const ValueId> inputs,
                                    std::string_view mode) {
    const tn_function* found = find_function(unit, function);
    if (found == nullptr) {
        fail(Fault::kInput, unit.component + " has no function '" + std::string(function) + "'", 0);
        problems_.back().place = unit.place;
        return {};
    }
    Frame frame{.unit = &unit, .function = std::string(function), .prefix = {}, .slab = "live", .version = {},
                .mode = std::string(mode), .path = unit.component + "." + std::string(function), .ordinals = {}};
    return run(std::move(frame), inputs, split_names(found->outputs).size());
}

ValueId Builder::read_column(std::string_view key) {
    Draft draft{find_op("column", 1), {}, {{"key", std::string(key)}}, 0};
    return column(draft).front();
}

void Builder::write(std::string name, ValueId value) { graph_.writes.push_back({std::move(name), value}); }

std::uint32_t Builder::find(const char* name, std::uint32_t revision) {
    const OpDef* op = find_op(name, revision);
    if (op == nullptr) {
        asked_name_ = name;
        asked_revision_ = revision;
        return 0;
    }
    return static_cast<std::uint32_t>(op - op_table().data()) + 1;
}

tn_status Builder::emit(const tn_node& node) {
    if (fields::inside(node, &tn_node::out_capacity) && node.out != nullptr) {
        std::fill_n(node.out, node.out_capacity, 0U);
    }
    Draft draft;
    if (!read_node(node, draft)) {
        return TN_INVALID_ARGUMENT;
    }
    const bool poisoned = std::find(draft.inputs.begin(), draft.inputs.end(), 0U) != draft.inputs.end();
    if (poisoned) {
        return TN_OK;  // its cause has been said
    }
    const Values out = add(std::move(draft));
    std::copy_n(out.begin(), std::min<std::size_t>(out.size(), node.out_capacity), node.out);
    return std::find(out.begin(), out.end(), 0U) == out.end() ? TN_OK : TN_INVALID_ARGUMENT;
}

bool Builder::read_node(const tn_node& node, Draft& draft) {
    draft.source = add_source(fields::inside(node, &tn_node::source) ? node.source : nullptr);
    if (node.op == 0 || node.op > op_table().size()) {
        const auto known = revisions_of(asked_name_);
        std::string sentence = "this host (ABI " + std::to_string(TN_ABI_MAJOR) + "." + std::to_string(TN_ABI_MINOR) +
                               ") has no op '" + asked_name_ + "' of revision " + std::to_string(asked_revision_);
        if (!known.empty()) {
            sentence += "; its newest is revision " + std::to_string(known.front().revision);
        }
        fail(Fault::kPlugin, std::move(sentence), draft.source);
        return false;
    }
    draft.op = &op_table()[node.op - 1];
    draft.inputs.assign(node.in, node.in + node.in_count);
    const bool unknown = std::any_of(draft.inputs.begin(), draft.inputs.end(),
                                     [&](ValueId value) { return value >= graph_.values.size(); });
    if (unknown) {
        fail(Fault::kPlugin, std::string(draft.op->name) + ": an input is not a value of this graph", draft.source);
        return false;
    }
    return read_attributes(node, draft);
}

bool Builder::read_attributes(const tn_node& node, Draft& draft) {
    const std::string op(draft.op->name);
    for (std::uint32_t i = 0; i < node.attribute_count; ++i) {
        Attribute attribute = fields::read(*node.attributes[i]);
        const auto def = std::find_if(draft.op->attributes.begin(), draft.op->attributes.end(),
                                      [&](const AttributeDef& d) { return d.name == attribute.key; });
        if (def == draft.op->attributes.end()) {
            fail(Fault::kPlugin, op + " has no attribute '" + attribute.key + "'", draft.source);
            return false;
        }
        if (def->type == AttributeType::kFloat && std::holds_alternative<std::int64_t>(attribute.value)) {
            attribute.value = static_cast<double>(std::get<std::int64_t>(attribute.value));
        }
        if (attribute.value.index() != attribute_index(def->type)) {
            fail(Fault::kPlugin, op + ": attribute '" + attribute.key + "' is of the wrong type", draft.source);
            return false;
        }
        draft.attributes.push_back(std::move(attribute));
    }
    for (const AttributeDef& def : draft.op->attributes) {
        const bool given = std::any_of(draft.attributes.begin(), draft.attributes.end(),
                                       [&](const Attribute& a) { return a.key == def.name; });
        if (!given && def.required) {
            fail(Fault::kPlugin, op + " needs the attribute '" + std::string(def.name) + "'", draft.source);
            return false;
        }
        if (!given && !def.standard.empty()) {
            draft.attributes.push_back({std::string(def.name), standard_value(def)});
        }
    }
    return true;
}

bool Builder::check_inputs(Draft& draft) {
    const auto& defs = draft.op->inputs;
    const bool variadic = !defs.empty() && defs.back().variadic;
    const auto required = static_cast<std::size_t>(
        std::count_if(defs.begin(), defs.end(), [](const InputDef& def) { return !def.optional; }));
    if (draft.inputs.size() < required || (!variadic && draft.inputs.size() > defs.size())) {
        fail(Fault::kPlugin,
             std::string(draft.op->name) + " takes " + std::to_string(required) + (variadic ? " or more" : "") +
                 " inputs and got " + std::to_string(draft.inputs.size()),
             draft.source);
        return false;
    }
    for (std::size_t i = 0; i < draft.inputs.size(); ++i) {
        const InputDef& def = defs[std::min(i, defs.size() - 1)];
        const Type& type = graph_.type(draft.inputs[i]);
        if (!fits(def.kind, type.kind)) {
            fail(Fault::kPlugin,
                 std::string(draft.op->name) + ": " + std::string(def.name) + " must be " +
                     (def.kind == InputKind::kInt ? "int" : "bool") + ", and this is " + graph_.symbols.text(type),
                 draft.source, {draft.inputs[i]});
            return false;
        }
    }
    return true;
}

Builder::Values Builder::add(Draft draft) {
    std::sort(draft.attributes.begin(), draft.attributes.end(),
              [](const Attribute& a, const Attribute& b) { return a.key < b.key; });
    if (draft.op->rule == Rule::kSpecial) {
        return special(draft);
    }
    if (!check_inputs(draft)) {
        return Values(draft.op->results);
    }
    std::vector<Type> types;
    for (const ValueId input : draft.inputs) {
        types.push_back(graph_.type(input));
    }
    const Node shape_of{.op = draft.op, .inputs = {}, .attributes = draft.attributes, .first_output = 0,
                        .output_count = 0, .region = 0, .source = 0};
    auto outcome = infer(*draft.op, shape_of, types, graph_.symbols);
    if (const auto* misfit = std::get_if<Misfit>(&outcome)) {
        std::vector<ValueId> operands;
        for (const int i : {misfit->first, misfit->second}) {
            if (i >= 0) {
                operands.push_back(draft.inputs[static_cast<std::size_t>(i)]);
            }
        }
        fail(Fault::kPlugin, std::string(draft.op->name) + ": " + misfit->sentence, draft.source, std::move(operands));
        return Values(draft.op->results);
    }
    Type& type = std::get<Type>(outcome);
    if (draft.op->random) {
        return random(draft, std::move(type));
    }
    std::uint32_t region = 0;
    if (!region_of(draft.inputs, region)) {
        fail(Fault::kPlugin, std::string(draft.op->name) + ": an input belongs to a region that is closed", draft.source);
        return Values(draft.op->results);
    }
    return intern(std::move(draft), {std::move(type)}, region);
}

Builder::Values Builder::intern(Draft draft, std::vector<Type> types, std::uint32_t region) {
    const bool merges = !draft.op->random;
    std::string key = merges ? identity(draft.op, region, draft.inputs, draft.attributes) : std::string{};
    if (merges) {
        if (const auto found = known_.find(key); found != known_.end()) {
            const Node& node = graph_.nodes[found->second];
            Values out(node.output_count);
            for (std::uint32_t i = 0; i < node.output_count; ++i) {
                out[i] = node.first_output + i;
            }
            return out;
        }
    }
    const auto id = static_cast<NodeId>(graph_.nodes.size());
    Node node{.op = draft.op, .inputs = std::move(draft.inputs), .attributes = std::move(draft.attributes),
              .first_output = static_cast<ValueId>(graph_.values.size()),
              .output_count = static_cast<std::uint32_t>(types.size()), .region = region, .source = draft.source};
    Values out;
    for (std::uint32_t i = 0; i < types.size(); ++i) {
        out.push_back(static_cast<ValueId>(graph_.values.size()));
        graph_.values.push_back({std::move(types[i]), id, i});
    }
    graph_.nodes.push_back(std::move(node));
    if (merges) {
        known_.emplace(std::move(key), id);
    }
    if (eager_ != nullptr) {
        if (Status done = eager_->added(graph_, id); !done) {
            fail(Fault::kPlugin, done.error().sentence, graph_.nodes[id].source);
        }
    }
    return out;
}

Builder::Values Builder::make(std::string_view op, std::vector<ValueId> inputs, std::vector<Attribute> attributes, Type type) {
    std::sort(attributes.begin(), attributes.end(), [](const Attribute& a, const Attribute& b) { return a.key < b.key; });
    return intern(Draft{find_op(op, 1), std::move(inputs), std::move(attributes), 0}, {std::move(type)}, 0);
}

tn_status Builder::type_of(tn_value value, tn_type& type) const {
    if (value == 0 || value >= graph_.values.size()) {
        return TN_INVALID_ARGUMENT;
    }
    const Type& known = graph_.type(value);
    if (known.dims.size() > TN_MAX_RANK) {
        return TN_UNIMPLEMENTED;
    }
    type.dtype = known.kind == Kind::kReal ? TN_REAL : known.kind == Kind::kInt ? TN_I64 : TN_BOOL;
    type.rank = static_cast<std::uint32_t>(known.dims.size());
    std::copy(known.dims.begin(), known.dims.end(), type.dim);
    return TN_OK;
}

tn_status Builder::peek(tn_value value, std::span<double> data, std::uint64_t& count) {
    if (eager_ == nullptr || value == 0 || value >= graph_.values.size()) {
        return TN_UNAVAILABLE;
    }
    Result<std::uint64_t> got = eager_->peek(value, data);
    if (!got) {
        return TN_UNAVAILABLE;
    }
    count = *got;
    return TN_OK;
}

void Builder::fail(Fault fault, std::string sentence, std::uint32_t source, std::vector<ValueId> operands) {
    failed_ = true;
    const Frame& frame = frames_.back();
    Problem problem{.fault = fault, .sentence = here() + std::move(sentence), .place = place_of(source), .help = {}, .also = {}};
    for (const ValueId operand : operands) {
        Place place = place_of(graph_.node_of(operand).source);
        const auto same = [&](const Place& other) { return other.file == place.file && other.line == place.line && other.column == place.column; };
        if (!place.file.empty() && !same(problem.place) && std::none_of(problem.also.begin(), problem.also.end(), same)) {
            problem.also.push_back(std::move(place));
        }
    }
    if (frame.unit != nullptr && !frame.unit->place.file.empty()) {
        problem.also.push_back(frame.unit->place);
    }
    problems_.push_back(std::move(problem));
}

std::uint32_t Builder::add_source(const tn_source* source) {
    Source known;
    if (source != nullptr) {
        known.file = source->file == nullptr ? "" : source->file;
        known.function = source->function == nullptr ? "" : source->function;
        known.line = source->line;
        known.column = source->column;
    }
    known.component = frames_.back().unit == nullptr ? "" : frames_.back().unit->component;
    graph_.sources.push_back(std::move(known));
    return static_cast<std::uint32_t>(graph_.sources.size() - 1);
}

Place Builder::place_of(std::uint32_t source) const {
    const Source& known = graph_.sources[source];
    return Place{.file = known.file, .line = known.line, .column = known.column, .length = 1, .excerpt = {}};
}

std::string Builder::here() const {
    const Frame& frame = frames_.back();
    return frame.unit == nullptr ? "" : frame.unit->component + ", " + frame.function + ": ";
}

const Column* Builder::find_column(std::string_view key) const {
    const auto found = std::find_if(context_.columns->begin(), context_.columns->end(),
                                    [&](const Column& column) { return column.spec.key == key; });
    return found == context_.columns->end() ? nullptr : &*found;
}

}  // namespace tenon::graph
