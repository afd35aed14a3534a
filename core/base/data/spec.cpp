// SPDX-License-Identifier: Apache-2.0
#include "base/data/spec.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "base/data/key.hpp"
#include "base/error/listed.hpp"

namespace tenon {
namespace {

double to_precision(DType dtype, double value) {
    return dtype == DType::kF32 ? static_cast<double>(static_cast<float>(value)) : value;
}

std::string fault_of_bounds(const Spec& spec) {
    if (spec.kind != SpecKind::kBounded) {
        return spec.low.empty() && spec.high.empty() ? "" : "has bounds, which only a bounded column has";
    }
    const auto elements = static_cast<std::size_t>(spec.shape.elements());
    const std::size_t n = spec.low.size();
    if (n != spec.high.size() || (n != 1 && n != elements)) {
        return "is bounded and has " + counted(n, "bound") + "; it needs 1, or one for each of its " +
               std::to_string(elements) + " elements";
    }
    for (std::size_t i = 0; i < n; ++i) {
        if (!(spec.low_of(i) <= spec.high_of(i))) {
            return "has a lower bound above the upper one (element " + std::to_string(i) + ")";
        }
    }
    return "";
}

// The largest number of categories whose indices fit the dtype.
std::int64_t most_categories(DType dtype) {
    switch (dtype) {
        case DType::kBool:
            return 2;
        case DType::kU8:
            return 256;
        case DType::kI32:
            return std::int64_t{1} << 31;
        default:
            return std::numeric_limits<std::int64_t>::max();
    }
}

std::string fault_of_categories(const Spec& spec) {
    const bool one_hot = spec.kind == SpecKind::kOneHot;
    const bool multi = spec.kind == SpecKind::kMultiCategorical;
    if (!one_hot && !multi && spec.kind != SpecKind::kCategorical) {
        return spec.categories.empty()
                   ? ""
                   : "has categories, but a " + std::string(name_of(spec.kind)) + " column cannot have them";
    }
    const std::int64_t last = spec.shape.rank == 0 ? 0 : spec.shape[spec.shape.rank - 1];
    if (multi && static_cast<std::int64_t>(spec.categories.size()) != last) {
        return "is multi-categorical over " + std::to_string(spec.categories.size()) +
               " variables, so its last extent must be that number; its shape is " + to_string(spec.shape);
    }
    if (!multi && spec.categories.size() != 1) {
        return "needs exactly one number of categories and has " + std::to_string(spec.categories.size());
    }
    for (const std::int64_t n : spec.categories) {
        if (n < 1) {
            return "has " + std::to_string(n) + " categories; there must be at least 1";
        }
        if (!one_hot && n > most_categories(spec.dtype)) {
            return "has " + std::to_string(n) + " categories, more than " + std::string(name_of(spec.dtype)) +
                   " can index";
        }
    }
    if (one_hot && spec.categories[0] != last) {
        return "is one-hot over " + counted(spec.categories[0], "category", "categories") +
               ", so its last extent must be that number; its shape is " + to_string(spec.shape);
    }
    if (!one_hot && is_float(spec.dtype)) {
        return "is " + std::string(name_of(spec.kind)) + " and must hold whole numbers, not " +
               std::string(name_of(spec.dtype));
    }
    return "";
}

}  // namespace

double Spec::low_of(std::size_t element) const {
    return to_precision(dtype, low.size() == 1 ? low[0] : low[element]);
}

double Spec::high_of(std::size_t element) const {
    return to_precision(dtype, high.size() == 1 ? high[0] : high[element]);
}

const Spec* Composite::find(std::string_view key) const {
    const auto at = std::ranges::find(specs, key, &Spec::key);
    return at == specs.end() ? nullptr : &*at;
}

std::vector<std::string_view> Composite::groups() const {
    std::vector<std::string_view> out;
    for (const Spec& spec : specs) {
        if (!spec.group.empty() && std::ranges::find(out, spec.group) == out.end()) {
            out.emplace_back(spec.group);
        }
    }
    return out;
}

std::int64_t Composite::agents(std::string_view group) const {
    const auto of_group = std::ranges::find(specs, group, &Spec::group);
    return group.empty() || of_group == specs.end() ? 0 : of_group->shape[0];
}

// The numbers of both are those of the ABI, which never change; a spec from a plugin has no other (spec_abi.cpp).
std::string_view name_of(SpecKind kind) {
    static constexpr std::array<std::string_view, 6> kNames = {"unbounded", "bounded",           "categorical",
                                                               "one-hot",   "multi-categorical", "binary"};
    static_assert(TN_SPEC_UNBOUNDED == 1 && TN_SPEC_BINARY == kNames.size());
    return kNames[static_cast<std::size_t>(kind) - 1];
}

std::string_view name_of(Role role) {
    static constexpr std::array<std::string_view, 6> kNames = {"observation", "action", "reward",
                                                               "state",       "extra",  "end"};
    static_assert(TN_ROLE_OBSERVATION == 1 && TN_ROLE_END == kNames.size());
    return kNames[static_cast<std::size_t>(role) - 1];
}

std::string fault_of(const Spec& spec) {
    if (const std::string fault = key_fault(spec.key); !fault.empty()) {
        return "has a key that " + fault;
    }
    if (spec.shape.rank > kMaxSpecRank) {
        return "has " + std::to_string(spec.shape.rank) + " dimensions; the maximum is " + std::to_string(kMaxSpecRank);
    }
    std::int64_t elements = 1;
    for (const std::int64_t n : spec.shape.extents()) {
        if (n < 1) {
            return "has the shape " + to_string(spec.shape) + "; every extent must be at least 1";
        }
        if (n > (std::int64_t{1} << 40) / elements) {
            return "has the shape " + to_string(spec.shape) + ", which is more than 2^40 elements";
        }
        elements *= n;
    }
    if (!spec.group.empty()) {
        if (const std::string fault = key_fault(spec.group); !fault.empty()) {
            return "is of a group whose name " + fault;
        }
        if (!within(spec.key, spec.group) || spec.key == spec.group) {
            return "is of the group '" + spec.group + "', so its key must begin with '" + spec.group + ".'";
        }
        if (spec.shape.rank == 0) {
            return "is of the group '" + spec.group +
                   "', so its first extent must be the number of agents, but it has no extents";
        }
    }
    if (std::string fault = fault_of_bounds(spec); !fault.empty()) {
        return fault;
    }
    return fault_of_categories(spec);
}

namespace {

// Columns of a group have the same number of agents, and only they are below its name.
std::string fault_of_group(const Spec& spec, const Spec& other) {
    if (other.group.empty() || !within(spec.key, other.group)) {
        return "";
    }
    if (spec.group != other.group) {
        return "is below '" + other.group + "', the group of '" + other.key + "', so it must be of that group too";
    }
    return spec.shape[0] == other.shape[0] ? ""
                                           : "has " + counted(spec.shape[0], "agent") + ", but '" + other.key +
                                                 "' of the same group has " + std::to_string(other.shape[0]);
}

}  // namespace

Status check(const Composite& composite, std::string_view who) {
    for (std::size_t i = 0; i < composite.specs.size(); ++i) {
        const Spec& spec = composite.specs[i];
        const std::string column = std::string(who) + ": column '" + spec.key + "' ";
        if (const std::string fault = fault_of(spec); !fault.empty()) {
            return plugin_problem(column + fault);
        }
        for (std::size_t j = 0; j < i; ++j) {
            const std::string& other = composite.specs[j].key;
            if (other == spec.key) {
                return plugin_problem(column + "exists twice");
            }
            if (within(other, spec.key) || within(spec.key, other)) {
                return plugin_problem(column + "and column '" + other +
                                      "' cannot both exist: one key continues the other");
            }
        }
        for (const Spec& other : composite.specs) {
            if (const std::string fault = fault_of_group(spec, other); !fault.empty()) {
                return plugin_problem(column + fault);
            }
        }
    }
    return {};
}

}  // namespace tenon
