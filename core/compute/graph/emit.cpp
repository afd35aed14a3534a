// SPDX-License-Identifier: Apache-2.0
// Nodes as plugins pass them: looked up, read, and refused if op, attributes or kinds of inputs are wrong.
#include <algorithm>
#include <charconv>
#include <cstddef>
#include <utility>

#include "base/error/listed.hpp"
#include "compute/graph/attributes.hpp"
#include "compute/graph/builder.hpp"
#include "compute/graph/fields.hpp"
#include "compute/graph/limits.hpp"

namespace tenon::graph {
namespace {

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
        default:
            return std::string(def.standard);
    }
}

constexpr std::size_t attribute_index(AttributeType type) {
    return static_cast<std::size_t>(type);
}

bool fits(InputKind want, Kind have) {
    switch (want) {
        case InputKind::kInt:
            return have == Kind::kInt;
        case InputKind::kBool:
            return have == Kind::kBool;
        case InputKind::kReal:
        case InputKind::kNumber:
        case InputKind::kAny:
            return true;  // int and bool count as numbers
    }
    return false;
}

}  // namespace

std::uint32_t Builder::find(const char* name, std::uint32_t revision) {
    const std::string known = fields::text(name);
    const OpDef* op = find_op(known, revision);
    if (op == nullptr || op->internal) {
        asked_name_ = known;
        asked_revision_ = revision;
        return 0;
    }
    return static_cast<std::uint32_t>(op - op_table().data()) + 1;
}

tn_status Builder::emit(const tn_node& node) {
    Draft draft;
    if (!read_node(node, draft)) {
        return TN_INVALID_ARGUMENT;
    }
    const bool poisoned = std::find(draft.inputs.begin(), draft.inputs.end(), 0U) != draft.inputs.end();
    if (poisoned) {  // the cause has been reported, and what reads a column that is then missing makes no mistake
        const Unit* const unit = frames_.back().unit;
        if (unit != nullptr && !context_.trains && draft.op->id == OpId::kWrite_1) {
            if (!failed_) {
                fail("it writes a value that it has not made", draft.source);
            }
            tell_first(mark_of_column(unit->role, text_of(draft.attributes, "key")));
        }
        return TN_OK;
    }
    name_networks(draft);
    const std::uint32_t source = draft.source;
    std::optional<Values> of_present = over_present(draft);
    const Values out = of_present ? std::move(*of_present) : add(std::move(draft));
    for (const ValueId value : out) {
        frames_.back().lines.try_emplace(value, source);
    }
    std::copy_n(out.begin(), std::min<std::size_t>(out.size(), node.out_capacity), node.out);
    return std::find(out.begin(), out.end(), 0U) == out.end() ? TN_OK : TN_INVALID_ARGUMENT;
}

// Replaces roles by the names of the networks that the running objective gets for them. A stage owns the parameters of
// the objective itself as "objective", whatever its name.
void Builder::name_networks(Draft& draft) {
    const Unit* const unit = frames_.back().unit;
    if (unit == nullptr) {
        return;
    }
    const auto name = [&](std::string& text) {
        const auto found = std::ranges::find(unit->networks, text, &RoleOf::role);
        text = found != unit->networks.end() ? found->network : text;
    };
    for (Attribute& attribute : draft.attributes) {
        if (auto* const text = std::get_if<std::string>(&attribute.value);
            text != nullptr && (attribute.key == "role" || attribute.key == "of")) {
            if (attribute.key == "role" && context_.called != nullptr && !unit->networks.empty()) {
                context_.called->insert(unit->role + "." + *text);
            }
            name(*text);
        } else if (auto* const list = std::get_if<std::vector<std::string>>(&attribute.value);
                   list != nullptr && attribute.key == "owns") {
            std::ranges::replace(*list, std::string("objective"), unit->role);
            std::ranges::for_each(*list, name);
        }
    }
}

// Ops that only the host may use are unknown to a plugin: an op of that name may be added for plugins some day.
void Builder::say_what_is_missing(std::uint32_t source) {
    const auto known = revisions_of(asked_name_);
    std::string sentence = "this host (ABI " + std::to_string(TN_ABI_MAJOR) + "." + std::to_string(TN_ABI_MINOR) +
                           ") has no op '" + asked_name_ + "' of revision " + std::to_string(asked_revision_);
    if (!known.empty() && !known.front().internal) {
        sentence += "; its newest is revision " + std::to_string(known.front().revision);
    }
    if (Problem* told = fail(std::move(sentence), source)) {
        told->help = "use a newer Tenon, or build the plugin with the SDK of this one";
    }
}

