// SPDX-License-Identifier: Apache-2.0
#include "base/data/text.hpp"

#include <algorithm>
#include <cstdint>

namespace tenon {
namespace {

std::string fault_of_text(const Composite& specs, const Spec& text) {
    const std::string named = "'" + text.key + "' is a text, ";
    const std::uint32_t of_group = text.group.empty() ? 0 : 1;
    if (text.kind != SpecKind::kMultiCategorical || text.shape.rank != of_group + 1 ||
        std::ranges::count(text.categories, text.categories.front()) != std::ssize(text.categories)) {
        return named + "so it must be one row of choices among the same number of tokens; it is " + to_string(text);
    }
    const std::int64_t tokens = text.shape[of_group];
    const std::string key = length_key(text);
    const Spec* const length = specs.find(key);
    if (length == nullptr) {
        return named + "but there is no column '" + key + "' with its number of tokens";
    }
    const Shape shape = of_group == 0 ? Shape() : Shape{text.shape[0]};
    if (length->kind != SpecKind::kCategorical || length->categories.front() != tokens + 1 || length->shape != shape ||
        length->group != text.group) {
        return named + "so '" + key + "' must be one of " + std::to_string(tokens + 1) + " categories, 0 to " +
               std::to_string(tokens) + (of_group == 0 ? "" : ", for each agent of '" + text.group + "'") + "; it is " +
               to_string(*length);
    }
    return "";
}

}  // namespace

std::string length_key(const Spec& text) {
    return text.key + "_length";
}

std::string fault_of_texts(const Composite& specs) {
    for (const Spec& spec : specs.specs) {
        if (spec.is_text()) {
            if (std::string fault = fault_of_text(specs, spec); !fault.empty()) {
                return fault;
            }
        }
    }
    return "";
}

}  // namespace tenon
