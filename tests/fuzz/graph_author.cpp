// SPDX-License-Identifier: Apache-2.0
#include "fuzz/graph_author.hpp"

#include <algorithm>
#include <array>

namespace tenon::fuzz {

using graph::AttributeDef;
using graph::AttributeType;
using graph::OpDef;

Author::Author(Script& script, Budget& budget, const tn_build_args& args)
    : script_(script), budget_(budget), args_(args) {
    for (std::uint32_t i = 0; i < args.in_count; ++i) {
        values_.push_back(args.in[i]);
    }
}

void Author::write() {
    while (!script_.done() && budget_.calls > 0) {
        --budget_.calls;
        call();
    }
    for (std::uint32_t i = 0; i < args_.out_capacity; ++i) {
        args_.out[i] = value();
    }
}

void Author::call() {
    const std::uint8_t what = script_.byte() % 16;
    switch (what) {
        case 0:
            read_column();
            break;
        case 1:
            begin_region();
            break;
        case 2:
            end_region();
            break;
        case 3:
            read_network();
            break;
        case 4:
            add_hostile();
            break;
        case 5:
            ask();
            break;
        case 6:
            remember();
            break;
        default:
            add(op());
            break;
    }
}

tn_value Author::value() {
    const std::uint8_t which = script_.byte();
    if (values_.empty() || which == 255) {
        return which == 255 ? static_cast<tn_value>(script_.number()) : 0;
    }
    return values_[values_.size() - 1 - which % std::min<std::size_t>(values_.size(), 24)];
}

const OpDef& Author::op() {
    const auto table = graph::op_table();
    return table[(script_.byte() + 256U * script_.below(2)) % table.size()];
}

std::uint32_t Author::found(const char* name, std::uint32_t revision) const {
    return args_.api->find_op(args_.graph, name, revision);
}

tn_str Author::text(std::string_view name) {
    const std::string& kept = texts_.emplace_back(name);
    return {kept.data(), kept.size()};
}

tn_attribute Author::attribute(const AttributeDef& def) {
    tn_attribute out{};
    out.struct_size = sizeof out;
    out.kind = static_cast<std::int32_t>(def.type) + 1;
    out.key = text(def.name);
    switch (def.type) {
        case AttributeType::kInt:
            out.integer = def.name == "axis" ? -static_cast<std::int64_t>(1 + script_.below(4)) : script_.number();
            if (script_.byte() == 255) {
                out.integer = script_.number();
            }
            break;
        case AttributeType::kFloat:
            out.real = static_cast<double>(script_.number()) / 4;
            break;
        case AttributeType::kString:
            out.text = text(script_.name());
            break;
        case AttributeType::kInts: {
            std::vector<std::int64_t>& numbers = numbers_.emplace_back();
            for (std::size_t i = script_.below(4); i > 0; --i) {
                numbers.push_back(script_.number());
            }
            out.integers = numbers.data();
            out.count = numbers.size();
            break;
        }
        case AttributeType::kStrings: {
            std::vector<tn_str>& list = lists_.emplace_back();
            for (std::size_t i = script_.below(3); i > 0; --i) {
                list.push_back(text(script_.name()));
            }
            out.texts = list.data();
            out.count = list.size();
            break;
        }
    }
    return out;
}

void Author::give(const tn_attribute& attribute) {
    attributes_.push_back(&kept_.emplace_back(attribute));
}

void Author::give_text(const char* key, std::string_view value) {
    tn_attribute out{};
    out.struct_size = sizeof out;
    out.kind = TN_ATTRIBUTE_STRING;
    out.key = text(key);
    out.text = text(value);
    give(out);
}

void Author::give_number(const char* key, std::int64_t value) {
    tn_attribute out{};
    out.struct_size = sizeof out;
    out.kind = TN_ATTRIBUTE_INT;
    out.key = text(key);
    out.integer = value;
    give(out);
}

void Author::begin_node() {
    inputs_.clear();
    attributes_.clear();
    kept_.clear();
    texts_.clear();
    numbers_.clear();
    lists_.clear();
}

tn_node Author::node(std::uint32_t op) {
    tn_node out{};
    out.struct_size = sizeof out;
    out.op = op;
    out.in = inputs_.data();
    out.in_count = static_cast<std::uint32_t>(inputs_.size());
    out.attributes = attributes_.data();
    out.attribute_count = static_cast<std::uint32_t>(attributes_.size());
    out.source = &source_;
    source_.line = ++line_;
    return out;
}

void Author::emit(std::uint32_t op, std::uint32_t results) {
    std::vector<tn_value> out(results);
    tn_node one = node(op);
    one.out = out.data();
    one.out_capacity = results;
    args_.api->emit(args_.graph, &one);
    for (const tn_value each : out) {
        if (each != 0) {
            values_.push_back(each);
        }
    }
}

void Author::add(const OpDef& op) {
    begin_node();
    std::size_t count = op.inputs.size();
    count += count > 0 && op.inputs.back().variadic ? script_.below(3) : 0;
    count -= count > 0 && op.inputs.back().optional && script_.coin() ? 1 : 0;
    for (std::size_t i = 0; i < count; ++i) {
        inputs_.push_back(value());
    }
    for (const AttributeDef& def : op.attributes) {
        if (def.required || script_.below(4) == 1) {
            give(attribute(def));
        }
    }
    emit(found(std::string(op.name).c_str(), op.revision), op.results);
}

void Author::read_column() {
    begin_node();
    give_text("key", script_.coin() ? script_.name() : script_.column());
    emit(found("column", 1), 1);
}

void Author::read_network() {
    constexpr std::array<std::string_view, 3> kRoles = {"actor", "critic", "trunk"};
    constexpr std::array<std::string_view, 4> kFunctions = {"value", "q", "sample", "features"};
    begin_node();
    give_text("role", kRoles[script_.below(3)]);
    const std::string_view function = kFunctions[script_.below(4)];
    give_text("function", function);
    if (script_.below(4) == 1) {
        give_text("slab", script_.coin() ? "target" : "live");
    }
    if (script_.below(4) == 1) {
        give_text("prefix", script_.name());
    }
    if (script_.below(8) == 1) {
        give_text("mode", script_.name());
    }
    if (script_.below(8) == 1) {
        give_text("version", script_.name());
    }
    const bool drawn = script_.below(8) == 1;
    if (drawn) {
        give_number("draws", script_.number());
    }
    if (function == "q") {
        inputs_.push_back(value());
    }
    emit(found("call", drawn ? 2 : 1), function == "sample" ? 2 : 1);
}

void Author::remember() {
    begin_node();
    const bool reads = script_.coin();
    give_text("name", script_.below(4) == 1 ? "h" : "z");
    if (reads) {
        tn_attribute shape{};
        shape.struct_size = sizeof shape;
        shape.kind = TN_ATTRIBUTE_INTS;
        shape.key = text("shape");
        static constexpr std::int64_t kTwo = 2;
        shape.integers = &kTwo;
        shape.count = 1;
        give(shape);
    } else {
        inputs_.push_back(value());
    }
    emit(found(reads ? "memory" : "remember", 1), reads ? 1 : 0);
}

void Author::begin_region() {
    begin_node();
    const std::size_t kind = script_.below(4);
    for (std::size_t i = script_.below(5); i > 0; --i) {
        inputs_.push_back(value());
    }
    if (kind < 2) {
        give_number("carries", script_.below(8) == 1 ? script_.number() : static_cast<std::int64_t>(script_.below(3)));
        if (script_.coin()) {
            give_number("reset", script_.number());
        }
    } else if (kind == 2) {
        give_text("name", script_.name());
        give_number("revision", 1);
    } else {
        give_text("kernel", "k");
    }
    std::vector<tn_value> body(inputs_.size());
    const tn_node one = node(found(kind < 2 ? "scan" : kind == 2 ? "composite" : "fused", 1));
    args_.api->region_begin(args_.graph, &one, body.data(), static_cast<std::uint32_t>(body.size()));
    values_.insert(values_.end(), body.begin(), body.end());
}

void Author::end_region() {
    std::vector<tn_value> results;
    for (std::size_t i = script_.below(4); i > 0; --i) {
        results.push_back(value());
    }
    std::vector<tn_value> out(results.size());
    args_.api->region_end(args_.graph, results.data(), static_cast<std::uint32_t>(results.size()), out.data(),
                          static_cast<std::uint32_t>(out.size()));
    values_.insert(values_.end(), out.begin(), out.end());
}

}  // namespace tenon::fuzz
