// SPDX-License-Identifier: Apache-2.0
// Specs in words.
#include <algorithm>

#include "base/data/number_text.hpp"
#include "base/data/spec.hpp"

namespace tenon {
namespace {

constexpr std::size_t kListed = 4;

std::string shortest(DType dtype, double value) {
    return dtype == DType::kF32 ? number_text(static_cast<float>(value)) : number_text(value);
}

std::string interval(const Spec& spec, std::size_t element) {
    return "[" + shortest(spec.dtype, spec.low_of(element)) + ", " + shortest(spec.dtype, spec.high_of(element)) + "]";
}

std::string intervals(const Spec& spec) {
    std::string out = interval(spec, 0);
    bool all_equal = true;
    for (std::size_t i = 1; i < spec.low.size(); ++i) {
        all_equal = all_equal && interval(spec, i) == interval(spec, 0);
    }
    for (std::size_t i = 1; i < spec.low.size() && !all_equal; ++i) {
        if (i == kListed) {
            return out + " x ...";
        }
        out += " x " + interval(spec, i);
    }
    return out;
}

std::string categories(const Spec& spec) {
    std::string out;
    for (std::size_t i = 0; i < spec.categories.size(); ++i) {
        out += (i == 0 ? "" : " x ") + std::to_string(spec.categories[i]);
    }
    return out + (out == "1" ? " category" : " categories");
}

// Without the key: "float32 [4] in [-4.8, 4.8]".
std::string describe(const Spec& spec) {
    std::string out(name_of(spec.dtype));
    if (spec.shape.rank > 0) {
        out += " " + to_string(spec.shape);
    }
    switch (spec.kind) {
        case SpecKind::kUnbounded:
            return out;
        case SpecKind::kBounded:
            return out + " in " + intervals(spec);
        case SpecKind::kBinary:
            return out + " of 0 and 1";
        case SpecKind::kOneHot:
            return out + ", one-hot over " + categories(spec);
        case SpecKind::kCategorical:
        case SpecKind::kMultiCategorical:
            break;
    }
    return out + ", " + categories(spec) + (spec.is_text() ? ", text" : "");
}

// The difference between two specs with the same description.
std::pair<std::string, std::string> hidden_difference(const Spec& a, const Spec& b) {
    if (a.group != b.group) {
        const auto text = [](const Spec& spec) {
            return spec.group.empty() ? std::string("of no group") : "of the group '" + spec.group + "'";
        };
        return {text(a), text(b)};
    }
    if (a.role != b.role) {
        return {"as " + std::string(name_of(a.role)), "as " + std::string(name_of(b.role))};
    }
    const std::size_t n = std::max(a.low.size(), b.low.size());
    for (std::size_t i = 0; i < n; ++i) {
        if (a.low_of(i) != b.low_of(i) || a.high_of(i) != b.high_of(i)) {
            const std::string element = "with element " + std::to_string(i) + " in ";
            return {element + interval(a, i), element + interval(b, i)};
        }
    }
    return {};
}

}  // namespace

std::string to_string(const Spec& spec) {
    return spec.key + ": " + describe(spec);
}

std::string difference(const Spec& a, std::string_view a_side, const Spec& b, std::string_view b_side) {
    if (a.key != b.key) {
        return "'" + a.key + "' of " + std::string(a_side) + " and '" + b.key + "' of " + std::string(b_side) +
               " are different columns";
    }
    std::string left = describe(a);
    std::string right = describe(b);
    if (left == right) {
        const auto [of_a, of_b] = hidden_difference(a, b);
        if (of_a.empty()) {
            return "";
        }
        left += " " + of_a;
        right += " " + of_b;
    }
    return "'" + a.key + "' is " + left + " for " + std::string(a_side) + " but " + right + " for " +
           std::string(b_side);
}

std::string difference(const Composite& a, std::string_view a_side, const Composite& b, std::string_view b_side) {
    const auto missing = [](const Spec& spec, std::string_view found_in, std::string_view missing_in) {
        return "'" + spec.key + "' (" + describe(spec) + ") is a column of " + std::string(found_in) + " but not of " +
               std::string(missing_in);
    };
    for (const Spec& spec : a.specs) {
        const Spec* const other = b.find(spec.key);
        if (other == nullptr) {
            return missing(spec, a_side, b_side);
        }
        if (std::string text = difference(spec, a_side, *other, b_side); !text.empty()) {
            return text;
        }
    }
    for (const Spec& spec : b.specs) {
        if (a.find(spec.key) == nullptr) {
            return missing(spec, b_side, a_side);
        }
    }
    return "";
}

}  // namespace tenon
