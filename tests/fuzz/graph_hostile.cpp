// SPDX-License-Identifier: Apache-2.0
// Calls of the builder with what no plugin should pass.
#include <array>
#include <string>

#include "fuzz/graph_author.hpp"

namespace tenon::fuzz {
namespace {

// Makes the array null, or its count larger than any valid one.
template <class T>
void spoil(Script& script, const T*& array, std::uint32_t& count) {
    array = script.coin() ? nullptr : array;
    count = script.coin() ? static_cast<std::uint32_t>(script.number()) : count;
    if (array != nullptr && count > 0 && count <= kMostReadable) {
        count = 0;  // the real array is shorter
    }
}

}  // namespace

void Author::add_hostile() {
    begin_node();
    inputs_.push_back(value());
    const graph::OpDef& chosen = op();
    if (!chosen.attributes.empty()) {
        tn_attribute one = attribute(chosen.attributes[script_.below(chosen.attributes.size())]);
        switch (script_.below(8)) {
            case 0:
                one.struct_size = static_cast<std::uint32_t>(script_.number());
                break;
            case 1:
                one.kind = static_cast<std::int32_t>(script_.number());
                one.integers = nullptr;
                one.texts = nullptr;
                one.text = {};
                break;
            case 2:
                one.key = {nullptr, static_cast<std::uint64_t>(script_.number())};
                break;
            case 3:
                one.text = {nullptr, static_cast<std::uint64_t>(script_.number())};
                one.integers = nullptr;
                one.texts = nullptr;
                one.count = static_cast<std::uint64_t>(script_.number());
                break;
            default:
                break;
        }
        give(one);
        if (script_.below(4) == 1) {
            attributes_.push_back(script_.coin() ? nullptr : attributes_.front());
        }
    }
    std::array<tn_value, 2> out{};
    tn_node one = node(script_.below(8) == 1 ? static_cast<std::uint32_t>(script_.number())
                                             : found(std::string(chosen.name).c_str(), chosen.revision));
    one.out = script_.below(4) == 1 ? nullptr : out.data();
    one.out_capacity = script_.below(4) == 1 ? kMostReadable + 1 + script_.byte() : 2;
    if (script_.below(4) == 1) {
        spoil(script_, one.in, one.in_count);
    }
    if (script_.below(4) == 1) {
        spoil(script_, one.attributes, one.attribute_count);
    }
    if (script_.below(8) == 1) {
        one.struct_size = static_cast<std::uint32_t>(script_.number());
    }
    if (script_.below(8) == 1) {
        one.source = nullptr;
    }
    args_.api->emit(args_.graph, script_.byte() == 7 ? nullptr : &one);
}

void Author::ask() {
    const tn_graph_api& api = *args_.api;
    switch (script_.below(8)) {
        case 0: {
            tn_type type{};
            type.struct_size = script_.coin() ? sizeof type : static_cast<std::uint32_t>(script_.number());
            api.type_of(args_.graph, value(), script_.byte() == 7 ? nullptr : &type);
            break;
        }
        case 1: {
            const tn_spec* spec = nullptr;
            begin_node();
            api.spec_of(args_.graph, text(script_.name()), script_.coin() ? 1 : 0, script_.coin() ? &source_ : nullptr,
                        script_.byte() == 7 ? nullptr : &spec);
            break;
        }
        case 2: {
            std::array<double, 4> numbers{};
            std::uint64_t count = 0;
            api.peek(args_.graph, value(), script_.coin() ? numbers.data() : nullptr, numbers.size(),
                     script_.byte() == 7 ? nullptr : &count);
            break;
        }
        case 3: {
            const tn_spec* const* list = nullptr;
            std::uint32_t count = 0;
            api.actions(args_.graph, script_.coin() ? &list : nullptr, script_.coin() ? &count : nullptr);
            break;
        }
        case 4:
            api.find_op(args_.graph, script_.coin() ? nullptr : "exp", static_cast<std::uint32_t>(script_.number()));
            break;
        case 5: {
            const tn_node one = node(found("scan", 1));
            tn_value body = 0;
            api.region_begin(args_.graph, script_.coin() ? nullptr : &one, script_.coin() ? nullptr : &body,
                             kMostReadable + script_.byte() + 1);
            break;
        }
        case 6: {
            const tn_value result = value();
            api.region_end(args_.graph, script_.coin() ? nullptr : &result, 1, nullptr, script_.byte());
            break;
        }
        default: {
            const tn_node one = node(found("exp", 1));
            api.emit(reinterpret_cast<tn_graph*>(&budget_), &one);
            break;
        }
    }
}

}  // namespace tenon::fuzz