bool Builder::read_node(const tn_node& node, Draft& draft) {
    draft.source = add_source(fields::inside(node, &tn_node::source) ? node.source : nullptr);
    if (const std::string what = fields::defect(node); !what.empty()) {
        const bool named = fields::inside(node, &tn_node::op) && node.op > 0 && node.op <= op_table().size();
        fail((named ? std::string(op_table()[node.op - 1].name) : "a node") + ": " + what, draft.source);
        return false;
    }
    if (node.op == 0) {
        say_what_is_missing(draft.source);
        return false;
    }
    if (node.op > op_table().size()) {
        fail("the op number " + std::to_string(node.op) + " does not come from find_op", draft.source);
        return false;
    }
    if (const OpDef& op = op_table()[node.op - 1]; op.internal) {
        fail("'" + std::string(op.name) + "' is an internal op of the host, which plugins cannot add", draft.source);
        return false;
    }
    draft.op = &op_table()[node.op - 1];
    draft.inputs.assign(node.in, node.in + node.in_count);
    return check_values(draft.inputs, draft.op->name, draft.source) && read_attributes(node, draft);
}

// The values that a plugin passes must exist and be visible here.
bool Builder::check_values(std::span<const ValueId> values, std::string_view user, std::uint32_t source) {
    for (const ValueId value : values) {
        const bool known = value < graph_.values.size();
        if (!known || !is_open(graph_.node_of(value).region)) {
            fail(std::string(user) + (known ? ": an input belongs to a closed scan; make it a result of the scan"
                                            : ": an input is not a value of this graph"),
                 source);
            return false;
        }
    }
    return true;
}

bool Builder::read_attributes(const tn_node& node, Draft& draft) {
    const std::string op(draft.op->name);
    for (std::uint32_t i = 0; i < node.attribute_count; ++i) {
        if (const std::string what = fields::defect(node.attributes[i]); !what.empty()) {
            fail(op + ": " + what, draft.source);
            return false;
        }
        Attribute attribute = fields::read(*node.attributes[i]);
        const auto def = std::ranges::find(draft.op->attributes, attribute.key, &AttributeDef::name);
        if (def == draft.op->attributes.end()) {
            fail(op + " has no attribute '" + attribute.key + "'", draft.source);
            return false;
        }
        if (value_of(draft.attributes, attribute.key) != nullptr) {
            fail(op + ": attribute '" + attribute.key + "' is given twice", draft.source);
            return false;
        }
        if (def->type == AttributeType::kFloat && std::holds_alternative<std::int64_t>(attribute.value)) {
            attribute.value = static_cast<double>(std::get<std::int64_t>(attribute.value));
        }
        if (attribute.value.index() != attribute_index(def->type)) {
            fail(op + ": attribute '" + attribute.key + "' is of the wrong type", draft.source);
            return false;
        }
        draft.attributes.push_back(std::move(attribute));
    }
    for (const AttributeDef& def : draft.op->attributes) {
        const bool given = value_of(draft.attributes, def.name) != nullptr;
        if (!given && def.required) {
            fail(op + " needs the attribute '" + std::string(def.name) + "'", draft.source);
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
        fail(std::string(draft.op->name) + " takes " +
                 (variadic ? std::to_string(required) + " or more inputs" : counted(required, "input")) + ", but got " +
                 std::to_string(draft.inputs.size()),
             draft.source);
        return false;
    }
    for (std::size_t i = 0; i < draft.inputs.size(); ++i) {
        const InputDef& def = defs[std::min(i, defs.size() - 1)];
        const Type& type = graph_.type(draft.inputs[i]);
        if (!fits(def.kind, type.kind)) {
            fail(std::string(draft.op->name) + ": " + std::string(def.name) + " must be " +
                     (def.kind == InputKind::kInt ? "int" : "bool") + ", but this is " + graph_.symbols.text(type),
                 draft.source, {{draft.inputs[i], text_of_input(*draft.op, i, type, graph_.symbols)}});
            return false;
        }
    }
    return true;
}

std::uint32_t Builder::add_source(const tn_source* source) {
    if (graph_.sources.size() >= kMostSources) {
        return static_cast<std::uint32_t>(graph_.sources.size() - 1);
    }
    Source known;
    if (source != nullptr) {
        known.file = fields::text(source->file);
        known.function = fields::text(source->function);
        known.line = source->line;
        known.column = source->column;
    }
    known.component = frames_.back().unit == nullptr ? "" : frames_.back().unit->component;
    graph_.sources.push_back(std::move(known));
    return static_cast<std::uint32_t>(graph_.sources.size() - 1);
}

}  // namespace tenon::graph
