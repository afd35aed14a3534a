// SPDX-License-Identifier: Apache-2.0
#include "plugins/plugin/option_values.hpp"

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <string>

namespace tenon {
namespace {

tn_str view(const std::string& text) {
    return {text.data(), text.size()};
}

std::vector<tn_str> views(const std::vector<std::string>& texts) {
    std::vector<tn_str> out;
    out.reserve(texts.size());
    for (const std::string& text : texts) {
        out.push_back(view(text));
    }
    return out;
}

void set(tn_option_value& out, bool value) {
    out.type = TN_OPTION_BOOL;
    out.integer = value ? 1 : 0;
}

void set(tn_option_value& out, std::int64_t value) {
    out.type = TN_OPTION_INT;
    out.integer = value;
}

void set(tn_option_value& out, double value) {
    out.type = TN_OPTION_FLOAT;
    out.real = value;
}

void set(tn_option_value& out, const std::string& value) {
    out.type = TN_OPTION_STRING;
    out.text = view(value);
}

void set(tn_option_value& out, const OptionTable& value) {
    out.type = TN_OPTION_TABLE;
    out.text = view(value.json);
}

void set(tn_option_value& out, const std::vector<std::int64_t>& value) {
    out.type = TN_OPTION_INTS;
    out.integers = value.data();
    out.count = value.size();
}

void set(tn_option_value& out, const std::vector<double>& value) {
    out.type = TN_OPTION_FLOATS;
    out.reals = value.data();
    out.count = value.size();
}

void set(tn_option_value& out, const std::vector<tn_str>& value) {
    out.type = TN_OPTION_STRINGS;
    out.texts = value.data();
    out.count = value.size();
}

}  // namespace

AbiOptions::AbiOptions(const std::vector<OptionSchema>& schemas, const std::vector<OptionValue>& values)
    : texts_(values.size()), values_(values.size()) {
    assert(schemas.size() == values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
        values_[i] = {};
        values_[i].struct_size = sizeof(tn_option_value);
        values_[i].name = view(schemas[i].name);
        if (const auto* texts = std::get_if<std::vector<std::string>>(&values[i])) {
            texts_[i] = views(*texts);
            set(values_[i], texts_[i]);
        } else {
            std::visit(
                [&](const auto& value) {
                    if constexpr (!std::is_same_v<std::decay_t<decltype(value)>, std::vector<std::string>>) {
                        set(values_[i], value);
                    }
                },
                values[i]);
        }
        pointers_.push_back(&values_[i]);
    }
}

}  // namespace tenon
